"""A peek into a transcript: enough to know its session, without reading it all."""

from __future__ import annotations

import re
from typing import BinaryIO

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.format.side_records import SideRecord
from pollux.wire import REFUSED, decoder, numbered_lines, opened

# JSON writes a quotation mark inside a string as \", so these only ever match keys.
_UUID = re.compile(rb'"uuid"\s*:\s*"([^"\\]+)"')
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_ORIGIN = re.compile(rb'"forkedFrom"\s*:\s*\{[^{}]*\}')
_TAIL, _LONGEST_TAIL = 1 << 14, 1 << 26
_decode_aside = decoder(SideRecord)


class Head(msgspec.Struct, frozen=True):
    """What a file says about itself.

    `root` is the uuid of its first record. `first` and `last` are session ids. `summaries` are the titles of older
    sessions, by a uuid of one of their records.
    """

    root: str | None = None
    first: str | None = None
    last: str | None = None
    summaries: tuple[tuple[str, str], ...] = ()


def head_of(entry: File) -> Head:
    """The head of a file; an empty one where it cannot be read."""
    root = first = last = None
    summaries: list[tuple[str, str]] = []
    try:
        with opened(entry.path, buffer=1 << 13) as file:
            for _, line in numbered_lines(file):
                if b'"leafUuid"' in line and b'"summary"' in line:
                    summaries += _summary(line)
                if first is None and (match := _SESSION.search(_ORIGIN.sub(b"", line))) is not None:
                    first = match.group(1).decode("utf-8", "replace")
                if (match := _UUID.search(line)) is not None:
                    root = match.group(1).decode("utf-8", "replace")
                    break
            last = _last(file, entry.size) or first
    except Unreadable:
        pass
    return Head(root, first, last, tuple(summaries))


def _last(file: BinaryIO, size: int) -> str | None:
    """The session that the last record belongs to. A line may be long, and has the name at its beginning.

    A copy that `/branch` made also names the session that it was copied from.
    """
    tail = _TAIL
    while size > 0:
        file.seek(max(0, size - tail))
        if ids := _SESSION.findall(_ORIGIN.sub(b"", file.read(tail))):
            return str(ids[-1], "utf-8", "replace")
        if tail >= min(size, _LONGEST_TAIL):
            break
        tail *= 4
    return None


def _summary(line: bytes) -> list[tuple[str, str]]:
    try:
        aside = _decode_aside(line)
    except REFUSED:
        return []
    return [(aside.leafUuid, aside.summary)] if aside.leafUuid and aside.summary else []
