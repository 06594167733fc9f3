"""The lines of a session file as records, each decoded once."""

from __future__ import annotations

from codecs import escape_decode
from collections.abc import Callable, Iterable, Iterator

import msgspec

from pollux.sources.codex.keys import ALIASES, KNOWN
from pollux.sources.codex.records import Record, odd
from pollux.sources.codex.schema import Bookkeeping, Line, NoteLine, ShellOutput
from pollux.wire import REFUSED, Notes

_Decode = Callable[[bytes], Record]
_quick: _Decode = msgspec.json.Decoder(Line).decode
_note: _Decode = msgspec.json.Decoder(NoteLine).decode
_inside = msgspec.json.Decoder(ShellOutput).decode

# How a line ends, and where the inner JSON begins, if an answer is JSON in a string.
_FOLDED, _FOLD = b'}}"}}\n', b'"output":"{\\"output\\":\\"'
_QUOTE = len(b'"output":"')
# Quotes and backslashes as code points: taken for text of the inner JSON they would end its strings elsewhere.
_CODE = b"\\u00"
_CODES = (b"\\u0022", b"\\u005c", b"\\u005C")

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
            record: Record | None = _unfolded(line) if line.endswith(_FOLDED) else decode(line)
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


def _unfolded(line: bytes) -> Record:
    """A record that may be an answer with JSON in a string: then the inner JSON is decoded from the line's own bytes.

    Only quotes and backslashes are escaped in there, unless one stands as a code point. Taking that away is half the
    work of decoding the string, and what is left need not become text in between.
    """
    place = line.find(_FOLD)
    if place < 0 or (_CODE in line and any(code in line for code in _CODES)):
        return _quick(line)
    start = place + _QUOTE
    try:
        inside = _inside(escape_decode(line[start:-4])[0])
        record = _quick(line[:start] + b'"}}')
    except (*REFUSED, DeprecationWarning):
        return _quick(line)
    record.payload.shell = inside  # type: ignore[union-attr]
    return record
