"""The origin of a fork: OpenCode copies messages under new ids and does not say from where."""

from __future__ import annotations

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.base import File
from pollux.sources.database import session_snapshot
from pollux.sources.opencode.bundle import OpenCodeBundle
from pollux.sources.opencode.format.schema import MessageInfo
from pollux.sources.opencode.witnesses.rows import SHAPE
from pollux.wire import Malformed, Notes, decode, read_bytes

Mark = tuple[str, int]
"""The role and the time (ms) of a message: a copy has the same."""


def origin_of(bundle: OpenCodeBundle, copied: list[Message]) -> str | None:
    """The session of the same project that has all of these messages; of several, the one made first."""
    marks = {(message.role.value, round(message.at.timestamp() * 1000)) for message in copied if message.at}
    if not marks:
        return None
    found = _in_databases(bundle, marks) | _in_files(bundle, marks)
    # Ids of sessions sort in reverse: the largest was made first.
    return max(found - {bundle.id}, default=None)


def _in_databases(bundle: OpenCodeBundle, marks: set[Mark]) -> set[str]:
    origins: set[str] = set()
    times = [time for _, time in marks]
    made = max((place.rows.created for place in bundle.rows), default=0)
    # The origin was made before the fork, and written to with the last of these messages, or later.
    ids = [rows.id for rows in bundle.relatives if rows.created <= made and max(times) <= rows.changed]
    ids = [id for id in dict.fromkeys(ids) if id != bundle.id]
    for place in bundle.rows if ids else ():
        statement = "SELECT session_id, data FROM message WHERE time_created BETWEEN ? AND ?"
        try:
            state = session_snapshot(place.database, SHAPE, *ids)
            rows = state.select(statement, min(times), max(times))
        except Unreadable:
            continue
        had: dict[str, set[Mark]] = {}
        for id, data in rows:
            mark = _mark(data) if isinstance(data, bytes) else None
            if mark is not None and isinstance(id, bytes):
                had.setdefault(id.decode("utf-8", "replace"), set()).add(mark)
        origins |= {id for id, theirs in had.items() if marks <= theirs}
    return origins & set(ids)


def _in_files(bundle: OpenCodeBundle, marks: set[Mark]) -> set[str]:
    return {
        id for id, files in bundle.siblings.items() if id != bundle.id and files and marks <= set(_marks(files, marks))
    }


def _marks(files: list[File], wanted: set[Mark]) -> list[Mark]:
    found: list[Mark] = []
    for file in files:
        try:
            mark = _mark(read_bytes(file.path))
        except Unreadable:
            continue
        if mark is not None:
            found.append(mark)
        if len(found) == 1 and found[0] not in wanted:
            break
    return found


def _mark(raw: bytes) -> Mark | None:
    try:
        info = decode(MessageInfo, raw, Notes(), "message")
    except Malformed:
        return None
    if info is None or info.time is None or info.time.created is None:
        return None
    return info.role or "", round(info.time.created)
