"""A glance at a transcript: enough to tell whose it is, without reading it."""

from __future__ import annotations

import re
from typing import BinaryIO

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.books import Aside
from pollux.wire import REFUSED, decoder, opened

# JSON writes a quotation mark inside a string as \", so these only ever match keys.
_UUID = re.compile(rb'"uuid":\s*"([^"\\]+)"')
_SESSION = re.compile(rb'"sessionId":\s*"([^"\\]+)"')
_FOLD = re.compile(rb'"subtype":\s*"compact_boundary"')
_TAIL, _FAR = 1 << 14, 1 << 26
_aside = decoder(Aside)


class Head(msgspec.Struct, frozen=True):
    """What a file says about itself.

    `root` is the uuid of its first record: a fork begins with its parent's, or with one of the folds in its parent,
    as `folded` says. `first` and `last` are session ids. `summaries` are the titles of older sessions, by a uuid that
    stands in them.
    """

    root: str | None = None
    first: str | None = None
    last: str | None = None
    summaries: tuple[tuple[str, str], ...] = ()
    folded: bool = False


class Folds(msgspec.Struct, frozen=True):
    """The uuids of a transcript's compactions."""

    uuids: tuple[str, ...] = ()


def head_of(told: File) -> Head:
    """The head of a file; of one that cannot be read, nothing."""
    root = first = last = None
    folded = False
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
                    folded = _FOLD.search(line) is not None
                    break
            last = _last(file, told.size) or first
    except Unreadable:
        pass
    return Head(root, first, last, tuple(summaries), folded)


def _last(file: BinaryIO, size: int) -> str | None:
    """The session that the last record names; a line may be long, and names it at its beginning."""
    tail = _TAIL
    while size > 0:
        file.seek(max(0, size - tail))
        if named := _SESSION.findall(file.read(tail)):
            return str(named[-1], "utf-8", "replace")
        if tail >= min(size, _FAR):
            break
        tail *= 4
    return None


def folds_of(told: File) -> Folds:
    """The folds of a file: whoever forks a session after one begins there."""
    try:
        with opened(told.path) as file:
            folds = [line for line in file if b"compact_boundary" in line and _FOLD.search(line)]
    except Unreadable:
        folds = []
    return Folds(tuple(uuid.group(1).decode("utf-8", "replace") for uuid in map(_UUID.search, folds) if uuid))


def _summary(line: bytes) -> list[tuple[str, str]]:
    try:
        aside = _aside(line)
    except REFUSED:
        return []
    return [(aside.leafUuid, aside.summary)] if aside.leafUuid and aside.summary else []
