"""A glance at a transcript: enough to tell whose it is, without reading it."""

from __future__ import annotations

import re
from typing import BinaryIO

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.format.side_records import Aside
from pollux.wire import REFUSED, decoder, numbered_lines, opened

# JSON writes a quotation mark inside a string as \", so these only ever match keys.
_UUID = re.compile(rb'"uuid"\s*:\s*"([^"\\]+)"')
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_NULL, _ASSISTANT = re.compile(rb"\s*:\s*null"), re.compile(rb'\s*:\s*"assistant"')
_TAIL, _FAR = 1 << 14, 1 << 26
_UNIQUE = 12
_aside = decoder(Aside)


class _Said(msgspec.Struct):
    id: str | None = None


class _Begun(msgspec.Struct):
    """The little of a record that tells whether a conversation begins with it."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    message: _Said | None = None


_begun = decoder(_Begun)


class Head(msgspec.Struct, frozen=True):
    """What a file says about itself.

    `root` is the uuid of its first record. `first` and `last` are session ids. `summaries` are the titles of older
    sessions, by a uuid that stands in them.
    """

    root: str | None = None
    first: str | None = None
    last: str | None = None
    summaries: tuple[tuple[str, str], ...] = ()


class Roots(msgspec.Struct, frozen=True):
    """Where a conversation begins in a transcript, or begins anew: uuids, and the ids of the first replies there."""

    ids: tuple[str, ...] = ()


def head_of(told: File) -> Head:
    """The head of a file; of one that cannot be read, nothing."""
    root = first = last = None
    summaries: list[tuple[str, str]] = []
    try:
        with opened(told.path, buffer=1 << 13) as file:
            for _, line in numbered_lines(file):
                if b'"leafUuid"' in line and b'"summary"' in line:
                    summaries += _summary(line)
                if first is None and (found := _SESSION.search(line)) is not None:
                    first = found.group(1).decode("utf-8", "replace")
                if (found := _UUID.search(line)) is not None:
                    root = found.group(1).decode("utf-8", "replace")
                    break
            last = _last(file, told.size) or first
    except Unreadable:
        pass
    return Head(root, first, last, tuple(summaries))


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


def roots_of(told: File) -> Roots:
    """The roots of a file: whoever forks a session begins with one of its roots.

    That is its first record, a fold, or the prompt with which the human began again. A release that copies under new
    uuids leaves the replies their ids.
    """
    ids: dict[str, None] = {}
    begun = True
    try:
        with opened(told.path) as file:
            for _, line in numbered_lines(file):
                reply = begun and _says(line, b'"type"', _ASSISTANT)
                if not reply and not _says(line, b'"parentUuid"', _NULL):
                    continue
                try:
                    record = _begun(line)
                except REFUSED:
                    continue
                if reply and record.type == "assistant" and record.message is not None and record.message.id:
                    begun = False
                    if is_unique(record.message.id):
                        ids[record.message.id] = None
                elif record.parentUuid is None and record.uuid:
                    begun = True
                    ids[record.uuid] = None
    except Unreadable:
        pass
    return Roots(tuple(ids))


def _says(line: bytes, key: bytes, value: re.Pattern[bytes]) -> bool:
    """Does a key have such a value, anywhere in a line? Looking for the key first is quick."""
    place = line.find(key)
    while place >= 0:
        if value.match(line, place + len(key)) is not None:
            return True
        place = line.find(key, place + 1)
    return False


def is_unique(name: str) -> bool:
    """Does nobody else have this id? One that somebody counted, or wrote by hand, tells nothing."""
    return len(name) >= _UNIQUE


def _summary(line: bytes) -> list[tuple[str, str]]:
    try:
        aside = _aside(line)
    except REFUSED:
        return []
    return [(aside.leafUuid, aside.summary)] if aside.leafUuid and aside.summary else []
