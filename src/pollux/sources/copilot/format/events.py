"""The events of a file. What cannot be read becomes a notice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.sources.copilot.format.schema import CONVERSATION, KNOWN, Event, OtherEvent
from pollux.wire import REFUSED, Malformed, Notes, decode, decoder, display_path, fit, note_bad_line, opened, plain

_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"([\w.]+)"')
_LENGTH = len(b'{"type":"')
_SHAPES: dict[str, type[Event]] = {name: CONVERSATION.get(name, OtherEvent) for name in KNOWN}
_DECODERS: dict[bytes, tuple[str, Callable[[bytes], Event] | None]] = {
    name.encode(): (name, decoder(shape)) for name, shape in _SHAPES.items()
}


class Line(msgspec.Struct, gc=False):
    """An event and where it stands. `older`: the newest file of the session does not hold it any more."""

    event: Event
    number: int
    file: str
    older: bool = False


def read_events(path: str, notes: Notes) -> Iterator[Line]:
    """Each event with its place."""
    notes.file = file = display_path(path)
    known_type, nothing = _DECODERS.get, ("", None)
    try:
        with opened(path, notes=notes) as lines:
            for number, raw in enumerate(lines, start=1):
                # What stands where the type is expected decides how a line is decoded; then it must be its type.
                name, decode_exact = known_type(raw[_LENGTH : raw.find(b'"', _LENGTH)], nothing)
                if decode_exact is not None:
                    try:
                        event = decode_exact(raw)
                    except REFUSED:
                        pass
                    else:
                        # A key may stand twice in an object: the last one counts.
                        if event.type == name:
                            yield Line(event, number, file)
                            continue
                if not raw.isspace() and (odd := _odd(number, raw, notes)) is not None:
                    yield Line(odd, number, file)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)


def _odd(number: int, raw: bytes, notes: Notes) -> Event | None:
    """An event that is written in another way than usual, or is of an unknown type; None where there is none."""
    notes.line = number
    try:
        event = _event(raw, notes)
    except Malformed as error:
        note_bad_line(error, raw, notes)
        return None
    if event is None:
        notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
        return None
    _check_type(event, notes)
    return event


def _event(raw: bytes, notes: Notes) -> Event | None:
    match = _TYPE.match(raw)
    if match is not None:
        name = match[1].decode()
        event = decode(_SHAPES.get(name, OtherEvent), raw, notes, name)
        if event is None or event.type == name:
            return event
    value = plain(raw, notes)
    kind = value.get("type") if type(value) is dict else None
    if not isinstance(kind, str):
        return fit(OtherEvent, value, notes, "event")
    return fit(_SHAPES.get(kind, OtherEvent), value, notes, kind)


def _check_type(event: Event, notes: Notes) -> None:
    if event.type is None:
        notes.add("record.untyped", "An event does not name its type; kept.")
    elif event.type not in KNOWN and not event.type.startswith("model."):
        text = f"An event is of the unknown type {event.type!r}; kept."
        notes.add("record.unknown", text, subject=f"event type {event.type!r}")
