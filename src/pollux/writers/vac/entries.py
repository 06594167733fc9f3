"""Messages as entries: words are content; thoughts, calls and results are children."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Author, Fate, Message, Part, Role, Status, Text, Thinking, ToolCall, ToolResult, Unknown, Usage
from pollux.writers.json import part_document, stamp, usage_document
from pollux.writers.vac.plain import joined, known

STATUSES = {
    Status.OK: "success",
    Status.ERROR: "error",
    Status.CANCELLED: "cancelled",
    Status.UNFINISHED: "unfinished",
}
FIGURES = ("input", "output", "cached", "reasoning", "total")

Entry = dict[str, Any]


class Entries(msgspec.Struct):
    """Makes entries of one session's messages.

    `answer` gives a tool's answer as the agent wrote it, `nested` a sub-agent's session as an entry.
    """

    answer: Callable[[ToolCall], Any]
    nested: Callable[[str], Entry | None]

    def message(self, message: Message) -> Entry:
        """One message: of the user, of the model, or an event of the client."""
        order = [_rank(part) for part in message.parts]
        numbered = order != sorted(order)
        content: list[Any] = []
        children: list[Entry] = []
        for number, part in enumerate(message.parts):
            place = {"part": number} if numbered else {}
            if isinstance(part, Thinking):
                children.append(_thought(part, place))
            elif isinstance(part, ToolCall):
                children += self._call(part, message.at, place)
            elif isinstance(part, ToolResult) and part.output is not None:
                children.append(_result(part, place))
            else:
                content.append(_block(part, place))
        words = _words(content)
        canonical: Entry = {"id": message.id, "timestamp": stamp(message.at), "children": children or None}
        if message.role is Role.SYSTEM:
            kind = _event(message)
            canonical |= {"type": "system-event", "event-type": kind, "data": {"content": words} if content else None}
        else:
            canonical |= {"type": str(message.role), "content": words, "model-id": message.model}
            canonical["token-usage"] = self._tokens(message)
        return joined(known(canonical), self._own(message), message.extra)

    @staticmethod
    def _own(message: Message) -> Entry:
        system = message.role is Role.SYSTEM
        return known(
            {
                "author": message.author,
                "fate": message.fate if message.fate is not Fate.LIVE else None,
                "inherited": True if message.inherited else None,
                "origin": known(msgspec.structs.asdict(message.origin)) if message.origin is not None else None,
                "usage": _usage(message.usage) if message.usage is not None else None,
                "model": message.model if system else None,
                "native_usage": dict(message.usage.native) or None if system and message.usage is not None else None,
            }
        )

    @staticmethod
    def _tokens(message: Message) -> Entry | None:
        """The vendor's figures, under canonical names where it has these; else ours."""
        usage = message.usage
        if usage is None:
            return None
        figures: Entry = {}
        native = known(usage.native)
        for name in FIGURES:
            theirs = native.pop(name) if _count(native.get(name)) else None
            figure = theirs if theirs is not None else getattr(usage, name)
            if _count(figure):
                figures[name] = figure
        displaced = {name: native.pop(name) for name in (*FIGURES, "cost", "native") if name in native}
        return {**native, **figures, **({"native": displaced} if displaced else {})}

    def _call(self, call: ToolCall, parent: datetime | None, place: Entry) -> Iterator[Entry]:
        """The call, and its result where there is one. A call without a result tells its status itself."""
        answer = self.answer(call)
        answered = answer is not None or call.output is not None or bool(call.attachments)
        native = dict(call.extra)
        word = native.pop("status", None)
        status = word if isinstance(word, str) else STATUSES[call.status]
        if word is not None and not isinstance(word, str):
            native["status"] = word
        native = {name: value for name, value in native.items() if not (answer is not None and value is answer)}
        at = stamp(call.at or parent)
        nested = self.nested(call.child) if call.child is not None else None
        canonical = {
            "type": "tool-call",
            "name": call.name,
            "input": call.input,
            **known({"call-id": call.id, "timestamp": at, "status": None if answered else status}),
            **({"children": [nested]} if nested is not None else {}),
        }
        own = {
            "canonical": call.canonical,
            "tool_kind": call.tool_kind,
            **known({"seconds": call.seconds, "child": call.child}),
            **place,
        }
        yield joined(canonical, own, native)
        if answered:
            yield self._outcome(call, answer, status, at, place)

    @staticmethod
    def _outcome(call: ToolCall, answer: Any, status: str, at: str | None, place: Entry) -> Entry:
        canonical = {
            "type": "tool-result",
            "output": answer if answer is not None else call.output,
            "status": status,
            **known({"call-id": call.id, "timestamp": at}),
            **({"is-error": call.status is Status.ERROR} if call.status is not Status.UNFINISHED else {}),
        }
        # What was too large for the agent's own record stands beside what it recorded instead.
        more = call.output if answer is not None and call.output not in set(_texts(answer)) else None
        files = [part_document(file) for file in call.attachments]
        own = known({"exit_code": call.exit_code, "output": more, "attachments": files or None})
        return joined(canonical, {**own, **place}, {})


def _rank(part: Part) -> int:
    """Where a part stands in an entry: thoughts, then words, then calls."""
    return 0 if isinstance(part, Thinking) else 2 if isinstance(part, ToolCall) else 1


def _thought(part: Thinking, place: Entry) -> Entry:
    native = dict(part.extra)
    hidden = native.pop("encrypted_content") if isinstance(native.get("encrypted_content"), str) else None
    canonical = {"encrypted": hidden, "subject": part.subject, "timestamp": stamp(part.at)}
    return joined({"type": "reasoning", "content": part.text, **known(canonical)}, place, native)


def _result(part: ToolResult, place: Entry) -> Entry:
    canonical = {"type": "tool-result", "output": part.output, **known({"call-id": part.call})}
    files = [part_document(file) for file in part.attachments]
    return joined(canonical, {**known({"name": part.name, "attachments": files or None}), **place}, part.extra)


def _block(part: Part, place: Entry) -> Any:
    """A piece of the content: a plain text, or an object that says what it is."""
    if type(part) is Text and not part.extra and not place:
        return part.text
    document = part_document(part)
    fields = document if isinstance(part, Unknown) else known(document)
    return {**fields, **({"pollux": place} if place else {})}


def _words(content: list[Any]) -> Any:
    """One text as itself; several pieces as a list of objects."""
    if len(content) < 2 and all(isinstance(each, str) for each in content):
        return content[0] if content else ""
    return [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]


def _event(message: Message) -> str:
    level = message.extra.get("level")
    if isinstance(level, str):
        return level
    return "command" if message.author is Author.HUMAN else "message"


def _usage(usage: Usage) -> Entry:
    """The usage as it is counted for every agent; the vendor's own figures stand under `token-usage`."""
    return known(usage_document(msgspec.structs.replace(usage, native={})) or {})


def _count(figure: Any) -> bool:
    return isinstance(figure, int) and not isinstance(figure, bool) and figure >= 0


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
