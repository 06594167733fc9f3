"""What a database holds at one moment: the rows of the tables that a source names, and of no others.

Databases also hold keys and tokens. A query that touches any other table is refused by SQLite itself.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.database.private_copy import JOURNAL, LOG, PrivateFolder
from pollux.sources.database.salvage import Salvage
from pollux.sources.database.wholeness import REFUSED, is_damage, restrain, whole_copy
from pollux.wire import display_path
from pollux.wire.passing import count_trouble, note_trouble

DATABASE = "database"
"""The role of a database, and of its log: neither is ever archived as it is."""

Row = dict[str, Any]
"""The values of a row by the names of its columns. Texts are bytes, as they stand in the file."""

_BEGINNINGS = (b"SQLite format 3\0", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", bytes.fromhex("d9d505f920a163d7"))
_SCHEMA = ("sqlite_master", "sqlite_schema")
_NOTHING_ELSE = "it holds none of the agent's tables"


def is_database(content: bytes) -> bool:
    """Is it the content of a database, of its log or of its journal?"""
    return content.startswith(_BEGINNINGS)


def with_log(database: File, files: Iterable[File]) -> File:
    """A database and its log as one file, whose stamp changes with either."""
    names = {database.path + LOG, database.path + JOURNAL}
    unit = [database, *(file for file in files if file.path in names)]
    return replace(database, size=sum(file.size for file in unit), mtime_ns=max(file.mtime_ns for file in unit))


class Snapshot:
    """The named tables of a database as they were at one moment.

    `tables` has the columns of those that are there, `damage` a sentence for everything that could not be read.
    """

    tables: dict[str, tuple[str, ...]]
    damage: list[str]
    _file: Path

    def __init__(self, path: str, names: Sequence[str]) -> None:
        copied = whole_copy(path, names)
        self._begin(path, names, copied.copy)
        self.damage += copied.damage
        try:
            if copied.is_readable:
                self.tables = self._described()
            else:
                self._salvage()
        except REFUSED:
            self._salvage()
        except BaseException:
            self.close()
            raise

    def _begin(self, path: str, names: Sequence[str], copy: PrivateFolder) -> None:
        self.path = path
        self.tables = {}
        self.damage = []
        self._names = names
        self._copy = copy
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}
        self._file = copy.file
        self._empty: dict[str, bool] = {}
        self._is_salvaged = False

    @property
    def whole_file(self) -> str | None:
        """The private copy of the whole database; None where only a part of it could be read."""
        return None if self._is_salvaged else str(self._file)

    def _described(self) -> dict[str, tuple[str, ...]]:
        tables: dict[str, tuple[str, ...]] = {}
        for name, kind, root in self._run("SELECT name, type, rootpage FROM sqlite_master", ()):
            # A view or a virtual table of the same name could run whatever it likes.
            table = text_of(name)
            if table in self._names and kind == b"table" and root:
                statement = f"SELECT * FROM {_quoted(table)} LIMIT 0"  # noqa: S608 (the source named it)
                columns = self._connection().execute(statement).description
                tables[table] = tuple(column[0] for column in columns)
        return tables

    def _salvage(self) -> None:
        """Put the rows that can still be read into a new private database."""
        if self._is_salvaged:
            raise Unreadable(f"{display_path(self.path)} cannot be read: {_NOTHING_ELSE}.")
        self._is_salvaged = True
        self._empty = {}
        self._disconnect()
        salvage = Salvage(self._copy.file, self._names)
        self.damage += salvage.damage
        self._file = self._copy.folder / "salvaged.db"
        salvage.write(self._file)
        self.tables = self._described()

    def select(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The result of a query. Where the database turns out to be damaged, of what is left of it."""
        try:
            return self._run(statement, values)
        except REFUSED as error:
            if not self._file.exists():
                count_trouble()
            if self._is_salvaged or not is_damage(error):
                note_trouble(error)
                raise Unreadable(f"{display_path(self.path)} cannot be read: {error}.") from error
            try:
                self._salvage()
            except (sqlite3.Error, OSError) as failure:  # no room for what was salvaged
                note_trouble(failure)
                raise Unreadable(f"{display_path(self.path)} cannot be read: {failure}.") from failure
            return self.select(statement, *values)

    def rows(self, table: str, where: Mapping[str, Any], order: str = "") -> list[Row]:
        """The rows of a table in which some columns have these values; none where the table or a column is missing."""
        columns = self.tables.get(table, ())
        statement = _selection(table, columns, tuple(where), order)
        if not statement or self.is_empty(table):
            return []
        return [dict(zip(columns, row, strict=True)) for row in self.select(statement, *where.values())]

    def is_empty(self, table: str) -> bool:
        """Has a table no rows at all? Asked once, not for every session. An index need not tell the truth."""
        if table not in self._empty:
            self._empty[table] = not self.select(f"SELECT 1 FROM {_quoted(table)} NOT INDEXED LIMIT 1")  # noqa: S608
        return self._empty[table]

    def has(self, table: str, *columns: str) -> bool:
        """Does the database have such a table, with these columns?"""
        return set(columns) <= set(self.tables.get(table, ())) if table in self.tables else False

    def checksum(self, table: str) -> str:
        """An expression for a query: a number that changes with any value of a row of this table."""
        return f"checksum({', '.join(f'CAST({_quoted(name)} AS BLOB)' for name in self.tables[table])})"

    def _run(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._connection().execute(statement, values).fetchall()

    def _connection(self) -> sqlite3.Connection:
        """The connection of this process and thread. One that a fork inherited is neither used nor closed."""
        here = os.getpid(), threading.get_ident()
        if here not in self._connections:
            uri = f"{self._file.as_uri()}?mode=ro&immutable=1"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            connection.text_factory = bytes
            restrain(connection, self._file)
            connection.create_function("checksum", -1, _checksum, deterministic=True)
            connection.set_authorizer(self._authorize)
            self._connections[here] = connection
        return self._connections[here]

    def _authorize(self, action: int, subject: str | None, _detail: Any, _schema: Any, _inner: Any) -> int:
        allowed = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE) or (
            action == sqlite3.SQLITE_READ and (subject in self._names or subject in _SCHEMA)
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def _disconnect(self) -> None:
        for (process, _), connection in list(self._connections.items()):
            if process == os.getpid():
                connection.close()
        self._connections = {here: one for here, one in self._connections.items() if here[0] != os.getpid()}

    def retire(self) -> None:
        """Remove the copy. Another thread may still be reading what it has opened."""
        self._copy.remove()

    def close(self) -> None:
        """Close and remove the copy."""
        self._disconnect()
        self._copy.remove()


_LOCK = threading.Lock()
_snapshots: dict[tuple[str, ...], tuple[str, Snapshot]] = {}


def known_snapshot(file: File, names: Sequence[str]) -> Snapshot | None:
    """The snapshot of a state, if this process has one."""
    stamp, known = _snapshots.get((file.path, *names), ("", None))
    return known if stamp == file.stamp else None


def snapshot(file: File, names: Sequence[str]) -> Snapshot:
    """The database of a file that `with_log` gives. All that ask for the same state share one copy.

    Raises `Unreadable` where it cannot be copied, or is no database.
    """
    with _LOCK:
        key = (file.path, *names)
        stamp, known = _snapshots.get(key, ("", None))
        if known is not None and stamp == file.stamp:
            return known
        try:
            new = Snapshot(file.path, names)
        except (sqlite3.Error, OSError) as error:  # no room for the copy, or for what was salvaged
            note_trouble(error)
            raise Unreadable(f"{display_path(file.path)} cannot be read: {error}.") from error
        if known is not None:
            known.retire()
        _snapshots[key] = (file.stamp, new)
        return new


def _checksum(*values: bytes | None) -> int:
    number = 0
    for value in values:
        number = zlib.crc32(b"\0" if value is None else value, number + 1)
    return number


def text_of(value: Any) -> str:
    """A value as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


@lru_cache(maxsize=256)
def _selection(table: str, columns: tuple[str, ...], where: tuple[str, ...], order: str) -> str:
    """The query for rows of a table; nothing where the table or a column is missing. Every session asks the same."""
    if not columns or not set(where) <= set(columns):
        return ""
    order = ", ".join(_quoted(name) for name in order.split() if name in columns)
    statement = f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}"  # noqa: S608
    if where:
        statement += " WHERE " + " AND ".join(f"{_quoted(name)}=?" for name in where)
    return statement + (f" ORDER BY {order}" if order else "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
