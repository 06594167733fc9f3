"""The events of a file. What cannot be read becomes a notice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.sources.copilot.format.schema import CONVERSATION, KNOWN, Event, OtherEvent
from pollux.wire import Malformed, Notes, decode, display_path, fit, note_bad_line, plain, read_lines

_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"([\w.]+)"')
_NAMES = {name.encode(): (name, shape) for name, shape in CONVERSATION.items()}


def read_events(path: str, notes: Notes) -> Iterator[tuple[int, Event]]:
    """Each event with the number of its line."""
    notes.file = display_path(path)
    try:
        for number, raw in read_lines(path, notes):
            notes.line = number
            try:
                event = _event(raw, notes)
            except Malformed as error:
                note_bad_line(error, raw, notes)
                continue
            if event is None:
                notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
                continue
            _check_type(event, notes)
            yield number, event
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)


def _event(raw: bytes, notes: Notes) -> Event | None:
    match = _TYPE.match(raw)
    if match is not None:
        name, shape = _NAMES.get(match[1]) or (match[1].decode(), OtherEvent)
        event = decode(shape, raw, notes, name)
        # A key may stand twice in an object: the last one counts.
        if event is None or event.type == name:
            return event
    value = plain(raw, notes)
    kind = value.get("type") if type(value) is dict else None
    if not isinstance(kind, str):
        return fit(OtherEvent, value, notes, "event")
    return fit(CONVERSATION.get(kind, OtherEvent), value, notes, kind)


def _check_type(event: Event, notes: Notes) -> None:
    if event.type is None:
        notes.add("record.untyped", "An event does not name its type; kept.")
    elif event.type not in KNOWN and not event.type.startswith("model."):
        text = f"An event is of the unknown type {event.type!r}; kept."
        notes.add("record.unknown", text, subject=f"event type {event.type!r}")
