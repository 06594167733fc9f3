"""`session-store.db`: Copilot CLI's index of all sessions (1.0.40+), a second witness.

It holds the prompt and the last answer of each turn, the summaries of compactions, and since 1.0.75 the figures of each
request: also of turns that a rewind cut from the file, of releases that record no request in the file, and of sessions
whose folder is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Severity, Usage
from pollux.sources.base import File, fingerprint_of
from pollux.sources.copilot import find
from pollux.sources.copilot.replay.figures import usage_of
from pollux.sources.database import DATABASE, Row, Snapshot, snapshot, with_log
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path

TABLES = ("sessions", "turns", "checkpoints", "assistant_usage_events")
"""The tables that are read. Others hold backups of files, proposals, and a search index."""

_COMPACTION = "compaction"
_SECTIONS = ("overview", "history", "work_done", "technical_details", "important_files", "next_steps")


class StoreIndex(msgspec.Struct):
    """What a store says of each session, as a digest, and when each session's last turn ended (nanoseconds).

    `damage` says what cannot be read of it.
    """

    digests: dict[str, str] = {}
    turns: dict[str, int] = {}
    damage: tuple[str, ...] = ()


class Turn(msgspec.Struct, frozen=True):
    """A turn: the prompt, the last answer, and when the next turn began, or the session ended."""

    row: int
    number: int
    prompt: str | None
    answer: str | None
    at: datetime | None


class Request(msgspec.Struct, frozen=True):
    """A request: its turn, the sub-agent that made it, the call that started that, and what it used."""

    row: int
    turn: int | None
    agent: str | None
    call: str | None
    model: str | None
    at: datetime | None
    usage: Usage
    compacts: bool


class Summary(msgspec.Struct, frozen=True):
    """The summary of a compaction, put together of its sections, and when it was made."""

    row: int
    number: int
    text: str
    at: datetime | None


class StoredSession(msgspec.Struct):
    """All that a store holds of a session."""

    file: str
    facts: dict[str, str] = {}
    turns: list[Turn] = []
    summaries: list[Summary] = []
    requests: list[Request] = []


def store_among(files: Iterable[File]) -> File | None:
    """The store among the files beside the sessions, with its log."""
    listed = list(files)
    found = next((file for file in listed if file.role == DATABASE and file.path.endswith(find.STORE_NAME)), None)
    return with_log(found, listed) if found is not None else None


def index_of(store: File) -> StoreIndex:
    """The digests of a store's rows. One that cannot be read says nothing."""
    try:
        opened = snapshot(store, TABLES)
        rows: dict[str, list[str]] = {}
        turns: dict[str, int] = {}
        for table in TABLES:
            for row in opened.rows(table, {}, "id"):
                name = _text(row.get("id" if table == "sessions" else "session_id"))
                if name is not None:
                    rows.setdefault(name, []).append(f"{table}{sorted(row.items(), key=str)}")
                    if table == "turns":
                        at = _time(row.get("timestamp"))
                        turns[name] = max(turns.get(name, 0), int(at.timestamp() * 10**9) if at is not None else 0)
    except Unreadable as error:
        return StoreIndex(damage=(str(error),))
    digests = {name: fingerprint_of(texts) for name, texts in rows.items()}
    return StoreIndex(digests, turns, tuple(opened.damage))


def stored_session(store: File, id: str, notes: Notes) -> StoredSession:
    """What the store holds of a session. Damage becomes a notice."""
    result = StoredSession(display_path(store.path))
    notes.file, notes.line = result.file, None
    try:
        opened = snapshot(store, TABLES)
        for sentence in opened.damage:
            if opened.tables:
                notes.add("store.damaged", sentence, Severity.WARNING)
            else:
                notes.add("file.unreadable", sentence, Severity.ERROR)
        _fill(result, opened, id.encode(), notes)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
    return result


def _fill(result: StoredSession, opened: Snapshot, id: bytes, notes: Notes) -> None:
    for row in _rows(opened, "sessions", {"id": id}):
        result.facts = {key: text for key, value in row.items() if (text := _text(value)) is not None}
    for row in _rows(opened, "turns", {"session_id": id}):
        number = row.get("turn_index")
        result.turns.append(
            Turn(
                row=_number(row.get("id")),
                number=_number(number),
                prompt=_text(row.get("user_message")),
                answer=_text(row.get("assistant_response")),
                at=_time(row.get("timestamp")),
            )
        )
    result.turns.sort(key=lambda turn: turn.number)
    for row in _rows(opened, "checkpoints", {"session_id": id}):
        sections = [(name, text) for name in _SECTIONS if (text := _text(row.get(name))) is not None]
        words = "\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in sections)
        if words:
            number, at = _number(row.get("checkpoint_number")), _time(row.get("created_at"))
            result.summaries.append(Summary(_number(row.get("id")), number, words, at))
    result.summaries.sort(key=lambda summary: summary.number)
    for row in _rows(opened, "assistant_usage_events", {"session_id": id}):
        turn = row.get("turn_index")
        plain = {key: _plain(value) for key, value in row.items() if value is not None}
        usage = usage_of(plain, notes)
        result.requests.append(
            Request(
                row=_number(row.get("id")),
                turn=turn if type(turn) is int else None,
                agent=_text(row.get("agent_id")),
                call=_text(row.get("parent_tool_call_id")),
                model=_text(row.get("model")),
                at=_time(row.get("created_at")),
                usage=msgspec.structs.replace(usage, file=result.file, row=f"assistant_usage_events/{row.get('id')}"),
                compacts=_text(row.get("initiator")) == _COMPACTION,
            )
        )


def _rows(opened: Snapshot, table: str, where: dict[str, Any]) -> list[Row]:
    """Rows by the text of a column. SQLite tells text from bytes, so the text is compared as text."""
    return opened.rows(table, {name: value.decode("utf-8", "replace") for name, value in where.items()}, "id")


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace") or None
    return str(value) if value is not None else None


def _plain(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _number(value: object) -> int:
    return value if type(value) is int else 0


def _time(value: object) -> datetime | None:
    text = _text(value)
    return recorded(text) if text is not None else None
