"""A glance at a transcript: enough to tell whose it is, without reading it."""

from __future__ import annotations

import re

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.books import Aside
from pollux.wire import REFUSED, decoder, opened

# JSON writes a quotation mark inside a string as \", so these only ever match keys.
_UUID = re.compile(rb'"uuid":\s*"([^"\\]+)"')
_SESSION = re.compile(rb'"sessionId":\s*"([^"\\]+)"')
_TAIL = 1 << 14
_aside = decoder(Aside)


class Head(msgspec.Struct, frozen=True):
    """What a file says about itself.

    `root` is the uuid of its first record: a fork begins with its parent's. `first` and `last` are session ids.
    `summaries` are the titles of older sessions, by a uuid that stands in them.
    """

    root: str | None = None
    first: str | None = None
    last: str | None = None
    summaries: tuple[tuple[str, str], ...] = ()


def head_of(told: File) -> Head:
    """The head of a file; of one that cannot be read, nothing."""
    root = first = last = None
    summaries: list[tuple[str, str]] = []
    try:
        with opened(told.path, buffer=1 << 13) as file:
            for line in file:
                if b'"leafUuid"' in line and b'"summary"' in line:
                    summaries += _summary(line)
                if first is None and (found := _SESSION.search(line)) is not None:
                    first = found.group(1).decode("utf-8", "replace")
                if (found := _UUID.search(line)) is not None:
                    root = found.group(1).decode("utf-8", "replace")
                    break
            if told.size > 0:
                file.seek(max(0, told.size - _TAIL))
                named = _SESSION.findall(file.read(_TAIL))
                last = named[-1].decode("utf-8", "replace") if named else first
    except Unreadable:
        pass
    return Head(root, first, last, tuple(summaries))


def _summary(line: bytes) -> list[tuple[str, str]]:
    try:
        aside = _aside(line)
    except REFUSED:
        return []
    return [(aside.leafUuid, aside.summary)] if aside.leafUuid and aside.summary else []
