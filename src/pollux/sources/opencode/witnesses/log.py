"""The log of changes, `event` (since 1.3.3): what it still holds of records that are gone from their tables.

What the agent took out again has an entry that says so. What is gone without one was lost with a part of the database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from pollux.sources.database import Row, Snapshot, text_of
from pollux.wire import Malformed, Notes, plain

_UPDATES = {
    "session.created": ("session", "info"),
    "session.updated": ("session", "info"),
    "message.updated": ("message", "info"),
    "message.part.updated": ("part", "part"),
}
"""The types of entries that hold a record, without the number behind them: the record's table, and its key."""

_REMOVALS = {"message.removed": ("message", "messageID"), "message.part.removed": ("part", "partID")}
"""Those that say that a record was taken out: its table, and the key of its id."""


class Told(NamedTuple):
    """What an entry says: the record of a table as it was then, or nothing but its id where it `removed` the record."""

    table: str
    id: str
    record: dict[str, Any]
    removed: bool = False


def told(row: Row) -> Told | None:
    """What an entry says of a record; None for any other entry."""
    name = text_of(row.get("type")).rpartition(".")[0]
    table, key = _UPDATES.get(name) or _REMOVALS.get(name) or ("", "")
    data = _data(row) if table else None
    value = data.get(key) if data is not None else None
    if name in _REMOVALS:
        return Told(table, value, {}, removed=True) if isinstance(value, str) else None
    id = value.get("id") if isinstance(value, dict) else None
    return Told(table, id, value) if isinstance(value, dict) and isinstance(id, str) else None


def removed_by(entries: Iterable[Told]) -> frozenset[str]:
    """The ids of the messages and parts that the agent took out."""
    return frozenset(entry.id for entry in entries if entry.removed)


def is_removed(entry: Told, removed: Collection[str]) -> bool:
    """Was a record taken out, by itself or with its message?"""
    message = entry.record.get("messageID")
    return entry.id in removed or (isinstance(message, str) and message in removed)


def entries_of_gone(state: Snapshot, id: str, *, has_record: bool) -> list[Row]:
    """The last entry about each record of a session that is gone, and what says that the agent took it out.

    `has_record`: the session's own row is there. What nothing took out counts only where the database is damaged.
    """
    if not state.has("event", "aggregate_id", "type", "data") or state.is_empty("event"):
        return []
    if has_record and not state.damage:
        pattern = " OR ".join(f"type LIKE '{name}.%'" for name in _REMOVALS)
        statement = f"SELECT count(*) FROM event WHERE aggregate_id=? AND ({pattern})"  # noqa: S608 (ours)
        if not state.select(statement, id)[0][0]:
            return []
    present = set() if not has_record else {id}
    for table in ("message", "part"):
        if state.has(table, "id", "session_id"):
            present |= {text_of(row[0]) for row in state.select(f"SELECT id FROM {table} WHERE session_id=?", id)}  # noqa: S608
    last: dict[tuple[str, str, bool], tuple[Told, Row]] = {}
    for row in state.rows("event", {"aggregate_id": id}, "seq"):
        entry = told(row)
        if entry is not None and entry.id not in present:
            last[entry.table, entry.id, entry.removed] = entry, row
    removed = removed_by(entry for entry, _ in last.values())
    return [
        row
        for entry, row in last.values()
        if state.damage or entry.id == id or entry.removed or is_removed(entry, removed)
    ]


def _data(row: Row) -> dict[str, Any] | None:
    raw = row.get("data")
    try:
        value = plain(raw, Notes()) if isinstance(raw, bytes) else None
    except Malformed:
        return None
    return value if isinstance(value, dict) else None
