"""Figures of a reply that only a copy of it has: a fork may hold the end of a reply that its parent lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.claude.format.figures import more_output, usage_of
from pollux.sources.claude.format.peek import is_unique
from pollux.sources.claude.group import ClaudeBundle
from pollux.wire import REFUSED, Notes, display_path, opened


class _Said(msgspec.Struct):
    id: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None


class _Copy(msgspec.Struct):
    """The little of a reply's line that tells what it cost."""

    uuid: str | None = None
    requestId: str | None = None
    isAbortedMidStream: bool | None = None
    message: _Said | None = None


_copy = msgspec.json.Decoder(_Copy).decode


class _Figures(NamedTuple):
    """What a copy says a reply cost, and where."""

    usage: dict[str, Any]
    file: str
    line: int


def completed(messages: list[Message], bundle: ClaudeBundle, notes: Notes) -> list[Message]:
    """The messages; a reply without an end has the figures of a copy that has one, of several the largest."""
    unended = {
        message.id: message
        for message in messages
        if message.usage is not None and message.usage.exact is False and not message.inherited
    }
    best: dict[str, _Figures] = {}
    for path in [file.path for peer in bundle.peers for file in peer.transcripts()] if unended else ():
        try:
            with opened(path) as file:
                for number, line in enumerate(file, start=1):
                    _compare(line, (display_path(path), number), unended, best)
        except Unreadable:
            continue
    places = {id(unended[name]): figures for name, figures in best.items()}
    return [_ended(one, places[id(one)], notes) if id(one) in places else one for one in messages]


def _compare(line: bytes, place: tuple[str, int], messages: Mapping[str, Message], best: dict[str, _Figures]) -> None:
    """Note the figures of a line, where that is the best copy so far of a message's end."""
    if b'"stop_reason":"' not in line and b'"stop_reason": "' not in line:
        return
    try:
        copy = _copy(line)
    except REFUSED:
        return
    said = copy.message
    message = messages.get(said.id) if said is not None and said.id is not None else None
    if said is None or message is None or message.usage is None:
        return
    if said.stop_reason is None or not said.usage or copy.isAbortedMidStream:
        return
    request = message.extra.get("requestId")
    same = is_unique(message.id) or copy.uuid == message.extra.get("uuid")
    if not same or (None not in (request, copy.requestId) and request != copy.requestId):
        return
    known = best[message.id].usage if message.id in best else dict(message.usage.native)
    if more_output(said.usage, known):
        best[message.id] = _Figures(said.usage, *place)


def _ended(message: Message, figures: _Figures, notes: Notes) -> Message:
    """A message with the figures of a copy. Its own stay with it."""
    usage = message.usage
    assert usage is not None  # noqa: S101 (such a message was looked for)
    better = usage_of(figures.usage, notes, exact=True, line=figures.line)
    line_before = usage.line or (message.origin.line if message.origin is not None else None)
    lines = [*message.extra.get("lines", ()), {"usage": dict(usage.native), "usage_line": line_before}]
    return msgspec.structs.replace(
        message, usage=msgspec.structs.replace(better, file=figures.file), extra={**message.extra, "lines": lines}
    )
