"""Figures of a reply from a copy of it: a fork may hold the end of a reply that its parent lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.claude.format.envelope import is_unique
from pollux.sources.claude.format.figures import more_output, usage_of
from pollux.sources.claude.group import ClaudeBundle
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, Notes, display_path, opened


class _ApiMessage(msgspec.Struct):
    id: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None


class _Copy(msgspec.Struct):
    """The fields of a reply's line that are needed for its figures."""

    uuid: str | None = None
    requestId: str | None = None
    isAbortedMidStream: bool | None = None
    message: _ApiMessage | None = None


_decode_copy = json_decoder(_Copy).decode


class _Figures(NamedTuple):
    """The figures of a reply in a copy, and where they stand."""

    usage: dict[str, Any]
    file: str
    line: int


def with_copied_figures(messages: list[Message], bundle: ClaudeBundle, notes: Notes) -> list[Message]:
    """The messages. A reply without an end gets the figures of a copy with an end, of several the largest."""
    unfinished = {
        message.id: message
        for message in messages
        if message.usage is not None and message.usage.exact is False and not message.inherited
    }
    best: dict[str, _Figures] = {}
    for path in [file.path for peer in bundle.peers for file in peer.transcripts()] if unfinished else ():
        try:
            with opened(path) as file:
                for number, line in enumerate(file, start=1):
                    _compare(line, (display_path(path), number), unfinished, best)
        except Unreadable:
            continue
    places = {id(unfinished[name]): figures for name, figures in best.items()}
    return [_with_figures(m, places[id(m)], notes) if id(m) in places else m for m in messages]


def _compare(line: bytes, place: tuple[str, int], messages: Mapping[str, Message], best: dict[str, _Figures]) -> None:
    """Note the figures of a line, if it is the best copy of a message's end so far."""
    if b'"stop_reason":"' not in line and b'"stop_reason": "' not in line:
        return
    try:
        copy = _decode_copy(line)
    except REFUSED:
        return
    reply = copy.message
    message = messages.get(reply.id) if reply is not None and reply.id is not None else None
    if reply is None or message is None or message.usage is None:
        return
    if reply.stop_reason is None or not reply.usage or copy.isAbortedMidStream:
        return
    request = message.extra.get("requestId")
    is_same = is_unique(message.id) or copy.uuid == message.extra.get("uuid")
    if not is_same or (None not in (request, copy.requestId) and request != copy.requestId):
        return
    known = best[message.id].usage if message.id in best else dict(message.usage.native)
    if more_output(reply.usage, known):
        best[message.id] = _Figures(reply.usage, *place)


def _with_figures(message: Message, figures: _Figures, notes: Notes) -> Message:
    """A message with the figures of a copy. Its own figures stay in `extra`."""
    usage = message.usage
    assert usage is not None  # noqa: S101 (only such messages are compared)
    better = usage_of(figures.usage, notes, exact=True, line=figures.line)
    line_before = usage.line or (message.origin.line if message.origin is not None else None)
    lines = [*message.extra.get("lines", ()), {"usage": dict(usage.native), "usage_line": line_before}]
    return msgspec.structs.replace(
        message, usage=msgspec.structs.replace(better, file=figures.file), extra={**message.extra, "lines": lines}
    )
