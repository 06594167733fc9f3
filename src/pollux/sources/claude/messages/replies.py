"""What the model said: one message for each API reply, however many lines hold its blocks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Author, Message, Origin, Part, Role, Text, Thinking, Unknown, Usage
from pollux.sources.claude.format.figures import more_output, usage_of
from pollux.sources.claude.format.leftovers import Leftovers, is_plain, others
from pollux.sources.claude.format.schema import Block, Line, Replied, Reply
from pollux.sources.claude.messages.calls import Calls
from pollux.wire import Notes, tidy

Pair = tuple[int, Line]

SYNTHETIC = "<synthetic>"
# Looked up once: an enumeration's members are slow to name.
_ASSISTANT, _SYSTEM, _MODEL, _CLIENT = Role.ASSISTANT, Role.SYSTEM, Author.MODEL, Author.CLIENT
_SAYS_NOTHING, _SILENT = Replied(), Reply()


class Desk(msgspec.Struct):
    """What is at hand while the lines of a file become messages."""

    file: str
    left: Leftovers
    notes: Notes
    calls: Calls


def reply(group: list[Pair], desk: Desk) -> Message:
    """One message of the lines that share an API message."""
    number, first = group[0]
    said = first.message or _SILENT
    name = said.id or first.uuid or f"line-{number}"
    extra = desk.left.of(first)
    if first.uuid is not None and first.uuid != name:
        extra["uuid"] = first.uuid
    if first.requestId is not None:
        extra["requestId"] = first.requestId
    if first.toolUseResult is not None:
        extra["toolUseResult"] = first.toolUseResult
    parts: list[Part] = []
    _take(said.content, first.timestamp, parts, desk)
    _rest(said, extra)
    usage, ended, line = said.usage, said.stop_reason, None
    if len(group) > 1:
        usage, ended, line = _further(group, parts, extra, desk)
    told = first if type(first) is Replied else _SAYS_NOTHING
    role, author, model, figures = _ASSISTANT, _MODEL, said.model, None
    if model == SYNTHETIC or told.isApiErrorMessage:
        author = _CLIENT
        role = _own_words(said, usage, extra, failed=bool(told.isApiErrorMessage))
        model = None
    elif usage is None:
        figures = Usage(requests=1)
    else:
        figures = usage_of(usage, desk.notes, exact=ended is not None and not told.isAbortedMidStream, line=line)
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
    group: list[Pair], parts: list[Part], extra: dict[str, Any], desk: Desk
) -> tuple[dict[str, Any] | None, str | None, int | None]:
    """Take the other lines of a reply in: gives the figures that count, how the reply ended, and their line.

    Those are the figures of the line with the most output: what a stream begins with is a placeholder. The line is
    told where it is not the first.
    """
    first = group[0][1]
    begun = first.message or _SILENT
    usage, ended, counted = begun.usage, begun.stop_reason, None
    lines: list[dict[str, Any]] = []
    for number, line in group[1:]:
        said = line.message or _SILENT
        more = desk.left.of(line)
        more["line"] = number
        if line.requestId != first.requestId and line.requestId is not None:
            more["requestId"] = line.requestId
        if line.uuid is not None:
            more["uuid"] = line.uuid
        if line.toolUseResult is not None:
            more["toolUseResult"] = line.toolUseResult
        if not _take(said.content, line.timestamp, parts, desk) and line.timestamp is not None:
            more["timestamp"] = line.timestamp
        if said.usage != usage and said.usage is not None:
            before, usage = usage, _richer(said.usage, usage, more)
            better = usage is said.usage
            if before is not None:
                more["usage_line"] = (counted or group[0][0]) if better else number
            counted = number if better else counted
        if said.model != begun.model and said.model is not None:
            more["model"] = said.model
        _rest(said, more)
        lines.append(more)
        ended = ended or said.stop_reason
    extra["lines"] = lines
    return usage, ended, counted


def _richer(one: dict[str, Any], other: dict[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """The figures with the most output; the poorer ones are kept with their line."""
    if other is None:
        return one
    better, poorer = (one, other) if more_output(one, other) else (other, one)
    more["usage"] = poorer
    return better


def _own_words(said: Reply, usage: dict[str, Any] | None, extra: dict[str, Any], *, failed: bool) -> Role:
    """The client speaks in the model's place: what it says of model and figures is made up, and kept aside."""
    if usage is not None:
        extra["usage"] = usage
    if said.model is not None:
        extra["model"] = said.model
    if failed:
        extra.setdefault("level", "error")
    return _SYSTEM if failed else _ASSISTANT


def _take(content: str | list[Block] | None, at: datetime | None, parts: list[Part], desk: Desk) -> bool:
    """Append a line's blocks as parts. Is the line's time kept with one of them?"""
    if not isinstance(content, list):
        if content is not None:
            parts.append(Text(text=content))
        return False
    timed = False
    for block in content:
        kind = block.type
        if kind == "text" and block.text is not None:
            parts.append(Text(text=block.text, extra=NOTHING if is_plain(block, 3) else others(block, "type", "text")))
        elif kind == "tool_use":
            parts.append(desk.calls.joined(block, at))
            timed = True
        elif kind == "thinking":
            words, signature = block.thinking, block.signature
            signed = words is not None and signature is not None and is_plain(block, 4)
            rest = {"signature": signature} if signed else others(block, "type", "thinking")
            parts.append(Thinking(text=words or "", at=at, extra=rest))
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
        return desk.calls.joined(block, at)
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
    # Asked one by one: this is quicker than any loop, and every line of every reply comes by.
    if (
        said.type == "message"
        and said.role == "assistant"
        and said.stop_sequence is None
        and said.stop_details is None
        and said.container is None
        and said.context_management is None
        and said.diagnostics is None
    ):
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
