"""Conversations saved in the form of the API: `/chat save`, `/chat share`, `/restore`."""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pollux.model import Author, Kind, Message, Origin, Part, Role, Session, ToolResult, Unknown
from pollux.sources.gemini_sessions.format import records, schema
from pollux.sources.gemini_sessions.format.content import (
    client_parts,
    is_client_text,
    leftover_pieces,
    model_parts,
    pieces,
    plain_text,
    stand_in_parts,
)
from pollux.sources.gemini_sessions.messages.calls import settle_refused, unrecorded_call
from pollux.sources.gemini_sessions.messages.references import fused_parts, prompt_parts
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path

if TYPE_CHECKING:
    from pollux.sources.base import File
    from pollux.sources.gemini_sessions.bundle import GeminiBundle


_MINUTE = re.compile(r"session-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-")


def session(history: records.History, bundle: GeminiBundle, file: File, notes: Notes) -> Session:
    """A saved conversation as a session of kind `checkpoint`: without figures, and without times except in its name."""
    saved = history.checkpoint
    messages = _messages(saved.history or saved.clientHistory or [], display_path(file.path), notes)
    project, evidence = bundle.project()
    extra: dict[str, Any] = dict(saved.extra)
    for name in ("authType", "toolCall", "commitHash", "filePath", "messageId"):
        if (value := getattr(saved, name)) is not None:
            extra[name] = value
    return Session(
        agent=bundle.agent,
        id=bundle.id,
        kind=Kind.CHECKPOINT,
        title=bundle.tag,
        project=project,
        project_evidence=evidence,
        project_hash=bundle.hash,
        started=_time_in_name(file.path),
        messages=tuple(messages),
        notices=notes.all(),
        files=tuple(display_path(member.path) for member in bundle.files),
        extra=extra,
    )


def _time_in_name(path: str) -> datetime | None:
    """The minute, in UTC, in the name of a file that is called like a session file."""
    match = _MINUTE.match(os.path.basename(path))  # noqa: PTH119
    return recorded(f"{match[1]}T{match[2]}:{match[3]}Z") if match is not None else None


def _messages(turns: list[schema.Content], file: str, notes: Notes) -> list[Message]:
    answers = _answers(turns)
    messages: list[Message] = []
    for number, turn in enumerate(turns):
        message = schema.Message(content=turn.parts or [], type="gemini" if turn.role == "model" else "user")
        text = plain_text(message)
        if turn.role == "model":
            role = Role.ASSISTANT
            words = stand_in_parts(message)
            author = Author.MODEL if words is None else Author.CLIENT
            parts = words or [_call(part, answers) for part in model_parts(message, set())]
        else:
            role = Role.USER
            if turn.role != "user":
                notes.add(
                    "role.unknown",
                    f"A turn has the unknown role {turn.role!r}.",
                    subject=f"role {turn.role!r}",
                )
            author, parts = _user_turn(message, text, answers)
        messages.append(
            Message(
                id=f"turn-{number}",
                role=role,
                author=author,
                parts=tuple(parts),
                origin=Origin(file=file, item=number),
                extra={
                    **turn.extra,
                    **({} if turn.role in ("user", "model", None) else {"role": turn.role}),
                    **_leftovers(message),
                },
            )
        )
    return settle_refused(messages)


def _leftovers(message: schema.Message) -> dict[str, Any]:
    leftovers = leftover_pieces(message, dict)
    return {"pieces": leftovers} if leftovers else {}


def _user_turn(message: schema.Message, text: str, answers: Answers) -> tuple[Author, list[Part]]:
    """The author and the parts of a user's turn."""
    if any(not isinstance(p, str) and p.functionResponse is not None for p in pieces(message.content)):
        return Author.CLIENT, [_reference(part, answers) for part in client_parts(message)]
    if is_client_text(text):
        prompt = fused_parts(message)
        return (Author.CLIENT, client_parts(message)) if prompt is None else (Author.HUMAN, prompt)
    return Author.HUMAN, prompt_parts(message)


class Answers:
    """Tools' answers for their calls: by id, or by name and order, because old releases gave calls no id."""

    def __init__(self) -> None:
        self.by_id: dict[str, schema.FunctionResponse] = {}
        self.by_name: dict[str | None, list[schema.FunctionResponse]] = {}
        self.used: set[int] = set()
        self._positions: dict[str | None, int] = {}

    def take(self, call: schema.FunctionCall) -> schema.FunctionResponse | None:
        """The answer to a call. No other call gets it."""
        response = self.by_id.get(call.id) if call.id is not None else None
        if response is None and call.id is None:
            response = next((r for r in self.by_name.get(call.name, ()) if id(r) not in self.used), None)
        if response is not None:
            self.used.add(id(response))
        return response

    def has_call(self, result: ToolResult) -> bool:
        """Does a call have this answer? Answers without an id come in their order."""
        named = self.by_name.get(result.name, [])
        if result.call is not None:
            return any(id(r) in self.used for r in (self.by_id.get(result.call), *named) if r and r.id == result.call)
        nameless = [r for r in named if r.id is None]
        place = self._positions[result.name] = self._positions.get(result.name, -1) + 1
        return place < len(nameless) and id(nameless[place]) in self.used


def _answers(turns: list[schema.Content]) -> Answers:
    answers = Answers()
    for turn in turns:
        for item in turn.parts or ():
            if not isinstance(item, str) and item.functionResponse is not None:
                response = item.functionResponse
                if response.id is not None:
                    answers.by_id.setdefault(response.id, response)
                answers.by_name.setdefault(response.name, []).append(response)
    return answers


def _call(part: Part, answers: Answers) -> Part:
    if (
        type(part) is not Unknown
        or not isinstance(part.raw, dict)
        or not isinstance(part.raw.get("functionCall"), dict)
    ):
        return part
    raw = part.raw["functionCall"]
    name, call_id = raw.get("name"), raw.get("id")
    if not isinstance(name, str | None) or not isinstance(call_id, str | None):
        return part
    rest = {key: value for key, value in part.raw.items() if key != "functionCall"}
    call = schema.FunctionCall(
        id=call_id,
        name=name,
        args=raw.get("args"),
        extra={k: v for k, v in raw.items() if k not in ("id", "name", "args")},
    )
    return unrecorded_call(call, answers.take(call), rest)


def _reference(part: Part, answers: Answers) -> Part:
    """An answer that a call has is only a reference."""
    if type(part) is not ToolResult:
        return part
    return ToolResult(call=part.call, name=part.name, extra=part.extra) if answers.has_call(part) else part
