"""The records of a transcript as far as copies of them can be recognised, and the records that two sessions share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pollux.errors import Unreadable
from pollux.sources.claude.format.envelope import Envelope, envelope, is_unique
from pollux.sources.claude.format.schema import Line
from pollux.system.clock import is_usable
from pollux.wire import Utc, numbered_lines, opened


class _Fields(Envelope):
    """The fields of a record that distinguish copies."""

    timestamp: Utc | None = None
    cwd: str | None = None


class Record(NamedTuple):
    """A record: its line, its time, the ids of reply and request, and the directory.

    `maker` is the session that made it, as far as the record names it: for some copies it is the parent.
    """

    number: int
    at: datetime | None
    maker: str | None
    reply: str | None
    request: str | None
    directory: str | None


class Records(msgspec.Struct, frozen=True):
    """The records of a session by id: by uuid or, without one, by the id of the reply.

    `sessions` are the sessions that the records name; the last record belongs to `last_session`. `damaged`: a line
    cannot be read, or the parent of a record is missing.
    """

    by_id: dict[str, Record]
    sessions: frozenset[str | None]
    last_session: str | None
    damaged: bool

    def shared_with(self, other: Records) -> frozenset[str]:
        """The ids of the records that another session has, too.

        If another line of a reply is there, the reply is: a line may be lost. If copies have new uuids, prompts and
        results are recognised by their place: before a shared reply.
        """
        own, others = self.by_id, other.by_id
        same = {id for id, record in own.items() if id in others and _is_same(id, record, others[id])}
        replies = _requests_by_reply(others.values())
        copies = {id: record for id, record in own.items() if _is_among(record, replies)}
        known = {own[id].reply for id in same}
        end = max((record.number for record in copies.values() if record.reply not in known), default=0)
        placed = {id for id, record in own.items() if record.number <= end and not is_unique(record.reply or "")}
        return frozenset({*same, *copies, *placed})


def id_of(line: Line) -> str | None:
    """The id of a line among the records of its session."""
    return line.uuid or (line.message.id if line.message is not None and line.type == "assistant" else None)


def records_of(files: Sequence[tuple[str, int, int]]) -> Records:
    """The records of the files of a session. Each file has its size and its time."""
    parts = [_read(*file) for file in files]
    if len(parts) == 1:
        return parts[0]
    by_id: dict[str, Record] = {}
    for part in parts:
        by_id |= part.by_id
    sessions = frozenset[str | None]().union(*(part.sessions for part in parts))
    last_session = next((part.last_session for part in parts if part.last_session is not None), None)
    return Records(by_id, sessions, last_session, any(part.damaged for part in parts))


@lru_cache(maxsize=256)
def _read(path: str, size: int, mtime_ns: int) -> Records:  # noqa: ARG001 (the cache's key)
    records: dict[str, Record] = {}
    parents: set[str] = set()
    sessions: set[str | None] = set()
    last_session: str | None = None
    damaged = False
    directories: dict[str | None, str | None] = {}
    try:
        with opened(path) as file:
            for number, raw in numbered_lines(file):
                fields = envelope(_Fields, raw)
                if fields is None:
                    damaged = damaged or raw.endswith(b"\n")
                    continue
                if fields.parentUuid is not None:
                    parents.add(fields.parentUuid)
                if (id := fields.uuid or fields.reply) is not None:
                    directory = directories.setdefault(fields.cwd, fields.cwd)
                    records.setdefault(id, _record(number, fields, directory))
                    sessions.update((fields.origin, fields.sessionId))
                    last_session = fields.sessionId or last_session
    except Unreadable:
        pass
    return Records(records, frozenset(sessions), last_session, damaged or not parents <= records.keys())


def _record(number: int, fields: _Fields, directory: str | None) -> Record:
    at = fields.timestamp if fields.timestamp is not None and is_usable(fields.timestamp) else None
    return Record(number, at, fields.origin or fields.sessionId, fields.reply, fields.requestId, directory)


def _is_same(id: str, first: Record, second: Record) -> bool:
    """Are two records with the same id the same record? An id that is not unique may occur twice."""
    if None not in (first.request, second.request) and first.request != second.request:
        return False
    return is_unique(id) or first.at == second.at


def _requests_by_reply(records: Iterable[Record]) -> dict[str, set[str | None]]:
    """The requests of each reply with a unique id."""
    replies: dict[str, set[str | None]] = {}
    for record in records:
        if record.reply is not None and is_unique(record.reply):
            replies.setdefault(record.reply, set()).add(record.request)
    return replies


def _is_among(record: Record, replies: dict[str, set[str | None]]) -> bool:
    """Is a record one of these replies? If both name their request, it must be the same: some vendors repeat ids."""
    requests = replies.get(record.reply or "", set())
    return bool(requests) and (record.request is None or None in requests or record.request in requests)
