"""The lines of a session file as records, each decoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from pollux.sources.codex.keys import ALIASES, KNOWN
from pollux.sources.codex.records import Record, odd
from pollux.sources.codex.schema import Bookkeeping, Line, NoteLine
from pollux.wire import REFUSED, Notes

_Decode = Callable[[bytes], Record]
_quick: _Decode = msgspec.json.Decoder(Line).decode
_note: _Decode = msgspec.json.Decoder(NoteLine).decode

_EVENT = b'"event_msg","payload":{"type":"'
_BEFORE = len(_EVENT)
# The type of a line stands behind its time and its ordinal.
_FAR = 100
# So many letters tell the kinds of events apart that are bookkeeping.
_LETTERS = 6
_NOTES = {
    f'{name}"'[:_LETTERS].encode(): _note
    for kind in (*KNOWN, *ALIASES)
    if (name := kind.removeprefix("event_msg/")) != kind
}


def records(lines: Iterable[bytes], notes: Notes) -> Iterator[tuple[int, Record]]:
    """The records, each with the number of its line; damaged and empty lines are passed over.

    Bookkeeping is refused at first, which takes long. Where there is some, it is looked for from then on.
    """
    decode = _quick
    for number, line in enumerate(lines, 1):
        try:
            record: Record | None = decode(line)
        except REFUSED:
            notes.line = number
            record = odd(line, notes)
            if type(record) is Bookkeeping:
                decode = _looked_at
        if record is not None:
            yield number, record
    notes.line = None


def _looked_at(line: bytes) -> Record:
    """A record in a file with bookkeeping among the events."""
    kind = line.find(_EVENT, 0, _FAR) + _BEFORE
    return _NOTES.get(line[kind : kind + _LETTERS], _quick)(line)
