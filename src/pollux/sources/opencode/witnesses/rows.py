"""Records in the rows of a database, or in a document of such rows. Only these tables are ever read."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pollux.model import Origin, Severity
from pollux.sources.database import Row, Shape, Snapshot, text_of
from pollux.sources.opencode.format.schema import MessageInfo, Part, SessionInfo, UsualPart
from pollux.sources.opencode.witnesses.log import entries_of_gone, is_removed, removed_by, told
from pollux.sources.opencode.witnesses.records import Gathered, MessageRecord, PartRecord
from pollux.wire import REFUSED, Malformed, Notes, decode, decoder, display_path, fit, plain

TABLES = ("session", "message", "part", "todo", "event", "project")
OTHER_TABLES = ("session_message", "session_input", "session_context_epoch")
"""Tables of a second session model, in which no release has written messages yet."""

_SWITCHES = (b"agent-switched", b"model-switched")
"""What 1.15 writes into the first of them: the agent and the model that were chosen, which every message names, too."""

OWNERS = {"session": "id", "message": "session_id", "part": "session_id", "todo": "session_id"}
OWNERS |= {"event": "aggregate_id", **dict.fromkeys(OTHER_TABLES, "session_id")}
SHAPE = Shape(OWNERS, ("project",))
"""Which column says to which session a row belongs."""

NEEDED = {"session": ("id",), "message": ("id", "session_id", "data")}
NEEDED["part"] = ("id", "message_id", "session_id", "data")
"""Columns without which a table cannot be read as that of a session, of messages or of their parts."""

_ORDERS = {"message": "time_created id", "todo": "position", "event": "seq"}


class PlacedRow(NamedTuple):
    """A row with its place. `removed`: the agent took it out again."""

    row: Row
    origin: Origin
    removed: bool = False


Rows = dict[str, list[PlacedRow]]
"""The rows of a session by their tables."""


def session_rows(state: Snapshot, id: str, leave: Container[str] = ()) -> dict[str, list[Row]]:
    """The rows of a session but for those that one may `leave`.

    Of its events, only those about records that are there no more.
    """
    rows = {
        table: state.rows(table, {OWNERS[table]: id}, _ORDERS.get(table, ""))
        for table in (*TABLES[:4], *OTHER_TABLES)
        if table not in leave
    }
    # SQLite would copy the long rows of parts to sort them.
    parts = rows.get("part", [])
    try:
        parts.sort(key=lambda row: (row["message_id"], row["id"]))
    except (KeyError, TypeError):  # a column is missing, or its values are of several types
        parts.sort(key=lambda row: (text_of(row.get("message_id")), text_of(row.get("id"))))
    projects = {text_of(row.get("project_id")) for row in rows["session"]}
    rows["project"] = [row for name in sorted(projects) for row in state.rows("project", {"id": name})]
    rows["event"] = entries_of_gone(state, id, has_record=bool(rows["session"]))
    return {table: found for table, found in rows.items() if found}


def project_facts(row: Row) -> Row:
    """What a project's row says of its sessions: all but when the agent was last started there."""
    return {column: value for column, value in row.items() if column != "time_updated"}


def placed(rows: Mapping[str, Sequence[Row]], file: str) -> Rows:
    """Rows of a database, each with its place: the table, and what identifies the row."""
    name = display_path(file)
    return {
        table: [PlacedRow(row, Origin(file=name, row=f"{table}/{text_of(row.get(key))}")) for row in found]
        for table, found, key in ((table, found, row_key(table)) for table, found in rows.items())
    }


def row_key(table: str) -> str:
    """The column that identifies a row of a table."""
    return "position" if table == "todo" else "session_id" if table in OTHER_TABLES[2:] else "id"


# ------------------------------------------------------------------ records


def gather_session(state: Snapshot, id: str, file: str, into: Gathered, notes: Notes) -> None:
    """Add the records of a session in a database."""
    name = display_path(file)
    quick = [table for table, columns in _COLUMNS.items() if columns == set(state.tables.get(table, ()))]
    notes.file, notes.line = name, None
    if "message" in quick:
        _gather_messages(state, id, name, into, notes)
    if "part" in quick:
        _gather_parts(state, id, name, into, notes)
    gather_rows(placed(session_rows(state, id, quick), file), into, notes)


def _gather_messages(state: Snapshot, id: str, file: str, into: Gathered, notes: Notes) -> None:
    """Add the messages of a session. Nearly all are as their shape says, and pass here."""
    decode_exact = decoder(MessageInfo)
    for id_value, raw in state.select("SELECT id, data FROM message WHERE session_id=?", id):
        try:
            message, exact = decode_exact(raw), True
        except (*REFUSED, TypeError):
            message, exact = _record(MessageInfo, "message", {"id": id_value, "data": raw}, notes), False
        try:
            message.id = name = id_value.decode()
        except (AttributeError, UnicodeDecodeError):
            message.id = name = text_of(id_value)
        origin = Origin(file=file, row=f"message/{name}")
        into.add_message(name, MessageRecord(message, origin, into.is_removed(name), exact))


def _gather_parts(state: Snapshot, id: str, file: str, into: Gathered, notes: Notes) -> None:
    """Add the parts of a session's messages in the same way. Those of a message mostly follow one another."""
    decode_usual = decoder(UsualPart)
    before: Any = None
    parts: dict[str, PartRecord] = {}
    part: Part | UsualPart
    for id_value, owner, raw in state.select("SELECT id, message_id, data FROM part WHERE session_id=?", id):
        try:
            part, exact = decode_usual(raw), True
        except (*REFUSED, TypeError):
            part, exact = _other_part(id_value, raw, notes)
        try:
            part.id = name = id_value.decode()
        except (AttributeError, UnicodeDecodeError):
            part.id = name = text_of(id_value)
        if owner != before:
            before, parts = owner, into.parts.setdefault(text_of(owner), {})
        if name not in parts:
            parts[name] = PartRecord(part, file, exact=exact)


def _other_part(id_value: Any, raw: Any, notes: Notes) -> tuple[Part, bool]:
    """A part of another type, or with other fields, and whether nothing in it is unknown or odd."""
    try:
        return decoder(Part)(raw), True
    except (*REFUSED, TypeError):
        return _record(Part, "part", {"id": id_value, "data": raw}, notes), False


def gather_rows(rows: Rows, into: Gathered, notes: Notes) -> None:
    """Add the records in a session's rows."""
    for row, origin, _ in rows.get("session", ()):
        _at(notes, origin)
        if (info := _session(session_record(row, notes), notes)) is not None:
            into.add_info(info, origin)
    for row, origin, removed in rows.get("message", ()):
        _at(notes, origin)
        message = _record(MessageInfo, "message", row, notes)
        id = message.id
        into.add_message(id, MessageRecord(message, origin, removed or into.is_removed(id)))
    for row, origin, removed in rows.get("part", ()):
        if "message_id" not in row:
            continue  # it belongs to no message, and is kept beside them
        _at(notes, origin)
        part = _record(Part, "part", row, notes)
        into.add_part(text_of(row.get("message_id")), part.id, PartRecord(part, origin, removed))
    for row, origin, _ in rows.get("project", ()):
        _at(notes, origin)
        into.worktree = into.worktree or text_of(row.get("worktree")) or None
        into.side.setdefault("project", _values(project_facts(row), notes))
    if todos := [_values(row, notes) for row, *_ in rows.get("todo", ())]:
        into.side["todo"] = todos
    _gather_events(rows.get("event", ()), into, notes)
    _gather_others(rows, into, notes)


def _session(record: dict[str, Any], notes: Notes) -> SessionInfo | None:
    try:
        return msgspec.convert(record, SessionInfo)
    except REFUSED:
        return fit(SessionInfo, record, notes, "session")


def _gather_events(rows: Iterable[PlacedRow], into: Gathered, notes: Notes) -> None:
    """Add the records that only the log of changes has: what the agent took out, and what was lost."""
    entries = [(entry, origin) for row, origin, _ in rows if (entry := told(row)) is not None]
    removed = removed_by(entry for entry, _ in entries)
    for entry, origin in entries:
        if entry.removed:
            continue
        _at(notes, origin)
        is_gone = is_removed(entry, removed)
        if entry.table == "session" and (info := fit(SessionInfo, entry.record, notes, "session")) is not None:
            into.add_info(info, origin)
        elif entry.table == "message" and (message := fit(MessageInfo, entry.record, notes, "message")) is not None:
            into.add_message(entry.id, MessageRecord(message, origin, removed=is_gone))
        elif entry.table == "part" and (part := fit(Part, entry.record, notes, "part")) is not None:
            into.add_part(part.messageID or "", entry.id, PartRecord(part, origin, removed=is_gone))


def _gather_others(rows: Rows, into: Gathered, notes: Notes) -> None:
    strays = [one for one in rows.get("part", ()) if "message_id" not in one.row]
    for table, found in (*((name, rows.get(name, [])) for name in OTHER_TABLES), ("part", strays)):
        if not found:
            continue
        into.side[table] = [_values(row, notes) for row, *_ in found]
        if unread := [one for one in found if one.row.get("type") not in _SWITCHES]:
            _at(notes, unread[0].origin)
            text = f"The table {table} has {len(unread)} rows of a kind that pollux cannot read as messages; kept."
            notes.add("record.unknown", text, subject=f"table {table}")


_COLUMNS = {"message": frozenset(("id", "session_id", "time_created", "time_updated", "data"))}
_COLUMNS["part"] = _COLUMNS["message"] | {"message_id"}


def _record(kind: type[Any], name: str, row: Row, notes: Notes) -> Any:
    """The record in a row: its JSON, with the id; columns that are not known are kept."""
    raw = row.get("data")
    record: Any = None

    if isinstance(raw, bytes):
        try:
            record = decode(kind, raw, notes, name)
        except Malformed as error:
            notes.add("item.damaged", f"The data of a row is not JSON ({error}); kept as text.", Severity.ERROR)
    elif raw is not None:
        notes.add("field.type", f"{name}.data has an unexpected type; kept as it is.", subject=f"{name}.data")
    extra = dict(record.extra) if record is not None else {"data": _value(raw, notes)}
    for column, value in row.items():
        if column not in _COLUMNS[name]:
            notes.add("field.unknown", f"{name} has an unknown column {column!r}; kept.", Severity.INFO,
                      subject=f"{name}.{column}")  # fmt: skip
            extra[column] = _value(value, notes)
    if record is None:
        record = kind()
    record.extra = extra
    record.id = text_of(row.get("id"))
    return record


_RENAMED = {"project_id": "projectID", "parent_id": "parentID", "workspace_id": "workspaceID"}
_GROUPED = ("time_", "summary_", "tokens_", "share_")
_JSON = ("revert", "permission", "model", "metadata", "summary_diffs")


def session_record(row: Row, notes: Notes) -> dict[str, Any]:
    """The row of a session as the record that files hold."""
    info: dict[str, Any] = {}
    for column, raw in row.items():
        if (value := _value(raw, notes)) is None:
            continue
        if column in _JSON and isinstance(raw, bytes):
            value = _json(raw, value, notes)
        group, name = _field(column)
        if group is not None:
            info.setdefault(group, {})[name] = value
        else:
            info[name] = value
    return info


@lru_cache(maxsize=1000)
def _field(column: str) -> tuple[str | None, str]:
    """The field that a column of a session is, and the object that the field is in, if it is in one."""
    for group in _GROUPED:
        if column.startswith(group):
            return group[:-1], column.removeprefix(group)
    return None, _RENAMED.get(column, column)


def _json(raw: bytes, text: Any, notes: Notes) -> Any:
    try:
        return plain(raw, notes)
    except Malformed:
        return text


def _values(row: Row, notes: Notes) -> dict[str, Any]:
    return {column: _value(value, notes) for column, value in row.items() if value is not None}


def _value(value: Any, notes: Notes) -> Any:
    if not isinstance(value, bytes):
        return value
    text = value.decode("utf-8", "replace")
    if "\N{REPLACEMENT CHARACTER}" in text and "\N{REPLACEMENT CHARACTER}".encode() not in value:
        notes.add("text.encoding", "Bytes that are not text were replaced by \N{REPLACEMENT CHARACTER}.")
    return text


def _at(notes: Notes, origin: Origin) -> None:
    notes.file, notes.line = origin.file, origin.line


def database_of(document: str) -> str:
    """The path of the database whose rows a document holds."""
    return os.path.dirname(document)  # noqa: PTH120
