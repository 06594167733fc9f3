"""What this machine pushed, to which lake, in which state: so a push need not ask the lake.

A row is written before its document: who is killed in between pushes the same document again, with the same number.
Only when the news are written, a row counts as told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pollux.errors import StoreError
from pollux.lake.documents import Level
from pollux.model import Value
from pollux.system.clock import EPOCH, now
from pollux.system.files import make_private_file

_TABLES = """
CREATE TABLE IF NOT EXISTS documents (
    lake TEXT, key TEXT, id TEXT, month TEXT, seq INTEGER, state TEXT, path TEXT, level TEXT, stamp TEXT,
    bytes INTEGER, redactions INTEGER, told INTEGER, at INTEGER, PRIMARY KEY (lake, key)
) WITHOUT ROWID
"""
_EDITION = 1
_PATIENCE = 30.0


class Entry(Value, frozen=True, kw_only=True):
    """What was last pushed of a session.

    `id` and `month` stay as they were the first time. `at` (microseconds) is when the lake was last told, `told`
    whether it was told of this state.
    """

    key: str
    id: str
    month: str
    seq: int
    state: str
    path: str
    level: Level
    stamp: str
    bytes: int
    redactions: int | None
    told: bool
    at: int | None = None


_COLUMNS = Entry.__struct_fields__


class Journal:
    """The journal of all lakes."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "journal.db"
        self._sql: sqlite3.Connection | None = None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The database, with all changes inside kept together. Raises `StoreError`."""
        try:
            if self._sql is None:
                self._sql = self._open()
            with self._sql:
                yield self._sql
        except (sqlite3.Error, OSError) as error:
            hint = "Without the file, everything is pushed once more, which does no harm."
            raise StoreError(f"The journal {self._file} cannot be used: {error}.", hint) from error

    def _open(self) -> sqlite3.Connection:
        make_private_file(self._file)
        sql = sqlite3.connect(self._file, timeout=_PATIENCE)
        if sql.execute("PRAGMA user_version").fetchone()[0] > _EDITION:
            raise StoreError(f"{self._file} was written by a later release of pollux.", "Update pollux.")
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = NORMAL")  # what a loss of power forgets is pushed once more
        sql.execute(_TABLES)
        sql.execute(f"PRAGMA user_version = {_EDITION}")
        sql.commit()
        return sql

    def close(self) -> None:
        """Let go of the file."""
        if self._sql is not None:
            self._sql.close()
            self._sql = None

    @property
    def exists(self) -> bool:
        """Was anything ever pushed?"""
        return self._file.exists()

    def entries(self, lake: str) -> dict[str, Entry]:
        """What was pushed to a lake, by key."""
        if not self.exists:
            return {}
        with self._opened() as sql:
            rows = sql.execute(f"SELECT {', '.join(_COLUMNS)} FROM documents WHERE lake=?", (lake,)).fetchall()
        return {row[0]: _entry(row) for row in rows}

    def lakes(self) -> list[str]:
        """The lakes to which something was pushed."""
        if not self.exists:
            return []
        with self._opened() as sql:
            return [lake for (lake,) in sql.execute("SELECT DISTINCT lake FROM documents ORDER BY lake")]

    def next_seq(self) -> int:
        """A number above all that were used: the time in microseconds, unless the clock was put back."""
        last = 0
        if self.exists:
            with self._opened() as sql:
                last = sql.execute("SELECT MAX(seq) FROM documents").fetchone()[0] or 0
        return max(last + 1, microseconds(now()))

    def write(self, lake: str, entries: Iterable[Entry]) -> None:
        """Note what is pushed, before it is; or that it is as it was."""
        marks = ", ".join("?" * (len(_COLUMNS) + 1))
        statement = f"INSERT OR REPLACE INTO documents (lake, {', '.join(_COLUMNS)}) VALUES ({marks})"
        with self._opened() as sql:
            sql.executemany(statement, ([lake, *(getattr(entry, name) for name in _COLUMNS)] for entry in entries))

    def tell(self, lake: str, keys: Iterable[str]) -> None:
        """Note that the lake was told of what was pushed."""
        at = microseconds(now())
        with self._opened() as sql:
            statement = "UPDATE documents SET told=1, at=? WHERE lake=? AND key=?"
            sql.executemany(statement, ((at, lake, key) for key in keys))


def _entry(row: tuple[object, ...]) -> Entry:
    values = dict(zip(_COLUMNS, row, strict=True))
    return Entry(**{**values, "level": Level(str(values["level"])), "told": bool(values["told"])})  # type: ignore[arg-type]


def microseconds(at: datetime) -> int:
    """The microseconds since 1970."""
    return (at.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)
