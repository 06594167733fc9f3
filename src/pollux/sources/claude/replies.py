"""What the model said: one message for each API reply, however many lines hold its blocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Author, Message, Origin, Part, Role, Text, Thinking, ToolCall, Unknown, Usage
from pollux.sources.claude.leftovers import Leftovers
from pollux.sources.claude.schema import Block, Line, Reply
from pollux.wire import Notes, tidy

Pair = tuple[int, Line]
Call = Callable[[Block, datetime | None], ToolCall]
"""Joins a call with its result."""

SYNTHETIC = "<synthetic>"
# Looked up once: an enumeration's members are slow to name.
_ASSISTANT, _SYSTEM, _MODEL, _CLIENT = Role.ASSISTANT, Role.SYSTEM, Author.MODEL, Author.CLIENT
_fields = msgspec.structs.astuple
_BLOCK = len(Block.__struct_fields__)
# The largest figure that is believed: no reply has more tokens, and a database can hold it.
_MOST = 2**53


def reply(group: list[Pair], file: str, name: str, left: Leftovers, call: Call, notes: Notes) -> Message:
    """One message of the lines that share an API message."""
    number, first = group[0]
    said = first.message or Reply()
    extra = left.of(first)
    if first.uuid is not None and first.uuid != name:
        extra["uuid"] = first.uuid
    if first.requestId is not None:
        extra["requestId"] = first.requestId
    parts: list[Part] = []
    _take(first, first.timestamp, parts, extra, call, notes)
    usage, ended = said.usage, said.stop_reason
    _rest(said, extra)
    if len(group) > 1:
        lines: list[dict[str, Any]] = []
        for _, line in group[1:]:
            more = left.of(line)
            inner = line.message or Reply()
            if line.requestId != first.requestId and line.requestId is not None:
                more["requestId"] = line.requestId
            if line.uuid is not None:
                more["uuid"] = line.uuid
            if not _take(line, line.timestamp, parts, more, call, notes) and line.timestamp is not None:
                more["timestamp"] = line.timestamp.isoformat()
            if inner.usage is not None and inner.usage != usage:
                if usage is None or _figure(inner.usage.get("output_tokens")) >= _figure(usage.get("output_tokens")):
                    inner.usage, usage = usage, inner.usage
                if inner.usage is not None:
                    more["usage"] = inner.usage
            if inner.model != said.model and inner.model is not None:
                more["model"] = inner.model
            ended = ended or inner.stop_reason
            _rest(inner, more)
            lines.append(more)
        extra["lines"] = lines
    role, author, model = _ASSISTANT, _MODEL, said.model
    figures = None
    if model == SYNTHETIC or first.isApiErrorMessage:
        author, model = _CLIENT, None
        if first.isApiErrorMessage:
            role = _SYSTEM
            extra.setdefault("level", "error")
        if usage is not None:
            extra["usage"] = usage
        if said.model is not None:
            extra["model"] = said.model
    elif usage is not None:
        figures = usage_of(usage, exact=ended is not None and not first.isAbortedMidStream)
    return Message(
        id=name,
        role=role,
        author=author,
        at=first.timestamp,
        parts=tuple(parts),
        model=model,
        usage=figures,
        origin=Origin(file=file, line=number),
        extra=extra,
    )


def _take(line: Line, at: datetime | None, parts: list[Part], extra: dict[str, Any], call: Call, notes: Notes) -> bool:
    """Append a line's blocks as parts. Is the line's time kept with one of them?"""
    content = line.message.content if line.message is not None else None
    if type(content) is not list:
        if content is not None:
            parts.append(Text(text=content))  # type: ignore[arg-type]
        if line.toolUseResult is not None:
            extra["toolUseResult"] = line.toolUseResult
        return False
    timed = False
    for block in content:
        kind = block.type
        if kind == "text" and block.text is not None:
            # Set are extra, type and text.
            plain = _fields(block).count(None) == _BLOCK - 3 and not block.extra
            parts.append(Text(text=block.text) if plain else Text(text=block.text, extra=_but(block, "type", "text")))
        elif kind == "tool_use" or kind == "server_tool_use":
            parts.append(call(block, at))
            timed = True
        elif kind == "thinking":
            parts.append(Thinking(text=block.thinking or "", at=at, extra=_but(block, "type", "thinking")))
            timed = True
        elif kind == "redacted_thinking":
            parts.append(Thinking(text="", at=at, extra=_but(block, "type") | {"redacted": True}))
            timed = True
        elif block.odd is not None:
            parts.append(Unknown(raw=block.odd))
        else:
            parts.append(Unknown(raw=tidy(block)))
            if kind is None or not kind.endswith("_tool_result"):
                notes.add(
                    "part.unknown", f"A reply has a part of type {kind!r}, which we do not know; kept.",
                    subject=f"part type {kind!r}",
                )  # fmt: skip
    if line.toolUseResult is not None:
        extra["toolUseResult"] = line.toolUseResult
    return timed


def _but(block: Block, *taken: str) -> dict[str, Any]:
    """A block's other fields."""
    if taken[-1] == "thinking" and block.signature is not None and not block.extra:
        if _fields(block).count(None) == _BLOCK - 4:
            return {"signature": block.signature}
    rest: dict[str, Any] = tidy(block)
    for name in taken:
        rest.pop(name, None)
    return {**rest, **block.extra}


def _rest(said: Reply, extra: dict[str, Any]) -> None:
    """What an API message says beside its content, where it is not what every message says."""
    if said.stop_reason is not None:
        extra["stop_reason"] = said.stop_reason
    if said.stop_sequence is not None:
        extra["stop_sequence"] = said.stop_sequence
    if said.type not in (None, "message"):
        extra["message_type"] = said.type
    if said.role not in (None, "assistant"):
        extra["role"] = said.role
    if said.stop_details is not None or said.container is not None or said.context_management is not None:
        for name in ("stop_details", "container", "context_management"):
            if (value := getattr(said, name)) is not None:
                extra[name] = value
    if said.diagnostics is not None:
        extra["diagnostics"] = said.diagnostics
    if said.extra:
        extra["message"] = said.extra


def usage_of(native: dict[str, Any], *, exact: bool) -> Usage:
    """The API's figures in the shared meaning: the vendor's input leaves out what a cache held."""
    get = native.get
    fresh, written, cached = get("input_tokens"), get("cache_creation_input_tokens"), get("cache_read_input_tokens")
    output, details = get("output_tokens"), get("output_tokens_details")
    reasoning = details.get("thinking_tokens") if type(details) is dict else None
    fresh, written, cached = _believed(fresh), _believed(written), _believed(cached)
    known = fresh is not None or written is not None or cached is not None
    return Usage(
        input=(fresh or 0) + (written or 0) + (cached or 0) if known else None,
        cached=cached,
        cache_write=written,
        output=_believed(output),
        reasoning=_believed(reasoning) if reasoning is not None else None,
        requests=1,
        exact=exact,
        native=native,
    )


def _believed(figure: Any) -> int | None:
    return figure if type(figure) is int and 0 <= figure <= _MOST else None


def _figure(figure: Any) -> int:
    return _believed(figure) or 0
