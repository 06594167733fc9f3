"""The sessions in a database, each with a value that changes with any of its rows."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec

from pollux.sources.base import File, fingerprint_of
from pollux.sources.database import (
    Excerpt,
    InPlace,
    Marks,
    NotInPlace,
    Snapshot,
    changes_since,
    is_large,
    keep_excerpt,
    marks_of,
    session_snapshot,
    snapshot,
    text_of,
)
from pollux.sources.opencode.witnesses.rows import NEEDED, OTHER_TABLES, OWNERS, SHAPE, TABLES, project_facts

_MOST = 60
"""If more sessions changed, everything is read."""


class SessionRows(msgspec.Struct, frozen=True, array_like=True):
    """A session in a database: a text that changes with any of its rows, its size, and its times (ms).

    Where the text is empty it is not known yet.
    """

    id: str
    fingerprint: str
    changed: int
    size: int
    project: str
    created: int = 0


class Listing(msgspec.Struct, frozen=True, array_like=True):
    """The sessions in a database, what is wrong with it, a text for each project, and marks for the next listing."""

    sessions: list[SessionRows]
    damage: list[str] = []
    projects: dict[str, str] = {}
    marks: Marks | None = None


def listing_of(database: File, former: Listing | None) -> Listing:
    """The sessions of a database. What a former listing says of a large one is used. Raises `Unreadable`."""
    if former is not None and former.marks is not None and not former.damage:
        with contextlib.suppress(NotInPlace):
            return _listing_since(database, former, former.marks)
    state = snapshot(database, SHAPE.names)
    found = listing(state)
    if is_large(database) and state.whole_file is not None:
        with contextlib.suppress(NotInPlace), InPlace(state.whole_file, SHAPE.names) as reader:
            return msgspec.structs.replace(found, marks=marks_of(reader, SHAPE))
    return found


def _listing_since(database: File, former: Listing, marks: Marks) -> Listing:
    with InPlace(database.path, SHAPE.names) as reader:
        changes = changes_since(marks, reader, SHAPE)
        ids = changes.ids | changes.gone
        if len(ids) > _MOST:
            raise NotInPlace
        excerpt = Excerpt(reader, database.path, SHAPE, sorted(ids))
    keep_excerpt(database, ids, excerpt)
    found = listing(excerpt)
    kept = [rows for rows in former.sessions if rows.id not in ids]
    return Listing([*kept, *found.sessions], found.damage, found.projects, changes.marks)


def first_listing(database: File) -> Listing:
    """The sessions of a large database by their own rows alone. Raises `NotInPlace`."""
    with InPlace(database.path, SHAPE.names) as reader:
        table = reader.tables.get("session")
        if table is None or not {"message", "part"} <= reader.tables.keys():
            raise NotInPlace
        names = [column.name for column in table.columns]
        rows = [dict(zip(names, table.whole(row), strict=True)) for row in reader.all_rows(table)]
    return Listing(
        [
            SessionRows(id, "", _whole(row.get("time_updated")), 0, text_of(row.get("project_id")), _made(row))
            for row in rows
            if (id := text_of(row.get("id")))
        ]
    )


def mark_of(database: File, rows: SessionRows) -> str:
    """A text that changes with any row of a session. Raises `Unreadable`."""
    if rows.fingerprint:
        return rows.fingerprint
    found = listing(session_snapshot(database, SHAPE, rows.id), rows.id)
    return next(
        (one.fingerprint + found.projects.get(one.project, "") for one in found.sessions if one.id == rows.id), ""
    )


def listing(state: Snapshot, only: str | None = None) -> Listing:
    """Every session of which a row is left, or one, with a fingerprint of its rows. No record is read.

    The log of changes only grows: how many entries it has tells all.
    """
    marks: dict[str, list[str]] = {}
    changed: dict[str, int] = {}
    sizes: dict[str, int] = {}
    projects = {text_of(row.get("id")): _digest(project_facts(row)) for row in state.rows("project", {})}
    of_project: dict[str, tuple[str, int]] = {}
    for row in state.rows("session", {} if only is None else {"id": only}):
        id = text_of(row.get("id"))
        of_project[id] = text_of(row.get("project_id")), _made(row)
        marks[id] = [_digest(row)]
        changed[id] = _whole(row.get("time_updated"))
        sizes[id] = 512
    for table in (*TABLES[1:5], *OTHER_TABLES):
        owner = OWNERS[table]
        if not state.has(table, owner):
            continue
        figures = ["count(*)"]
        figures.append("max(time_updated)" if state.has(table, "time_updated") else "0")
        is_event = table == "event"
        figures.append("sum(length(CAST(data AS BLOB)))" if state.has(table, "data") and not is_event else "0")
        figures.append("max(seq)" if state.has(table, "seq") else "0")
        figures.append("0" if is_event else f"sum({state.checksum(table)})")
        condition, wanted = ("", ()) if only is None else (f'WHERE "{owner}"=?', (only,))
        statement = f'SELECT "{owner}", {", ".join(figures)} FROM "{table}" {condition} GROUP BY 1'  # noqa: S608 (ours)
        for id_value, *values in state.select(statement, *wanted):
            id = text_of(id_value)
            if is_event and id not in marks and not state.damage:
                continue  # of a session that was deleted nothing is left
            marks.setdefault(id, []).append(f"{table} {values}")
            changed[id] = max(changed.get(id, 0), _whole(values[1]))
            sizes[id] = sizes.get(id, 0) + _whole(values[2])
    damage = list(state.damage)
    missing = [f"table {name}" for name in NEEDED if name not in state.tables]
    missing += [
        f"column {name}.{column}"
        for name, columns in NEEDED.items()
        for column in columns
        if name in state.tables and column not in state.tables[name]
    ]
    if missing and not damage:
        damage.append(f"The database has no {' and no '.join(missing)}: a newer release may have made it.")
    if not missing and (unread := sum(not id or "\N{REPLACEMENT CHARACTER}" in id for id in marks)):
        damage.append(f"Rows of {unread} sessions have an id that is no text, and cannot be read.")
    return Listing(
        [
            SessionRows(id, fingerprint_of(mark), changed.get(id, 0), sizes.get(id, 0), *of_project.get(id, ("", 0)))
            for id, mark in marks.items()
            if id
        ],
        damage,
        projects,
    )


def _digest(row: dict[str, Any]) -> str:
    return fingerprint_of([repr(sorted(row.items()))])


def _made(row: dict[str, Any]) -> int:
    return _whole(row.get("time_created"))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else 0
