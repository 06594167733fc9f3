"""A session as events, in the order in which things happened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import msgspec

from pollux.model import (
    Author,
    Fate,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from pollux.writers.base import WriterContext, describe
from pollux.writers.json import part_document, stamp, usage_document

Event = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TOLD = ("agent", "id", "messages", "started", "ended", "project", "exact")


class Stream:
    """Makes the events of one session. `guessed` counts events whose time was not recorded."""

    def __init__(self, session: Session, context: WriterContext) -> None:
        self._description = describe(session, context.knowledge)
        self._session = session
        self._clock = session.started or next((m.at for m in session.messages if m.at is not None), None) or _EPOCH
        self._seen: dict[tuple[str, str], int] = {}
        self._knowledge = context.knowledge(session.agent)
        self._folded = False
        self._seq = 0
        self.guessed = 0

    def start(self) -> Event:
        """The session begins: what is known of it as a whole."""
        session = self._session
        facts = {name: getattr(session, name) for name in Session.__struct_fields__ if name not in _TOLD}
        program = {
            name: value for name, value in msgspec.structs.asdict(self._description).items() if name not in _NAMES
        }
        return self._event(
            "session_start",
            session.id,
            session.started,
            metadata={**program, **facts, "usage": usage_document(session.usage)},
        )

    def end(self) -> Event:
        """The session ends."""
        return self._event("session_end", self._session.id, self._session.ended)

    def message(self, message: Message) -> Iterator[Event]:
        """What happened in a message. The first event carries what is known of the message as a whole.

        A message that only refers to results which stand with their calls is no event.
        """
        if message.parts and all(isinstance(part, ToolResult) and _is_reference(part) for part in message.parts):
            return
        whole = _facts(message)
        first: str | None = None
        for event in self._events(message):
            if first is None:
                first = event["id"]
                event["metadata"] = {**whole, **event.get("metadata", {})}
                if message.usage is not None:
                    event["tokens"] = usage_document(message.usage)
            else:
                event.setdefault("parent_id", first)
            yield event

    def _events(self, message: Message) -> Iterator[Event]:
        if not message.parts:
            yield self._speech_event(message, ())
        for spoken, group in groupby(message.parts, key=_is_spoken):
            parts = list(group)
            if spoken:
                yield self._speech_event(message, parts)
                continue
            for part in parts:
                if isinstance(part, Thinking):
                    yield self._thinking_event(message, part)
                elif isinstance(part, ToolCall):
                    yield from self._call(message, part)
                elif isinstance(part, ToolResult):
                    yield self._result_event(message, part)

    def _speech_event(self, message: Message, parts: Sequence[Part]) -> Event:
        words = [part.text for part in parts if isinstance(part, Text | SummaryPart)]
        others = [
            part_document(part)
            for part in parts
            if not isinstance(part, SummaryPart) and not (isinstance(part, Text) and not part.extra)
        ]
        return self._event(
            self._speech(message, parts),
            message.id,
            message.at,
            message="\n".join(words),
            model=message.model,
            metadata={"parts": others},
        )

    def _speech(self, message: Message, parts: Sequence[Part]) -> str:
        """The type of event for words. A compaction is one event, though an agent may leave a summary and a mark."""
        marked = self._knowledge is not None and self._knowledge.compacts(message)
        if any(isinstance(part, SummaryPart) for part in parts) or (marked and not self._folded):
            self._folded = True
            return "compaction"
        if message.role is Role.SYSTEM or message.author is Author.CLIENT:
            return "system_notice"
        self._folded = False
        return "user_prompt" if message.role is Role.USER else "assistant_message"

    def _thinking_event(self, message: Message, part: Thinking) -> Event:
        return self._event(
            "reasoning",
            message.id,
            part.at or message.at,
            message=part.text,
            model=message.model,
            metadata={"subject": part.subject, **_extra(part.extra)},
        )

    def _call(self, message: Message, call: ToolCall) -> Iterator[Event]:
        """The call and, where it ended, what came of it."""
        asked, answered = self._times(call, message.at)
        named = {
            "call_id": call.id,
            "tool_name": call.canonical,
            "raw_tool_name": call.name,
            "tool_kind": call.tool_kind,
        }
        used = self._event(
            "tool_use",
            call.id or message.id,
            asked,
            **named,
            tool_input=_object(call.input),
            model=message.model,
            metadata={"child": call.child, **_extra(call.extra)},
        )
        yield used
        if call.status is Status.UNFINISHED and call.output is None and not call.attachments:
            return
        ok = call.status is Status.OK
        more = {
            "status": call.status if call.status not in (Status.OK, Status.ERROR) else None,
            "exit_code": call.exit_code,
            "seconds": call.seconds,
            "attachments": [part_document(file) for file in call.attachments],
        }
        result: Event = {"success": ok}
        if call.output is not None:
            result["output" if ok else "error"] = call.output
        yield self._event(
            "tool_result",
            call.id or message.id,
            answered,
            parent_id=used["id"],
            **named,
            tool_result=result,
            metadata=more,
        )

    def _result_event(self, message: Message, part: ToolResult) -> Event:
        """A result by itself. Whether the call succeeded was not recorded."""
        return self._event(
            "tool_result",
            part.call or message.id,
            message.at,
            call_id=part.call,
            tool_name=part.name.lower() if part.name else None,
            raw_tool_name=part.name,
            tool_result={"success": None, **({"output": part.output} if part.output is not None else {})},
            metadata={"attachments": [part_document(file) for file in part.attachments], **_extra(part.extra)},
        )

    def _times(self, call: ToolCall, message_time: datetime | None) -> tuple[datetime | None, datetime | None]:
        """When a call was made and when it was answered, from the one time that is known and how long it took."""
        at, seconds = call.at or message_time, call.seconds
        if at is None or call.at is None or seconds is None:
            return at, at
        try:
            span = timedelta(seconds=seconds)
            return (at - span, at) if self._description.answered else (at, at + span)
        except OverflowError:
            return at, at

    def _event(self, type: str, native: str, at: datetime | None, **more: Any) -> Event:  # noqa: A002 (the field's name)
        """One event, without what is not known."""
        if at is None:
            self.guessed += 1
        else:
            self._clock = at
        count = self._seen[native, type] = self._seen.get((native, type), 0) + 1
        names = (self._description.harness, self._session.id, native if count == 1 else f"{native}#{count}", type)
        digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass"))
        event = {
            "id": digest.hexdigest()[:32],
            "seq": self._seq,
            "timestamp": stamp(self._clock),
            "harness": self._description.harness,
            "type": type,
            "session_id": self._session.id,
            "cwd": self._session.project,
            **more,
        }
        self._seq += 1
        event["metadata"] = _without_empty(event.get("metadata", {}))
        return {name: value for name, value in event.items() if value is not None and (name, value) != ("metadata", {})}


_NAMES = ("harness", "answered", "trace")


def _is_spoken(part: Part) -> bool:
    if isinstance(part, ToolResult):
        return _is_reference(part)
    return not isinstance(part, Thinking | ToolCall)


def _is_reference(part: ToolResult) -> bool:
    """Does a result only refer to the answer of its call?"""
    return part.output is None and not part.attachments and not part.extra


def _facts(message: Message) -> Event:
    """What is known of a message beside its words."""
    event: Event = {
        "message_id": message.id,
        "role": message.role,
        "author": message.author,
        "fate": message.fate if message.fate is not Fate.LIVE else None,
        "inherited": message.inherited or None,
        "origin": _without_empty(msgspec.structs.asdict(message.origin)) if message.origin is not None else None,
        "model": message.model if message.role is Role.SYSTEM else None,
    }
    return _without_empty({**event, **_extra(message.extra)})


def _extra(extra: Mapping[str, Any]) -> Event:
    return {"extra": extra} if extra else {}


def _without_empty(members: Mapping[str, Any]) -> Event:
    return {name: value for name, value in members.items() if value is not None and value not in ((), [], {})}


def _object(arguments: Any) -> Any:
    """The arguments of a call, always as an object; nothing where there are none."""
    if arguments is None or arguments == {}:
        return None
    return arguments if isinstance(arguments, Mapping) else {"input": arguments}
