"""The lines of a session file as records, each decoded once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from pollux.sources.codex.format.records import Record, odd
from pollux.sources.codex.format.schema import ECHOES, Bookkeeping, Line, NoteLine
from pollux.wire import REFUSED, Notes

_Decode = Callable[[bytes], Record]
_quick: _Decode = msgspec.json.Decoder(Line).decode
_note: _Decode = msgspec.json.Decoder(NoteLine).decode

# An event that is none of those which are typed. The type of a line stands behind its time and its ordinal.
_is_note = re.compile(
    rb'.{0,80}"event_msg","payload":\{"type":"(?!(?:%s)")' % "|".join(ECHOES).encode(), re.DOTALL
).match


def records(lines: Iterable[bytes], notes: Notes) -> Iterator[tuple[int, Record]]:
    """The records, each with the number of its line; damaged and empty lines are passed over.

    Bookkeeping is refused at first, which takes long. Where there is some, it is looked for from then on.
    """
    has_notes = False
    for number, line in enumerate(lines, start=1):
        try:
            record = _note(line) if has_notes and _is_note(line) else _quick(line)
        except REFUSED:
            if line.isspace():
                continue
            notes.line = number
            other = odd(line, notes)
            if other is None:
                continue
            record = other
            has_notes = has_notes or type(record) is Bookkeeping
        yield number, record
    notes.line = None


def canonical(content: bytes) -> bytes:
    """What some JSON says, however its keys are ordered and its letters spaced; damaged JSON as it is."""
    try:
        return msgspec.json.encode(msgspec.json.decode(content), order="sorted")
    except REFUSED:
        return content
