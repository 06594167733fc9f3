"""What is left of a damaged database: the rows in every page that is still whole.

SQLite gives up at the first missing page. Here the tables are followed page by page. Pages that nothing leads to any
more are taken where their rows have the shape of a named table, and of no other: others hold keys. Free pages hold what
was deleted, and are left alone.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pollux.sources.database.file_format import (
    FRAME_HEAD,
    INTERIOR,
    LEAF,
    LOG_HEAD,
    Table,
    Values,
    children,
    exact,
    local_length,
    log_order,
    page_size,
    pointers,
    record_values,
    stated_sums,
    sums,
    tables_in,
    varint,
    write_tables,
)
from pollux.sources.database.private_copy import LOG

_MOST_PAYLOAD = 1 << 30
_MOST_TURNS = 4
"""How often each page is read as the rest of a long row, on average. A whole database needs one, some damage a few."""


class Salvage:
    """Reads a damaged file. `damage` says what is wrong with it."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self._raw = _mapped(file)
        self._size = page_size(self._raw[:100]) or 4096
        self._log = _log_pages(Path(f"{file}{LOG}"), self._size)
        self._reached: set[int] = set()
        self._missing = 0
        self._turned = 0
        schema = list(self._rows_of(Table("sqlite_master", 1)))
        knows_all = not self._missing
        self.tables = tables_in(schema, names)
        self.rows: dict[str, list[Values]] = {table.name: list(self._rows_of(table)) for table in self.tables}
        if self._missing and knows_all:
            self._add_orphans(tables_in(schema, [row[1] for row in schema if len(row) > 1]))
        self.damage = [self._sentence()]

    def _sentence(self) -> str:
        if not self.tables:
            return "The database cannot be read: no table of sessions was found in it."
        count = sum(map(len, self.rows.values()))
        return f"The database is damaged: {self._missing} pages are missing or broken; {count} rows could be read."

    def write(self, file: Path) -> None:
        """Write what was found into a new database."""
        write_tables(file, ((table, self.rows[table.name]) for table in self.tables))

    # ------------------------------------------------------------------ pages

    @cached_property
    def _count(self) -> int:
        return max(-(-len(self._raw) // self._size), *self._log, 0)

    def _page(self, number: int) -> bytes | None:
        """A page; None where it is missing, or was cut."""
        if number in self._log:
            return self._log[number]
        page = self._raw[(number - 1) * self._size : number * self._size] if number > 0 else b""
        return page if len(page) == self._size else None

    @cached_property
    def _free(self) -> set[int] | None:
        """The free pages; None where their list cannot be followed to its end."""
        first = self._page(1)
        if first is None:
            return None
        free: set[int] = set()
        trunk = int.from_bytes(first[32:36])
        while trunk and trunk not in free:
            page = self._page(trunk)
            if page is None:
                return None
            free.add(trunk)
            count = min(int.from_bytes(page[4:8]), self._size // 4 - 2)
            free.update(struct.unpack_from(f">{count}I", page, 8))
            trunk = int.from_bytes(page[:4])
        return free

    # ------------------------------------------------------------------ tables

    def _rows_of(self, table: Table) -> Iterator[Values]:
        waiting, seen = [table.root], {table.root}
        while waiting:
            number = waiting.pop()
            page = self._page(number)
            kind = page[100 if number == 1 else 0] if page is not None else 0
            if page is None or kind not in (LEAF, INTERIOR):
                self._missing += 1
                continue
            self._reached.add(number)
            if kind == LEAF:
                yield from self._cells(page, number, table)
            else:
                below = [child for child in children(page, number) if child not in seen]
                seen.update(below)
                waiting += reversed(below)

    def _add_orphans(self, every: Sequence[Table]) -> None:
        """Take pages to which nothing leads any more, where all rows look like those of one of `every` table."""
        free = self._free
        if free is None:
            return
        for number in range(2, self._count + 1):
            page = self._page(number)
            if page is None or page[0] != LEAF or number in self._reached or number in free:
                continue
            table = _table_like(list(self._cells(page, number)), every)
            if table is not None and table.name in self.rows:
                self.rows[table.name] += self._cells(page, number, table)

    # ------------------------------------------------------------------ cells

    def _cells(self, page: bytes, number: int, table: Table | None = None) -> Iterator[Values]:
        """The rows in a page. A column that is the row's own number is stored as nothing."""
        own = table.place(table.number) if table is not None else None
        for place in pointers(page, number)[1]:
            try:
                rowid, values = self._cell(page, place)
            except (IndexError, struct.error, ValueError, OverflowError):
                self._missing += 1
                continue
            if own is not None and own < len(values) and values[own] is None:
                values[own] = rowid
            yield values

    def _cell(self, page: bytes, place: int) -> tuple[int, Values]:
        length, place = varint(page, place)
        rowid, place = varint(page, place)
        if length > _MOST_PAYLOAD:
            raise ValueError("too long")
        usable = self._size - (self._page(1) or bytes(21))[20]
        local = local_length(length, usable)
        if local == length:
            return rowid, record_values(exact(page, place, length))
        pieces = [exact(page, place, local)]
        rest, following = length - local, int.from_bytes(exact(page, place + local, 4))
        seen: set[int] = set()
        while rest > 0:
            overflow = self._page(following)
            if overflow is None or following in seen or self._turned >= _MOST_TURNS * self._count:
                raise ValueError("a page is missing")
            self._turned += 1
            seen.add(following)
            pieces.append(overflow[4 : min(usable, 4 + rest)])
            rest -= usable - 4
            following = int.from_bytes(overflow[:4])
        return rowid, record_values(b"".join(pieces))


def _table_like(rows: list[Values], tables: Sequence[Table]) -> Table | None:
    """The only table to which these rows can belong, by the number of their values and the declared types."""
    alike = [table for table in tables if all(_fits(row, table) for row in rows)] if rows else []
    return alike[0] if len(alike) == 1 else None


_TYPES: dict[str, tuple[type, ...]] = {"text": (str, bytes), "integer": (int,), "real": (int, float)}


def _fits(row: Values, table: Table) -> bool:
    """Can a row belong to a table? Its first value identifies it, and no value has another type than its column."""
    return (
        len(row) == len(table.columns)
        and bool(row)
        and (row[0] is not None or table.number == table.columns[0].name)
        and all(
            value is None or isinstance(value, _TYPES.get(column.type, (object,)))
            for value, column in zip(row, table.columns, strict=True)
        )
    )


def _mapped(file: Path) -> Any:
    """The bytes of a file, without holding them in memory."""
    with open(file, "rb") as stream:  # noqa: PTH123 (a private copy)
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(stream.fileno()).st_size else b""


def _log_pages(log: Path, size: int) -> dict[int, bytes]:
    """The pages in a log up to its last whole transaction: frames that have the log's own salt and sum."""
    try:
        raw = log.read_bytes()
    except OSError:
        return {}
    order = log_order(raw[:LOG_HEAD], size)
    if order is None:
        return {}
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    salt, total = raw[16:24], stated_sums(raw, 24)
    for place in range(LOG_HEAD, len(raw) - FRAME_HEAD - size + 1, FRAME_HEAD + size):
        head, page = raw[place : place + FRAME_HEAD], raw[place + FRAME_HEAD : place + FRAME_HEAD + size]
        total = sums(page, sums(head[:8], total, order), order)
        if head[8:16] != salt or stated_sums(head, 16) != total:
            break
        pending[int.from_bytes(head[:4])] = page
        if int.from_bytes(head[4:8]):
            pages |= pending
            pending = {}
    return pages
