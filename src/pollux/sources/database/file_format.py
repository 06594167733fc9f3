"""SQLite's file format, as far as it is read here without SQLite: https://www.sqlite.org/fileformat2.html."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LEAF, INTERIOR = 13, 5
INDEX_LEAF, INDEX_INTERIOR = 10, 2
"""The kinds of pages, by their first byte."""

LOG_HEAD, FRAME_HEAD = 32, 24
SIZES = tuple(1 << power for power in range(9, 17))
"""How large a page may be."""

_COLUMN = re.compile(r'\s*[`"\[]?(\w+)[`"\]]?\s*(\w*)')
_DEFAULT = re.compile(r"\bDEFAULT\s+\(?\s*(-?\d+(?:\.\d+)?|'(?:[^']|'')*'|true|false)", re.IGNORECASE)
_NUMBER = re.compile(r'[`"\[]?(\w+)[`"\]]?\s+INTEGER\s+PRIMARY\s+KEY', re.IGNORECASE)
_CONSTRAINTS = ("constraint", "primary", "unique", "check", "foreign")
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}

Values = list[Any]


class Column(NamedTuple):
    """A column. Rows that are older than the column do not hold it: they have its default."""

    name: str
    type: str
    default: int | float | str | None


class Table(NamedTuple):
    """A table: where it begins, its columns, and the one that is the row's own number."""

    name: str
    root: int
    columns: tuple[Column, ...] = ()
    number: str | None = None

    def place(self, column: str | None) -> int | None:
        """The place of a column."""
        return next((place for place, one in enumerate(self.columns) if one.name == column), None)

    def whole(self, values: Values) -> Values:
        """The values of a row with those that its record leaves out."""
        return [*values, *(column.default for column in self.columns[len(values) :])][: len(self.columns)]


def tables_in(schema: Iterable[Values], names: Sequence[str]) -> list[Table]:
    """The named tables, by the rows of the schema."""
    tables: list[Table] = []
    for row in schema:
        kind, name, _, root, statement = (row + [None] * 5)[:5]
        is_known = any(table.name == name for table in tables)  # in a damaged schema a name may stand twice
        if kind == "table" and name in names and not is_known and isinstance(root, int) and isinstance(statement, str):
            number = _NUMBER.search(statement)
            tables.append(Table(name, root, tuple(columns_of(statement)), number[1] if number else None))
    return tables


def columns_of(statement: str) -> Iterator[Column]:
    """The columns of a table, by the statement that made it. In a damaged one a name may stand twice."""
    known: set[str] = set()
    body = statement[statement.find("(") + 1 : statement.rfind(")")]
    depth = start = 0
    for place, letter in enumerate(body + ","):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth <= 0:
            found = _COLUMN.match(body[start:place])
            if found is not None and found[1].lower() not in _CONSTRAINTS:
                name = found[1]
                while name.lower() in known:
                    name += "_"
                known.add(name.lower())
                yield Column(name, found[2].lower(), _default(body[start:place]))
            start = place + 1


def _default(column: str) -> int | float | str | None:
    found = _DEFAULT.search(column)
    if found is None:
        return None
    text = found[1]
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.lower() in ("true", "false"):
        return int(text.lower() == "true")
    return float(text) if "." in text else int(text)


def write_tables(file: Path, tables: Iterable[tuple[Table, Iterable[Values]]]) -> None:
    """Write rows into a new database, for the user alone. Nothing but names and types is taken from the schema."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as new:
        new.execute("PRAGMA synchronous=OFF").close()
        new.execute("PRAGMA journal_mode=OFF").close()
        new.execute("BEGIN")
        for table, rows in tables:
            # In quotation marks a word that means something to SQLite is a type like any other.
            columns = ", ".join(
                f'"{column.name}" "{column.type}"' if column.type else f'"{column.name}"' for column in table.columns
            )
            new.execute(f'CREATE TABLE "{table.name}" ({columns})')
            marks = ", ".join("?" * len(table.columns))
            new.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', map(table.whole, rows))  # noqa: S608
        new.execute("COMMIT")
    os.chmod(file, 0o600)  # noqa: PTH101


# ------------------------------------------------------------------ pages


def page_size(head: bytes) -> int | None:
    """The size of pages that the first page names, if there are pages of this size."""
    size = int.from_bytes(head[16:18])
    size = 65536 if size == 1 else size
    return size if size in SIZES else None


def pointers(page: bytes, number: int) -> tuple[int, Sequence[int]]:
    """Where a page's own head begins, and where its cells are."""
    head = 100 if number == 1 else 0
    size = 12 if page[head] in (INTERIOR, INDEX_INTERIOR) else 8
    count = min(int.from_bytes(page[head + 3 : head + 5]), (len(page) - head - size) // 2)
    return head, struct.unpack_from(f">{count}H", page, head + size)


def children(page: bytes, number: int) -> list[int]:
    """The pages below an interior page."""
    head, places = pointers(page, number)
    below = [int.from_bytes(page[place : place + 4]) for place in places]
    return [*below, int.from_bytes(page[head + 8 : head + 12])]


def local_length(length: int, usable: int, kind: int = LEAF) -> int:
    """How much of a record stands in its page; the rest is in pages of its own."""
    most = usable - 35 if kind == LEAF else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (usable - 4)
    return local if local <= most else least


# ------------------------------------------------------------------ records


def exact(raw: bytes, place: int, length: int) -> bytes:
    """So many bytes. Raises `ValueError` if there are fewer."""
    piece = raw[place : place + length]
    if len(piece) != length:
        raise ValueError("cut")
    return piece


def varint(raw: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place behind it."""
    value = 0
    for count in range(9):
        byte = raw[place + count]
        if count == 8:
            return (value << 8) | byte, place + 9
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, place + count + 1
    raise ValueError("no number")


def record_values(payload: bytes) -> Values:
    """The values of a record. Text that is no text stays bytes."""
    return [_value(payload, place, kind) for kind, place in fields(payload)]


def fields(payload: bytes) -> Iterator[tuple[int, int]]:
    """The kind and the place of each value of a record."""
    end, place = varint(payload, 0)
    at = end
    while place < end:
        kind, place = varint(payload, place)
        yield kind, at
        at += (kind - 12) // 2 if kind >= 12 else 8 if kind == 7 else _INTEGERS.get(kind, 0)


def _value(payload: bytes, place: int, kind: int) -> Any:
    if kind >= 12:
        content = exact(payload, place, (kind - 12) // 2)
        return _text(content) if kind % 2 else content
    if kind in _INTEGERS:
        return int.from_bytes(exact(payload, place, _INTEGERS[kind]), signed=True)
    if kind == 7:
        return struct.unpack(">d", exact(payload, place, 8))[0]
    if kind in (8, 9):
        return kind - 8
    if kind:
        raise ValueError("no such kind")
    return None


def _text(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


# ------------------------------------------------------------------ the log


def log_order(head: bytes, size: int) -> str | None:
    """The order of bytes in a log's sums; None where it is no log of pages of this size."""
    order = _MAGIC.get(int.from_bytes(head[:4]))
    is_log = len(head) >= LOG_HEAD and int.from_bytes(head[8:12]) == size
    return order if is_log and order is not None and stated_sums(head, 24) == sums(head[:24], (0, 0), order) else None


def stated_sums(raw: bytes, place: int) -> tuple[int, int]:
    """The sums that stand at a place."""
    first, second = struct.unpack_from(">2I", raw, place)
    return first, second


def sums(raw: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    """The sums over some bytes, which go on from those before."""
    first, second = start
    words = struct.unpack(f"{order}{len(raw) // 4}I", raw)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
