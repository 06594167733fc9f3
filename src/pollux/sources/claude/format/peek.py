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
_NULL, _ASSISTANT = re.compile(rb"\s*:\s*null"), re.compile(rb'\s*:\s*"assistant"')
# Nearly every record begins like this, because it has a parent.
_HAS_PARENT = b'{"parentUuid":"'
_TAIL, _LONGEST_TAIL = 1 << 14, 1 << 26
_UNIQUE = 12
_decode_aside = decoder(SideRecord)


class _ApiMessage(msgspec.Struct):
    id: str | None = None


class _FirstFields(msgspec.Struct):
    """The fields of a record that show whether a conversation begins with it."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    message: _ApiMessage | None = None


_decode_first = decoder(_FirstFields)


class Head(msgspec.Struct, frozen=True):
    """What a file says about itself.

    `root` is the uuid of its first record. `first` and `last` are session ids. `summaries` are the titles of older
    sessions, by a uuid of one of their records.
    """

    root: str | None = None
    first: str | None = None
    last: str | None = None
    summaries: tuple[tuple[str, str], ...] = ()


class Roots(msgspec.Struct, frozen=True):
    """The beginnings of conversations in a transcript: uuids, and the ids of the first replies after them."""

    ids: tuple[str, ...] = ()


def head_of(entry: File) -> Head:
    """The head of a file; an empty one where it cannot be read."""
    root = first = last = None
    summaries: list[tuple[str, str]] = []
    try:
        with opened(entry.path, buffer=1 << 13) as file:
            for _, line in numbered_lines(file):
                if b'"leafUuid"' in line and b'"summary"' in line:
                    summaries += _summary(line)
                if first is None and (match := _SESSION.search(line)) is not None:
                    first = match.group(1).decode("utf-8", "replace")
                if (match := _UUID.search(line)) is not None:
                    root = match.group(1).decode("utf-8", "replace")
                    break
            last = _last(file, entry.size) or first
    except Unreadable:
        pass
    return Head(root, first, last, tuple(summaries))


def _last(file: BinaryIO, size: int) -> str | None:
    """The session that the last record names. A line may be long, and has the name at its beginning."""
    tail = _TAIL
    while size > 0:
        file.seek(max(0, size - tail))
        if ids := _SESSION.findall(file.read(tail)):
            return str(ids[-1], "utf-8", "replace")
        if tail >= min(size, _LONGEST_TAIL):
            break
        tail *= 4
    return None


def roots_of(entry: File) -> Roots:
    """The roots of a file. A fork of a session begins with one of its roots.

    A root is the first record, a compaction, or a prompt with which the human began again. A release that copies under
    new uuids keeps the ids of replies.
    """
    ids: dict[str, None] = {}
    beginning = True
    try:
        with opened(entry.path) as file:
            for line in file:
                if not beginning and line.startswith(_HAS_PARENT):
                    continue
                reply = beginning and _has_value(line, b'"type"', _ASSISTANT)
                if not reply and not _has_value(line, b'"parentUuid"', _NULL):
                    continue
                try:
                    record = _decode_first(line)
                except REFUSED:
                    continue
                if reply and record.type == "assistant" and record.message is not None and record.message.id:
                    beginning = False
                    if is_unique(record.message.id):
                        ids[record.message.id] = None
                elif record.parentUuid is None and record.uuid:
                    beginning = True
                    ids[record.uuid] = None
    except Unreadable:
        pass
    return Roots(tuple(ids))


def _has_value(line: bytes, key: bytes, value: re.Pattern[bytes]) -> bool:
    """Does a key have this value anywhere in a line? Searching for the key first is fast."""
    place = line.find(key)
    while place >= 0:
        if value.match(line, place + len(key)) is not None:
            return True
        place = line.find(key, place + 1)
    return False


def is_unique(name: str) -> bool:
    """Is an id long enough to be unique? A counter, or an id that was written by hand, is not."""
    return len(name) >= _UNIQUE


def _summary(line: bytes) -> list[tuple[str, str]]:
    try:
        aside = _decode_aside(line)
    except REFUSED:
        return []
    return [(aside.leafUuid, aside.summary)] if aside.leafUuid and aside.summary else []
