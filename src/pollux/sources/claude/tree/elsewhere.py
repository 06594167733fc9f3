"""Figures of a reply from a copy of it: a fork may hold the end of a reply that its parent lost."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.claude.format.figures import more_output, usage_of
from pollux.sources.claude.format.peek import is_unique
from pollux.sources.claude.group import ClaudeBundle
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


_decode_copy = msgspec.json.Decoder(_Copy).decode


def with_copied_figures(messages: list[Message], bundle: ClaudeBundle, notes: Notes) -> list[Message]:
    """The messages. A reply without an end gets the figures of a copy with an end."""
    places = {
        message.id: place
        for place, message in enumerate(messages)
        if message.usage is not None and message.usage.exact is False and not message.inherited
    }
    for path in [file.path for peer in bundle.peers for file in peer.transcripts()] if places else ():
        try:
            with opened(path) as file:
                for number, line in enumerate(file, start=1):
                    _use_copy(line, (display_path(path), number), messages, places, notes)
        except Unreadable:
            continue
    return messages


def _use_copy(
    line: bytes, place: tuple[str, int], messages: list[Message], places: dict[str, int], notes: Notes
) -> None:
    """Give a message the figures of a line, if the line is a better copy of its end."""
    if b'"stop_reason":"' not in line and b'"stop_reason": "' not in line:
        return
    try:
        copy = _decode_copy(line)
    except REFUSED:
        return
    reply = copy.message
    if (
        reply is None
        or reply.id not in places
        or reply.stop_reason is None
        or not reply.usage
        or copy.isAbortedMidStream
    ):
        return
    message = messages[places[reply.id]]
    usage, request = message.usage, message.extra.get("requestId")
    is_same = is_unique(reply.id) or copy.uuid == message.extra.get("uuid")
    if usage is None or not is_same or (None not in (request, copy.requestId) and request != copy.requestId):
        return
    if usage.exact is False and more_output(reply.usage, dict(usage.native)):
        better = usage_of(reply.usage, notes, exact=True, line=place[1])
        line_before = usage.line or (message.origin.line if message.origin is not None else None)
        lines = [*message.extra.get("lines", ()), {"usage": dict(usage.native), "usage_line": line_before}]
        messages[places[reply.id]] = msgspec.structs.replace(
            message, usage=msgspec.structs.replace(better, file=place[0]), extra={**message.extra, "lines": lines}
        )
