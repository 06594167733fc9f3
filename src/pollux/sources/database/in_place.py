"""A few rows of a large database, read where it lies: without SQLite, which would write beside it, and without a copy.

Pages are read from the file and from its log. The file only changes when the agent moves the log into it, which shows
in the file's time and in the head of the log: then what was read is not used.
"""

from __future__ import annotations

import os
import re
import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Self

from pollux.sources.database.file_format import (
    FRAME_HEAD,
    INDEX_INTERIOR,
    INDEX_LEAF,
    INTERIOR,
    LEAF,
    LOG_HEAD,
    Table,
    Values,
    children,
    exact,
    fields,
    local_length,
    log_order,
    page_size,
    pointers,
    record_values,
    stated_sums,
    sums,
    tables_in,
    varint,
)
from pollux.sources.database.private_copy import JOURNAL, LOG, log_head, stamp_of
from pollux.system.files import opened

_UTF8 = 1
_MAGIC = b"SQLite format 3\0"
_INDEX = re.compile(
    r'INDEX\s.*?\sON\s+[`"\[]?(\w+)[`"\]]?\s*\(\s*[`"\[]?(\w+)[`"\]]?\s*[,)]', re.IGNORECASE | re.DOTALL
)
_PRIMARY = re.compile(
    r'PRIMARY\s+KEY\s*\(\s*[`"\[]?(\w+)|[`"\[]?(\w+)[`"\]]?\s+\w+\s+(?:NOT\s+NULL\s+)?PRIMARY\s+KEY', re.IGNORECASE
)
_UNIQUE = re.compile(r"(?i)\bUNIQUE\b")
_OTHER_ORDER = re.compile(r"\b(?:WHERE|COLLATE|DESC)\b", re.IGNORECASE)
_FAULTS = (OSError, ValueError, IndexError, struct.error, RecursionError, OverflowError)

Key = tuple[int, bytes]
"""The first value of an entry of an index, as SQLite sorts values: numbers, texts, other bytes."""


class NotInPlace(Exception):
    """A database that must be copied: it is damaged, changes too fast, or is of a form that is not read in place."""


class Leaf(NamedTuple):
    """A page with rows."""

    number: int
    page: bytes


class InPlace:
    """The named tables of a database. Raises `NotInPlace` for everything that is out of the ordinary."""

    def __init__(self, path: str, names: Sequence[str]) -> None:
        self._path = path
        self._opened = ExitStack()
        self._pages: dict[int, bytes] = {}
        self._keys: dict[int, tuple[list[int], list[int]]] = {}
        try:
            self._begin(names)
        except _FAULTS as error:
            self._opened.close()
            raise NotInPlace from error
        except BaseException:
            self._opened.close()
            raise

    def _begin(self, names: Sequence[str]) -> None:
        path = self._path
        self._stamp, self._log_head = stamp_of(path), log_head(path)
        self._file = self._opened.enter_context(opened(path, buffer=0)).fileno()
        self._log_file = self._opened.enter_context(opened(path + LOG, buffer=0)).fileno() if self._log_head else -1
        head = os.pread(self._file, 100, 0) if hasattr(os, "pread") else b""
        self._size = page_size(head) or 0
        if not self._size or not head.startswith(_MAGIC) or self._stamp[0] % self._size or _has_content(path + JOURNAL):
            raise NotInPlace
        self._log = self._frames()
        first = self._page(1)
        self._usable = self._size - first[20]
        self.schema = int.from_bytes(first[40:44])
        if int.from_bytes(first[56:60]) != _UTF8:
            raise NotInPlace
        schema = [values for _, values in self._scanned(Table("sqlite_master", 1))]
        self.tables = {table.name: table for table in tables_in(schema, names)}
        self._indexes = dict(_indexes(schema))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Close, and make sure that all that was read is of one moment."""
        self._opened.close()
        if isinstance(error, _FAULTS):
            raise NotInPlace from error
        if kind is None:
            try:
                changed = stamp_of(self._path) != self._stamp or log_head(self._path) != self._log_head
            except OSError as gone:
                raise NotInPlace from gone
            if changed:
                raise NotInPlace

    # ------------------------------------------------------------------ rows

    def rows(self, table: Table, column: str, value: str) -> Iterator[Values]:
        """The rows of a table in which a column has this value, in the order of their numbers."""
        root = self._indexes.get((table.name, column))
        if root is not None:
            numbers = sorted(self._entries(root, (1, value.encode("utf-8", "surrogateescape"))))
            yield from (self._row(table, number) for number in numbers)
        elif self._page(table.root)[0] == LEAF:
            place = table.place(column)
            yield from (row for _, row in self._scanned(table) if place is not None and row[place] == value)
        else:
            raise NotInPlace

    def all_rows(self, table: Table) -> Iterator[Values]:
        """All rows of a small table."""
        return (values for _, values in self._scanned(table))

    def _scanned(self, table: Table) -> Iterator[tuple[int, Values]]:
        for leaf in self.leaves(table):
            for place in pointers(leaf.page, leaf.number)[1]:
                yield self._cell(table, leaf.page, place)

    def _row(self, table: Table, rowid: int) -> Values:
        number = table.root
        while (page := self._page(number))[0] == INTERIOR:
            if number not in self._keys:
                keys = [varint(page, place + 4)[0] for place in pointers(page, number)[1]]
                self._keys[number] = keys, children(page, number)
            keys, below = self._keys[number]
            number = below[bisect_left(keys, rowid)]
        places = pointers(page, number)[1]
        found = bisect_left(places, rowid, key=lambda place: varint(page, varint(page, place)[1])[0])
        got, values = self._cell(table, page, places[found])
        if page[0] != LEAF or got != rowid:
            raise NotInPlace
        return values

    def _cell(self, table: Table, page: bytes, place: int) -> tuple[int, Values]:
        length, place = varint(page, place)
        rowid, place = varint(page, place)
        local = local_length(length, self._usable)
        payload = exact(page, place, local)
        if local < length:
            payload += self._rest(int.from_bytes(exact(page, place + local, 4)), length - local)
        values = record_values(payload)
        own = table.place(table.number)
        if own is not None and own < len(values) and values[own] is None:
            values[own] = rowid
        return rowid, values

    def _rest(self, number: int, length: int) -> bytes:
        pieces: list[bytes] = []
        seen: set[int] = set()
        while length > 0:
            if number in seen:
                raise NotInPlace
            seen.add(number)
            page = self._read(number)
            pieces.append(page[4 : min(self._usable, 4 + length)])
            length -= self._usable - 4
            number = int.from_bytes(page[:4])
        return b"".join(pieces)

    # ------------------------------------------------------------------ leaves

    def leaves(self, table: Table) -> Iterator[Leaf]:
        """All pages of a table that hold rows, in their order."""
        return self._below(table.root, 1)

    def last_leaves(self, table: Table) -> Iterator[Leaf]:
        """The same from the last to the first: new rows are in the last."""
        return self._below(table.root, -1)

    def _below(self, number: int, step: int, depth: int = 0) -> Iterator[Leaf]:
        page = self._page(number)
        kind = page[100 if number == 1 else 0]
        if kind == LEAF:
            yield Leaf(number, page)
        elif kind == INTERIOR and depth < 20:
            for child in children(page, number)[::step]:
                yield from self._below(child, step, depth + 1)
        else:
            raise NotInPlace

    def cells(self, leaf: Leaf) -> Iterator[bytes]:
        """The rows in a leaf as they stand there: without what long ones have in other pages."""
        for start in pointers(leaf.page, leaf.number)[1]:
            length, place = varint(leaf.page, start)
            _, place = varint(leaf.page, place)
            local = local_length(length, self._usable)
            yield exact(leaf.page, place, local + (4 if local < length else 0))

    # ------------------------------------------------------------------ indexes

    def _entries(self, number: int, key: Key, depth: int = 0) -> Iterator[int]:
        """The numbers of the rows that an index has under a key."""
        page = self._page(number)
        if page[0] not in (INDEX_LEAF, INDEX_INTERIOR) or depth > 20:
            raise NotInPlace
        is_leaf = page[0] == INDEX_LEAF
        skipped = 0 if is_leaf else 4
        places = pointers(page, number)[1]
        below = [] if is_leaf else children(page, number)
        for count in range(bisect_left(places, key, key=lambda place: self._key(page, place + skipped)), len(places)):
            if not is_leaf:
                yield from self._entries(below[count], key, depth + 1)
            payload = self._payload(page, places[count] + skipped)
            if _first(payload) != key:
                return
            rowid = record_values(payload)[-1]
            if not isinstance(rowid, int):
                raise NotInPlace
            yield rowid
        if not is_leaf:
            yield from self._entries(below[-1], key, depth + 1)

    def _key(self, page: bytes, place: int) -> Key:
        return _first(self._payload(page, place))

    def _payload(self, page: bytes, place: int) -> bytes:
        length, place = varint(page, place)
        if local_length(length, self._usable, INDEX_LEAF) != length:
            raise NotInPlace
        return exact(page, place, length)

    # ------------------------------------------------------------------ pages

    def _page(self, number: int) -> bytes:
        if number not in self._pages:
            self._pages[number] = self._read(number)
        return self._pages[number]

    def _read(self, number: int) -> bytes:
        if number in self._log:
            return self._frame(self._log[number])
        if number < 1:
            raise NotInPlace
        return exact(os.pread(self._file, self._size, (number - 1) * self._size), 0, self._size)

    def _frame(self, place: int) -> bytes:
        """The page in a frame of the log. Each frame states a sum of itself and all before it."""
        if place == LOG_HEAD:
            before = stated_sums(self._log_head, 24)
        else:
            before = stated_sums(os.pread(self._log_file, 8, place - self._size - 8), 0)
        frame = os.pread(self._log_file, FRAME_HEAD + self._size, place)
        if sums(frame[FRAME_HEAD:], sums(frame[:8], before, self._order), self._order) != stated_sums(frame, 16):
            raise NotInPlace
        return frame[FRAME_HEAD:]

    def _frames(self) -> dict[int, int]:
        """The places of the log's frames by the pages in them, up to the last whole transaction.

        The agent may be writing the last one now.
        """
        order = log_order(self._log_head, self._size)
        if order is None:
            return {}
        self._order = order
        pages: dict[int, int] = {}
        pending: dict[int, int] = {}
        place, last, end = LOG_HEAD, 0, os.fstat(self._log_file).st_size
        while place + FRAME_HEAD + self._size <= end:
            head = os.pread(self._log_file, FRAME_HEAD, place)
            if head[8:16] != self._log_head[16:24]:
                break
            pending[int.from_bytes(head[:4])] = place
            if int.from_bytes(head[4:8]):
                pages |= pending
                pending, last = {}, place
            place += FRAME_HEAD + self._size
        if last:
            self._frame(last)
        return pages


def _first(payload: bytes) -> Key:
    kind, place = next(fields(payload))
    if kind < 12:
        return 0, b""
    return (1 if kind % 2 else 2), exact(payload, place, (kind - 12) // 2)


def _indexes(schema: list[Values]) -> Iterator[tuple[tuple[str, str], int]]:
    """Where the index of a table by a column begins, for those that hold all rows in the usual order."""
    primary: dict[str, str] = {}
    for row in schema:
        kind, name, table, root, statement = (row + [None] * 5)[:5]
        text = statement if isinstance(statement, str) else ""
        if kind == "table" and not _UNIQUE.search(text) and (key := _PRIMARY.search(text)) is not None:
            primary[f"sqlite_autoindex_{name}_1"] = key[1] or key[2]
        elif kind == "index" and isinstance(root, int) and name in primary:
            yield (table, primary[name]), root
        elif kind == "index" and isinstance(root, int) and not _OTHER_ORDER.search(text):
            found = _INDEX.search(text)
            if found is not None and found[1] == table:
                yield (found[1], found[2]), root


def _has_content(path: str) -> bool:
    return os.path.isfile(path) and os.path.getsize(path) > 0  # noqa: PTH113, PTH202
