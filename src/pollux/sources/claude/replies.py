"""What the model said: one message for each API reply, however many lines hold its blocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Author, Message, Origin, Part, Role, Text, Thinking, ToolCall, Unknown
from pollux.sources.claude.figures import more_output, usage_of
from pollux.sources.claude.leftovers import Leftovers, is_plain, others
from pollux.sources.claude.schema import Block, Line, Replied, Reply
from pollux.wire import Notes, tidy

Pair = tuple[int, Line]
Call = Callable[[Block, datetime | None], ToolCall]
"""Joins a call with its result."""

SYNTHETIC = "<synthetic>"
# Looked up once: an enumeration's members are slow to name.
_ASSISTANT, _SYSTEM, _MODEL, _CLIENT = Role.ASSISTANT, Role.SYSTEM, Author.MODEL, Author.CLIENT
_SAYS_NOTHING = Replied()


class Desk(msgspec.Struct):
    """What is at hand while the lines of a file become messages."""

    file: str
    left: Leftovers
    notes: Notes
    call: Call


def reply(group: list[Pair], name: str, desk: Desk) -> Message:
    """One message of the lines that share an API message."""
    number, first = group[0]
    said = first.message or Reply()
    extra = desk.left.of(first)
    if first.uuid is not None and first.uuid != name:
        extra["uuid"] = first.uuid
    if first.requestId is not None:
        extra["requestId"] = first.requestId
    parts: list[Part] = []
    _take(first, parts, extra, desk)
    _rest(said, extra)
    usage, ended = said.usage, said.stop_reason
    if len(group) > 1:
        lines: list[dict[str, Any]] = []
        for _, line in group[1:]:
            more, usage = _further(line, first, usage, parts, desk)
            lines.append(more)
            ended = ended or (line.message.stop_reason if line.message is not None else None)
        extra["lines"] = lines
    told = first if type(first) is Replied else _SAYS_NOTHING
    role, author, model, figures = _ASSISTANT, _MODEL, said.model, None
    if model == SYNTHETIC or told.isApiErrorMessage:
        author = _CLIENT
        role = _own_words(said, usage, extra, failed=bool(told.isApiErrorMessage))
        model = None
    elif usage is not None:
        figures = usage_of(usage, exact=ended is not None and not told.isAbortedMidStream)
    return Message(
        id=name,
        role=role,
        author=author,
        at=first.timestamp,
        parts=tuple(parts),
        model=model,
        usage=figures,
        origin=Origin(file=desk.file, line=number),
        extra=extra,
    )


def _further(
    line: Line, first: Line, usage: dict[str, Any] | None, parts: list[Part], desk: Desk
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Take another line of a reply in: gives what is left of it, and the figures that count.

    Those are the figures of the line with the most output: what a stream begins with is a placeholder.
    """
    more = desk.left.of(line)
    said = line.message or Reply()
    if line.requestId is not None and line.requestId != first.requestId:
        more["requestId"] = line.requestId
    if line.uuid is not None:
        more["uuid"] = line.uuid
    if not _take(line, parts, more, desk) and line.timestamp is not None:
        more["timestamp"] = line.timestamp
    counted = usage
    if said.usage is not None and said.usage != usage:
        counted, poorer = (said.usage, usage) if more_output(said.usage, usage) else (usage, said.usage)
        if poorer is not None:
            more["usage"] = poorer
    if said.model is not None and first.message is not None and said.model != first.message.model:
        more["model"] = said.model
    _rest(said, more)
    return more, counted


def _own_words(said: Reply, usage: dict[str, Any] | None, extra: dict[str, Any], *, failed: bool) -> Role:
    """The client speaks in the model's place: what it says of model and figures is made up, and kept aside."""
    if usage is not None:
        extra["usage"] = usage
    if said.model is not None:
        extra["model"] = said.model
    if failed:
        extra.setdefault("level", "error")
    return _SYSTEM if failed else _ASSISTANT


def _take(line: Line, parts: list[Part], extra: dict[str, Any], desk: Desk) -> bool:
    """Append a line's blocks as parts. Is the line's time kept with one of them?"""
    content = line.message.content if line.message is not None else None
    if line.toolUseResult is not None:
        extra["toolUseResult"] = line.toolUseResult
    if not isinstance(content, list):
        if content is not None:
            parts.append(Text(text=content))
        return False
    at, timed = line.timestamp, False
    for block in content:
        kind = block.type
        if kind == "text" and block.text is not None:
            parts.append(Text(text=block.text, extra={} if is_plain(block, 3) else others(block, "type", "text")))
        elif kind == "tool_use":
            parts.append(desk.call(block, at))
            timed = True
        elif kind == "thinking":
            signed = {"signature": block.signature} if is_plain(block, 4) and block.signature is not None else None
            parts.append(Thinking(text=block.thinking or "", at=at, extra=signed or others(block, "type", "thinking")))
            timed = True
        else:
            part = _seldom(block, at, desk)
            parts.append(part)
            timed = timed or type(part) is not Unknown
    return timed


def _seldom(block: Block, at: datetime | None, desk: Desk) -> Part:
    """A block that few replies have: thinking that was hidden, a tool that the server ran, something new."""
    if block.type == "redacted_thinking":
        return Thinking(text="", at=at, extra={**others(block, "type"), "redacted": True})
    if block.type == "server_tool_use":
        return desk.call(block, at)
    if block.odd is not None:
        return Unknown(raw=block.odd)
    if block.type is None or not block.type.endswith("_tool_result"):
        desk.notes.add(
            "part.unknown",
            f"A reply has a part of type {block.type!r}, which we do not know; kept.",
            subject=f"part type {block.type!r}",
        )
    return Unknown(raw=tidy(block))


def _rest(said: Reply, extra: dict[str, Any]) -> None:
    """What an API message says beside its content, where it is not what every message says."""
    if said.stop_reason is not None:
        extra["stop_reason"] = said.stop_reason
    plain = said.type == "message" and said.role == "assistant" and said.stop_sequence is None
    if plain and said.stop_details is said.container is said.context_management is said.diagnostics is None:
        if said.extra:
            extra["message"] = said.extra
        return
    rest = tidy(said)
    for name in ("model", "id", "content", "usage", "stop_reason"):
        rest.pop(name, None)
    for name, usual in (("type", "message"), ("role", "assistant")):
        if rest.get(name) == usual:
            del rest[name]
    rest |= said.extra
    if rest:
        extra["message"] = rest
