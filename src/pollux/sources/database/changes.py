"""Which sessions of a large database changed since it was last read, without reading all of it again.

Every change of a session shows in one of three places: its own row, whose time changes with every prompt; the pages at
the end of a table, where new rows are and those that were written lately; the number of a row. Values of an old row
that change without any of them, as nobody writes them but by hand, show when the whole database is next read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from pollux.sources.database.excerpt import Shape
from pollux.sources.database.file_format import Table, exact, fields
from pollux.sources.database.in_place import InPlace, Leaf, NotInPlace

_END = 128
"""So many pages at the end of each table are compared."""

_FAR = 4096
"""More new pages than these are not looked through one by one."""


class Marks(msgspec.Struct, frozen=True, array_like=True):
    """By what changes are seen: sums of pages by their tables, and the page and the sum of each session's own row."""

    schema: int
    pages: dict[str, dict[int, int]]
    rows: dict[str, tuple[int, int]]


class Changes(NamedTuple):
    """The sessions that are new or changed, those that are gone, and the marks for the next time."""

    ids: set[str]
    gone: set[str]
    marks: Marks


def marks_of(reader: InPlace, shape: Shape) -> Marks:
    """The marks of a database as it is now."""
    return changes_since(Marks(reader.schema, {}, {}), reader, shape).marks


def changes_since(before: Marks, reader: InPlace, shape: Shape) -> Changes:
    """What changed since. Raises `NotInPlace` where that takes reading everything."""
    if before.schema != reader.schema:
        raise NotInPlace
    main, *others = [table for name in shape.owners if (table := reader.tables.get(name)) is not None]
    rows, pages = _own_rows(before, reader, main, shape.owners[main.name])
    ids = {id for id, (_, total) in rows.items() if before.rows.get(id, (0, -1))[1] != total}
    marks = Marks(reader.schema, {main.name: pages}, rows)
    for table in others:
        known = before.pages.get(table.name)
        marks.pages[table.name], changed = _end(known, reader, table)
        if known is not None:
            ids.update(id for leaf in changed for id in _owners(reader, leaf, table, shape.owners[table.name]))
    for name in shape.shared:
        if name in reader.tables:
            marks.pages[name] = {leaf.number: zlib.crc32(leaf.page) for leaf in reader.leaves(reader.tables[name])}
    return Changes(ids, before.rows.keys() - rows.keys(), marks)


def _own_rows(
    before: Marks, reader: InPlace, table: Table, column: str
) -> tuple[dict[str, tuple[int, int]], dict[int, int]]:
    """The page and the sum of each session's own row; those in unchanged pages are known."""
    known = before.pages.get(table.name, {})
    by_page: dict[int, list[tuple[str, tuple[int, int]]]] = {}
    for id, row in before.rows.items():
        by_page.setdefault(row[0], []).append((id, row))
    rows: dict[str, tuple[int, int]] = {}
    pages: dict[int, int] = {}
    for leaf in reader.leaves(table):
        total = pages[leaf.number] = zlib.crc32(leaf.page)
        if known.get(leaf.number) == total:
            rows.update(by_page.get(leaf.number, ()))
            continue
        place = _place(table, column)
        for cell in reader.cells(leaf):
            if (name := _text(cell, place)) is not None:
                rows[name] = (leaf.number, zlib.crc32(cell))
    return rows, pages


def _end(known: dict[int, int] | None, reader: InPlace, table: Table) -> tuple[dict[int, int], list[Leaf]]:
    """The sums of the last pages of a table, and those of them that are new or changed."""
    pages: dict[int, int] = {}
    changed: list[Leaf] = []
    end = _FAR if known else _END
    for count, leaf in enumerate(reader.last_leaves(table)):
        if count >= end:
            break
        total = zlib.crc32(leaf.page)
        if count < _END:
            pages[leaf.number] = total
        if known is None or known.get(leaf.number) != total:
            changed.append(leaf)
        elif end == _FAR:
            end = _END + count  # before it are new pages, behind it those that were compared the last time
    else:
        return pages, changed
    if end == _FAR:
        raise NotInPlace
    return pages, changed


def _owners(reader: InPlace, leaf: Leaf, table: Table, column: str) -> Iterator[str]:
    place = _place(table, column)
    return (id for cell in reader.cells(leaf) if (id := _text(cell, place)) is not None)


def _place(table: Table, column: str) -> int:
    place = table.place(column)
    if place is None:
        raise NotInPlace
    return place


def _text(cell: bytes, place: int) -> str | None:
    """The text in a column of a row, of which the beginning is enough."""
    for count, (kind, start) in enumerate(fields(cell)):
        if count == place:
            return exact(cell, start, (kind - 12) // 2).decode("utf-8", "replace") if kind > 12 and kind % 2 else None
    return None
