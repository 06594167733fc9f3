"""The rows of some sessions of a large database, as a snapshot of them alone: nothing else is copied."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterable, Mapping

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.database.file_format import write_tables
from pollux.sources.database.in_place import InPlace, NotInPlace
from pollux.sources.database.private_copy import PrivateFolder
from pollux.sources.database.snapshot import Snapshot, known_snapshot, snapshot

_LARGE = 24_000_000
"""A database of fewer bytes is copied as quickly as it is searched."""

_MOST = 60
"""So many sessions are taken one by one; then the whole database is copied."""


def is_large(database: File) -> bool:
    """Is it better to look for a few rows than to copy all of them?"""
    return database.size >= _LARGE


class Shape:
    """Which tables a source reads: `owners` names the column of each that says to which session a row belongs.

    `shared` are small tables that belong to no session.
    """

    def __init__(self, owners: Mapping[str, str], shared: tuple[str, ...] = ()) -> None:
        self.owners = owners
        self.shared = shared
        self.names = (*owners, *shared)


class Excerpt(Snapshot):
    """The rows of some sessions, and those that belong to none."""

    def __init__(self, reader: InPlace, path: str, shape: Shape, ids: Iterable[str]) -> None:
        wanted = list(ids)
        self._begin(path, shape.names, PrivateFolder())
        try:
            write_tables(
                self._file,
                (
                    (
                        table,
                        list(reader.all_rows(table))
                        if table.name in shape.shared
                        else [row for id in wanted for row in reader.rows(table, shape.owners[table.name], id)],
                    )
                    for table in reader.tables.values()
                ),
            )
            self.tables = self._described()
        except BaseException:
            self.close()
            raise


_LOCK = threading.Lock()
_excerpts: dict[str, tuple[str, dict[str, Excerpt]]] = {}


def keep_excerpt(file: File, ids: Iterable[str], excerpt: Excerpt) -> None:
    """Let others of this process use an excerpt of this state, too."""
    with _LOCK:
        stamp, known = _excerpts.get(file.path, ("", {}))
        if stamp != file.stamp:
            for old in known.values():
                old.retire()
            known = {}
        _excerpts[file.path] = (file.stamp, known | dict.fromkeys(ids, excerpt))


def session_snapshot(file: File, shape: Shape, *ids: str) -> Snapshot:
    """A snapshot that has all rows of some sessions: of the whole database, or of a large one these rows alone.

    Raises `Unreadable` where it cannot be copied, or is no database.
    """
    stamp, known = _excerpts.get(file.path, ("", {}))
    known = known if stamp == file.stamp else {}
    whole = known_snapshot(file, shape.names)
    if whole is not None:
        return whole
    if (excerpt := known.get(ids[0])) is not None and all(known.get(id) is excerpt for id in ids):
        return excerpt
    if is_large(file) and len(known) + len(ids) <= _MOST:
        with contextlib.suppress(NotInPlace, Unreadable, sqlite3.Error, OSError):
            with InPlace(file.path, shape.names) as reader:
                excerpt = Excerpt(reader, file.path, shape, ids)
            keep_excerpt(file, ids, excerpt)
            return excerpt
    return snapshot(file, shape.names)
