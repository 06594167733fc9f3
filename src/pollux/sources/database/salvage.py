"""What is left of a damaged database: the rows in every page that is still whole.

SQLite gives up at the first missing page. Here the tables are followed page by page, as the file format says
(https://www.sqlite.org/fileformat2.html). Pages that nothing leads to any more are taken where their rows have the
shape of a named table. Free pages hold what was deleted, and are left alone.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pollux.sources.database.private_copy import LOG

_LEAF, _INTERIOR = 13, 5
_SIZES = tuple(1 << power for power in range(9, 17))
_MOST_PAYLOAD = 1 << 30
_MOST_TURNS = 4
"""How often each page is read as the rest of a long row, on average. A whole database needs one, some damage a few."""
_COLUMN = re.compile(r'\s*[`"\[]?(\w+)[`"\]]?\s*(\w*)')
_NUMBER = re.compile(r'[`"\[]?(\w+)[`"\]]?\s+INTEGER\s+PRIMARY\s+KEY', re.IGNORECASE)
_CONSTRAINTS = ("constraint", "primary", "unique", "check", "foreign")

Values = list[Any]


class Table(NamedTuple):
    """A named table: where it begins, its columns with their types, and the one that is the row's own number."""

    name: str
    root: int
    columns: tuple[str, ...]
    types: tuple[str, ...] = ()
    number: str | None = None


class Salvage:
    """Reads a damaged file. `damage` says what is wrong with it."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self._raw = _mapped(file)
        self._names = names
        self._size = self._page_size()
        self._log = _log_pages(Path(f"{file}{LOG}"), self._size)
        self._reached: set[int] = set()
        self._missing = 0
        self._turned = 0
        self.tables = self._tables()
        self.rows: dict[str, list[Values]] = {table.name: list(self._rows_of(table)) for table in self.tables}
        if self._missing:
            self._add_orphans()
        self.damage = [self._sentence()]

    def _sentence(self) -> str:
        if not self.tables:
            return "The database cannot be read: no table of sessions was found in it."
        count = sum(map(len, self.rows.values()))
        return f"The database is damaged: {self._missing} pages are missing or broken; {count} rows could be read."

    def write(self, file: Path) -> None:
        """Write what was found into a new database."""
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as new:
            new.execute("PRAGMA synchronous=OFF").close()
            new.execute("BEGIN")
            for table in self.tables:
                names = ", ".join(f'"{column}"' for column in table.columns)
                new.execute(f'CREATE TABLE "{table.name}" ({names})')
                marks = ", ".join("?" * len(table.columns))
                width = len(table.columns)
                rows = ((row + [None] * width)[:width] for row in self.rows[table.name])
                new.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', rows)  # noqa: S608
            new.execute("COMMIT")
        os.chmod(file, 0o600)  # noqa: PTH101

    # ------------------------------------------------------------------ pages

    def _page_size(self) -> int:
        size = int.from_bytes(self._raw[16:18])
        size = 65536 if size == 1 else size
        return size if size in _SIZES else 4096

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

    def _tables(self) -> list[Table]:
        """The named tables, by the schema in the first page."""
        tables: list[Table] = []
        for row in self._rows_of(Table("sqlite_master", 1, ())):
            kind, name, _, root, statement = (row + [None] * 5)[:5]
            if kind == "table" and name in self._names and isinstance(root, int) and isinstance(statement, str):
                number = _NUMBER.search(statement)
                columns = columns_of(statement)
                tables.append(Table(name, root, tuple(columns), tuple(columns.values()), number[1] if number else None))
        return tables

    def _rows_of(self, table: Table) -> Iterator[Values]:
        waiting, seen = [table.root], {table.root}
        while waiting:
            number = waiting.pop()
            page = self._page(number)
            kind = page[100 if number == 1 else 0] if page is not None else 0
            if page is None or kind not in (_LEAF, _INTERIOR):
                self._missing += 1
                continue
            self._reached.add(number)
            if kind == _LEAF:
                yield from self._cells(page, number, table)
            else:
                below = [child for child in self._children(page, number) if child not in seen]
                seen.update(below)
                waiting += reversed(below)

    def _add_orphans(self) -> None:
        """Take pages to which nothing leads any more, where all rows look like those of one table."""
        free = self._free
        if free is None:
            return
        for number in range(2, self._count + 1):
            page = self._page(number)
            if page is None or page[0] != _LEAF or number in self._reached or number in free:
                continue
            table = self._table_like(list(self._cells(page, number)))
            if table is not None:
                self.rows[table.name] += self._cells(page, number, table)

    def _table_like(self, rows: list[Values]) -> Table | None:
        """The only table to which these rows can belong, by the number of their values and the declared types."""
        if not rows:
            return None
        alike = [table for table in self.tables if all(_fits(row, table) for row in rows)]
        return alike[0] if len(alike) == 1 else None

    # ------------------------------------------------------------------ cells

    def _pointers(self, page: bytes, number: int) -> tuple[int, Sequence[int]]:
        head = 100 if number == 1 else 0
        size = 12 if page[head] == _INTERIOR else 8
        count = min(int.from_bytes(page[head + 3 : head + 5]), (self._size - head - size) // 2)
        return head, struct.unpack_from(f">{count}H", page, head + size)

    def _children(self, page: bytes, number: int) -> list[int]:
        head, places = self._pointers(page, number)
        children = [int.from_bytes(page[place : place + 4]) for place in places]
        return [*children, int.from_bytes(page[head + 8 : head + 12])]

    def _cells(self, page: bytes, number: int, table: Table | None = None) -> Iterator[Values]:
        """The rows in a page. A column that is the row's own number is stored as nothing."""
        own = table.columns.index(table.number) if table is not None and table.number in table.columns else None
        for place in self._pointers(page, number)[1]:
            try:
                rowid, values = self._cell(page, place)
            except (IndexError, struct.error, ValueError, OverflowError):
                self._missing += 1
                continue
            if own is not None and own < len(values) and values[own] is None:
                values[own] = rowid
            yield values

    def _cell(self, page: bytes, place: int) -> tuple[int, Values]:
        length, place = _varint(page, place)
        rowid, place = _varint(page, place)
        if length > _MOST_PAYLOAD:
            raise ValueError("too long")
        usable = self._size - (self._page(1) or bytes(21))[20]
        most = usable - 35
        if length <= most:
            return rowid, _values(_exact(page, place, length))
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        pieces = [_exact(page, place, local)]
        rest, following = length - local, int.from_bytes(_exact(page, place + local, 4))
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
        return rowid, _values(b"".join(pieces))


def columns_of(statement: str) -> dict[str, str]:
    """The columns of a table with their types, by the statement that made it."""
    body = statement[statement.find("(") + 1 : statement.rfind(")")]
    names: dict[str, str] = {}
    depth = start = 0
    for place, letter in enumerate(body + ","):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            found = _COLUMN.match(body[start:place])
            if found is not None and found[1].lower() not in _CONSTRAINTS:
                names[found[1]] = found[2].lower()
            start = place + 1
    return names


def _exact(raw: bytes, place: int, length: int) -> bytes:
    piece = raw[place : place + length]
    if len(piece) != length:
        raise ValueError("cut")
    return piece


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count in range(9):
        byte = raw[place + count]
        if count == 8:
            return (value << 8) | byte, place + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, place + count + 1
    raise ValueError("no number")


_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _values(payload: bytes) -> Values:
    """The values of a record. Text that is no text stays bytes."""
    end, place = _varint(payload, 0)
    kinds: list[int] = []
    while place < end:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    values: Values = []
    for kind in kinds:
        if kind in _INTEGERS:
            values.append(int.from_bytes(_exact(payload, place, _INTEGERS[kind]), signed=True))
            place += _INTEGERS[kind]
        elif kind == 7:
            values.append(struct.unpack(">d", _exact(payload, place, 8))[0])
            place += 8
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind >= 12:
            length = (kind - 12) // 2
            content = _exact(payload, place, length)
            values.append(_text(content) if kind % 2 else content)
            place += length
        elif kind == 0:
            values.append(None)
        else:
            raise ValueError("no such kind")
    return values


def _text(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


_TYPES: dict[str, tuple[type, ...]] = {"text": (str, bytes), "integer": (int,), "real": (int, float)}


def _fits(row: Values, table: Table) -> bool:
    """Can a row belong to a table? Its first value identifies it, and no value has another type than its column."""
    return (
        len(row) == len(table.columns)
        and bool(row)
        and (row[0] is not None or table.number == table.columns[0])
        and all(
            value is None or isinstance(value, _TYPES.get(kind, (object,)))
            for value, kind in zip(row, table.types, strict=True)
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
    order = {0x377F0682: "<", 0x377F0683: ">"}.get(int.from_bytes(raw[:4]))
    if order is None or len(raw) < 32 or int.from_bytes(raw[8:12]) != size:
        return {}
    pages: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    salt, sums = raw[16:24], _sums(raw[:24], (0, 0), order)
    for place in range(32, len(raw) - 24 - size + 1, 24 + size):
        head, page = raw[place : place + 24], raw[place + 24 : place + 24 + size]
        sums = _sums(page, _sums(head[:8], sums, order), order)
        if head[8:16] != salt or struct.unpack(">2I", head[16:24]) != sums:
            break
        pending[int.from_bytes(head[:4])] = page
        if int.from_bytes(head[4:8]):
            pages |= pending
            pending = {}
    return pages


def _sums(raw: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(raw) // 4}I", raw)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
