"""Finding a record again: the line of a file, or the n-th item of a document's list."""

from __future__ import annotations

import os
import re
import textwrap
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import PolluxError
from pollux.sources.database import DATABASE, document_of, snapshot, with_log
from pollux.sources.walk import stat_file
from pollux.system.files import LARGE, opened, read

if TYPE_CHECKING:
    from pollux.model import Origin

Span = tuple[int, int]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.DOTALL)
_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
_PIECE = 1 << 20
_LISTS = (b'"messages"', b'"history"')


def place_text(origin: Origin, line: int | None) -> str:
    """The place of a record: its file with the line, or with the row of a database."""
    return origin.file + (f":{line}" if line is not None else f" {origin.row}" if origin.row is not None else "")


class Records:
    """Finds records in files. Each file is opened once, when it is first needed."""

    def __init__(self) -> None:
        self._starts: dict[str, array[int]] = {}
        self._documents: dict[str, tuple[bytes, list[Span]]] = {}

    def line(self, origin: Origin) -> int | None:
        """The number of the line a record begins in, from 1."""
        if origin.line is not None or origin.row is not None:
            return origin.line
        raw, items = self._document(origin.file)
        if origin.item is None or origin.item >= len(items):
            return None
        return raw.count(b"\n", 0, items[origin.item][0]) + 1

    def text(self, origin: Origin) -> str | None:
        """The text of the record in the file; None if it is gone."""
        if origin.line is not None:
            raw = self._line(origin.file, origin.line)
        elif origin.row is not None:
            raw = _row(origin.file, origin.row)
        else:
            document, items = self._document(origin.file)
            exists = origin.item is not None and origin.item < len(items)
            raw = _whole_lines(document, items[origin.item]) if exists and origin.item is not None else None
        return None if raw is None else textwrap.dedent(raw.decode("utf-8", "backslashreplace"))

    def _line(self, file: str, number: int) -> bytes | None:
        try:
            with opened(_on_disk(file)) as stream:
                if file not in self._starts:
                    starts, position, at_start = array("Q"), 0, True
                    while piece := stream.readline(_PIECE):
                        if at_start:
                            starts.append(position)
                        position += len(piece)
                        at_start = piece.endswith(b"\n")
                    self._starts[file] = starts
                if not 0 < number <= len(self._starts[file]):
                    return None
                stream.seek(self._starts[file][number - 1])
                return stream.readline(LARGE).rstrip(b"\r\n")
        except (OSError, ValueError):
            return None

    def _document(self, file: str) -> tuple[bytes, list[Span]]:
        if file not in self._documents:
            try:
                raw = read(_on_disk(file), LARGE)
            except (OSError, ValueError):
                raw = b""
            self._documents[file] = (raw, items_of(raw))
        return self._documents[file]


def _row(file: str, place: str) -> bytes | None:
    """A row of a database; None if it is gone."""
    table, _, name = place.partition("/")
    path = _on_disk(file)
    beside = [Path(path), *(Path(path + side) for side in ("-wal", "-journal"))]
    try:
        files = [stat_file(one, DATABASE) for one in beside if one.is_file()]
        rows = snapshot(with_log(files[0], files), (table,)).rows(table, {"id": name}) if files else []
    except (OSError, PolluxError):
        return None
    return document_of({table: rows}).rstrip(b"\n") or None


def items_of(raw: bytes) -> list[Span]:
    """The position of each item in a document's list of messages, even if the document is damaged.

    The list is the document itself, or the one called messages or history in it, or else the longest one.
    """
    lists: dict[bytes, list[Span]] = {}
    depth, name, begun = 0, b"", 0
    inside: tuple[int, list[Span]] | None = None
    for match in _TOKEN.finditer(raw):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
            if token == b"[" and inside is None and depth <= 2:
                inside, begun = (depth, lists.setdefault(name, [])), match.end()
        elif token in (b"}", b"]", b","):
            if inside is not None and depth == inside[0]:
                _close(raw, begun, match.start(), inside[1])
                begun = match.end()
                inside = None if token == b"]" else inside
            depth -= token != b","
        elif depth == 1:
            name = token
    if inside is not None:
        _close(raw, begun, len(raw), inside[1])
    known = [lists[name] for name in _LISTS if name in lists]
    return known[0] if known else max(lists.values(), key=len, default=[])


def _close(raw: bytes, start: int, end: int, items: list[Span]) -> None:
    """Note an item without the blanks around it."""
    piece = raw[start:end]
    if piece.strip():
        lead = len(piece) - len(piece.lstrip())
        items.append((start + lead, start + len(piece.rstrip())))


def _whole_lines(raw: bytes, span: Span) -> bytes:
    """An item with the blanks before it, so that its lines can be set in or out together."""
    start, end = span
    begun = raw.rfind(b"\n", 0, start) + 1
    return raw[begun if raw[begun:start].isspace() else start : end]


def _on_disk(file: str) -> str:
    r"""A shown path as the system knows it: bytes that are no text are shown as `\xff`."""
    if os.path.exists(file):  # noqa: PTH110
        return file
    return _BYTE.sub(lambda match: chr(0xDC00 + int(match[1], 16)), file)
