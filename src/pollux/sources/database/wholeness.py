"""Is a private copy of a database whole, with its log or without it?"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pollux.sources.database.private_copy import PrivateCopy

REFUSED = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite's module raises for a damaged database: the text of an error may quote bytes that are no text."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_TOOBIG)

_OF_VALUES = ("NULL value", "CHECK constraint", "non-")
"""How complaints about values begin. They are no damage: the schema alone forbids these."""

_WITHOUT_LOG = "The database is whole without its log, but not with it: the log was left out."


_MOST_BEYOND = 1 << 20
"""A value may be so many bytes larger than the whole file; one that an expression of the schema makes may be larger."""


class Copied(NamedTuple):
    """A private copy, and what is wrong with it. `is_readable`: SQLite can read it to its end."""

    copy: PrivateCopy
    damage: list[str]
    is_readable: bool


def whole_copy(path: str, names: Sequence[str]) -> Copied:
    """A copy of a database with its log; without it where that alone makes it whole: the log belongs to another one."""
    copy = PrivateCopy(path)
    try:
        has_log = copy.has_log
        problems = _problems(copy.file, names)
        if problems != [] and has_log:
            alone = PrivateCopy(path, log=False)
            if _problems(alone.file, names) == []:
                copy.remove()
                return Copied(alone, [_WITHOUT_LOG], is_readable=True)
            alone.remove()
    except BaseException:
        copy.remove()
        raise
    damage = ["The agent kept writing while the database was copied."] if copy.torn else []
    if problems:
        damage.append(f"The database contradicts itself ({problems[0]}): rows may be old, or missing.")
    return Copied(copy, damage, is_readable=problems is not None)


def is_damage(error: Exception) -> bool:
    """Is the database damaged, or is it the question that SQLite refuses? An error of Python's own has no code."""
    return isinstance(error, UnicodeDecodeError) or getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _problems(file: Path, names: Sequence[str]) -> list[str] | None:
    """What contradicts itself in the named tables; None where SQLite gives up, or the file was cut.

    Nothing is known where SQLite cannot check, as without a collation that an index needs.
    """
    try:
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
            _merge_log(connection)
            restrain(connection, file)
            try:
                found = list(_contradictions(connection, names))
            except REFUSED as error:
                return None if is_damage(error) else []
            return found if not _is_cut(file) else None
    except REFUSED:
        return None


def _merge_log(connection: sqlite3.Connection) -> None:
    """Put the log's pages into the private copy. A log that is torn is taken up to its last whole entry."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


def _contradictions(connection: sqlite3.Connection, names: Sequence[str]) -> Iterator[str]:
    """Where tables and their indexes differ."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table' AND rootpage")]
    for name in tables:
        if name in names:
            for (text,) in connection.execute(f"PRAGMA integrity_check({name})"):
                if text != "ok" and not text.startswith(_OF_VALUES):
                    yield text


def restrain(connection: sqlite3.Connection, file: Path) -> None:
    """Let no expression in a schema, such as that of a column, do harm or take more memory than a whole file."""
    for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
        with contextlib.suppress(*REFUSED):
            connection.execute(f"PRAGMA {pragma}").close()
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(file.stat().st_size + _MOST_BEYOND, 2**31 - 1))


def _is_cut(file: Path) -> bool:
    """Is a database shorter than it says itself?"""
    with open(file, "rb") as stream:  # noqa: PTH123 (a private copy)
        head = stream.read(100)
        size = os.fstat(stream.fileno()).st_size
    page = int.from_bytes(head[16:18]) or 0
    return size % (65536 if page == 1 else page or 1) != 0 or size < (65536 if page == 1 else page) * int.from_bytes(
        head[28:32]
    )
