"""The lines of a session file as records, each decoded once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from pollux.sources.codex.format.records import Record, odd
from pollux.sources.codex.format.schema import ECHOES, Bookkeeping, Line, NoteLine
from pollux.system.clock import FIRST_YEAR, LAST_YEAR
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, Notes

_Decode = Callable[[bytes], Record]
_lines: Any = Line  # a union, which msgspec takes as a type
_quick: _Decode = json_decoder(_lines).decode
_note: _Decode = json_decoder(NoteLine).decode

# An event without a type of its own here. The type of a line comes after its time and its ordinal.
_is_note = re.compile(
    rb'.{0,80}"event_msg","payload":\{"type":"(?!(?:%s)")' % "|".join(ECHOES).encode(), re.DOTALL
).match


def records(lines: Iterable[bytes], notes: Notes) -> Iterator[tuple[int, Record]]:
    """The records, each with the number of its line; damaged and empty lines are skipped.

    The quick decoder refuses bookkeeping, which takes long. After the first such line, each line is checked for it.
    """
    has_notes, quick = False, _quick
    for number, line in enumerate(lines, start=1):
        if line == b"\n":
            continue
        try:
            record = _note(line) if has_notes and _is_note(line) else quick(line)
            if (at := record.timestamp) is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
                raise ValueError("the time cannot be used")
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
    """JSON with sorted keys and without extra space, so that equal values are equal bytes; damaged JSON as it is."""
    try:
        return msgspec.json.encode(msgspec.json.decode(content), order="sorted")
    except REFUSED:
        return content
