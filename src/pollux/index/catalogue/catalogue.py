"""The catalogue: every session without its words, in one SQLite file that may be deleted at any moment.

A session's `no` is never used twice. A changed session is written under a new number, and the old number goes to
`garbage` until the index of words has dropped it. So a number has one meaning only, even if the catalogue or the index
is a step behind the other. `pending` are the sessions whose words are not in the index yet.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pollux.index.catalogue.rows import BundleRows, Details, Entry
from pollux.index.catalogue.tables import INSERTS, PARTS, TABLES
from pollux.system.files import make_private_file
from pollux.system.transaction import transaction

_BATCH = 500
_PATIENCE = 5.0
"""How long (seconds) to wait for a lock: only one process writes, and it makes and repairs the file in a moment."""

_READ, _WRITTEN = 4_000, 16_000
"""So many kilobytes of the file a connection remembers: one of the many that read, and the one that adds sessions."""

_LARGEST_LOG = 1 << 20
"""So much of the log of a large change (bytes) is left beside the file when the next change begins."""

_WITHOUT_DETAILS = "SELECT DISTINCT bundle FROM sessions JOIN pending ON session=no WHERE lacks_details"

Damage = (sqlite3.DatabaseError, msgspec.DecodeError, zlib.error)
"""The errors that a damaged file raises."""


Peeks = dict[tuple[str, str], tuple[str, bytes]]
"""What peeks at files gave, by kind and path, with the stamp of the file."""


class KnownBundle(msgspec.Struct):
    """What the catalogue knows about a bundle that was read before."""

    id: int
    fingerprint: str
    dependencies: bytes


class Reservation(NamedTuple):
    """Generations that one writer of words reserved, and the garbage that it may drop."""

    first: int
    last: int
    garbage: list[int]


def first_number(generation: int) -> int:
    """The first number of the sessions of a generation."""
    return generation << 24


class Catalogue:
    """One connection. With `path` None everything is in memory for one run, because no folder can be written to.

    Without `make`, a file that holds no catalogue is left alone, and `edition` is None. `born` distinguishes this
    catalogue from a new one, whose numbers begin again.
    """

    def __init__(self, path: Path | None, edition: str, *, make: bool = True) -> None:
        self.path = path
        if path is not None:
            make_private_file(path)
        self._sql = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=_PATIENCE)
        if make:
            self._sql.execute("PRAGMA journal_mode=WAL")
        self._sql.execute("PRAGMA synchronous=NORMAL")
        self._remember_pages(_READ)
        self._sql.execute(f"PRAGMA journal_size_limit={_LARGEST_LOG}")
        exists = bool(self._sql.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone())
        if make and not exists:
            with self.change():
                for statement in TABLES.split(";\n"):
                    self._sql.execute(statement)
                self._put("edition", edition)
                self._put("generation", 0)
                self._put("words", 0)
                self._put("born", os.urandom(16).hex())
        self.edition = self._get("edition") if make or exists else None
        self.born = str(self._get("born")) if make or exists else ""
        self._number = 0
        self._inode = path.stat().st_ino if path is not None else 0

    def is_current(self) -> bool:
        """Is this still the file at its path? Another pollux may have made a new one."""
        try:
            return self.path is None or self.path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    @property
    def version(self) -> int:
        """Another number whenever another connection, of any process, has changed something."""
        version: int = self._sql.execute("PRAGMA data_version").fetchone()[0]
        return version

    def copy(self, path: Path) -> None:
        """Copy the catalogue into a new file, which is independent from then on."""
        with closing(sqlite3.connect(path)) as other:
            self._sql.backup(other)
            other.execute("UPDATE meta SET value=? WHERE name='born'", (os.urandom(16).hex(),))
            other.commit()

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self._sql.execute(statement, values).fetchall()

    def stream(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """As `rows`, one after the other, for callers that may not need all of them."""
        return self._sql.execute(statement, values)

    def change(self) -> AbstractContextManager[None]:
        """A transaction: all changes made inside, or none."""
        return transaction(self._sql)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside, several queries see the same state, whatever others write meanwhile."""
        if self._sql.in_transaction:
            yield
            return
        self._sql.execute("BEGIN")
        try:
            yield
        finally:
            self._sql.execute("ROLLBACK")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of a change: all of it, or nothing."""
        self._sql.execute("SAVEPOINT piece")
        try:
            yield
        except BaseException:
            self._sql.execute("ROLLBACK TO piece")
            raise
        finally:
            self._sql.execute("RELEASE piece")

    def _remember_pages(self, kilobytes: int) -> None:
        self._sql.execute(f"PRAGMA cache_size=-{kilobytes}")

    def _get(self, name: str) -> Any:
        row = self._sql.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
        return row[0] if row else None

    def _put(self, name: str, value: Any) -> None:
        self._sql.execute("REPLACE INTO meta VALUES(?, ?)", (name, value))

    @property
    def generation(self) -> int:
        """The number of the last change of the sessions."""
        return int(self._get("generation") or 0)

    @property
    def words_generation(self) -> int:
        """The generation that the index of words has at least: an older one lacks words."""
        return int(self._get("words") or 0)

    def begin(self) -> None:
        """Begin a generation: the sessions that are added from now on have numbers in its range."""
        self._remember_pages(_WRITTEN)
        generation = self.generation + 1
        self._put("generation", generation)
        self._number = first_number(generation)

    def reserve(self, generations: int) -> Reservation:
        """Reserve generations for sessions whose words are written first. The numbers are used by nobody else.

        If the writer is killed before it can `settle`, `interrupted` says where its words begin.
        """
        self._remember_pages(_WRITTEN)
        with self.change():
            first = self.generation + 1
            last = first + generations - 1
            self._put("generation", last)
            self._put("interrupted", first)
            self._number = first_number(first)
            return Reservation(first, last, self.garbage())

    def settle(self, reservation: Reservation, *, added: Iterable[int] = (), dropped: Iterable[int] = ()) -> None:
        """Note that the index has the words of a reservation. `dropped` is the garbage that it dropped.

        `added` are pending sessions whose words it has now. The words of those that are gone meanwhile become garbage.
        """
        self._put("words", reservation.last)
        self._put("interrupted", 0)
        self._sql.executemany("DELETE FROM garbage WHERE session=?", [(no,) for no in dropped])
        values = [(no,) for no in added]
        self._sql.executemany("DELETE FROM pending WHERE session=?", values)
        self._sql.executemany(
            "INSERT OR IGNORE INTO garbage SELECT ? WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE no=?)",
            [(no, no) for (no,) in values],
        )

    def heal(self) -> None:
        """Note that the words of an interrupted writer were dropped."""
        self._put("interrupted", 0)

    @property
    def interrupted(self) -> int:
        """The first generation whose words were written without their rows; 0 where there is none."""
        return int(self._get("interrupted") or 0)

    # ------------------------------------------------------------------ roots and peeks

    def root(self, agent: str, path: str) -> tuple[int, str]:
        """A root's number and the snapshot of its last complete sync; a new root has none."""
        rows = self.rows("SELECT id, snapshot FROM roots WHERE agent=? AND path=?", agent, path)
        return (rows[0][0], rows[0][1]) if rows else (0, "")

    def add_root(self, agent: str, path: str) -> int:
        """Add a root, and return its number."""
        self._sql.execute("INSERT OR IGNORE INTO roots(agent, path, snapshot) VALUES(?, ?, '')", (agent, path))
        return self.root(agent, path)[0]

    def mark_synced(self, root: int, snapshot: str, layout: Iterable[bytes], news: bytes | None) -> None:
        """Note that all sessions of a root are in the catalogue, with the layout of its files as far as it is known.

        The layout comes in pieces. With `news`, the stored layout stays the same.
        """
        self._sql.execute("UPDATE roots SET snapshot=? WHERE id=?", (snapshot, root))
        if news is None:
            self._sql.execute("DELETE FROM layouts WHERE root=?", (root,))
            pieces = ((root, number, piece) for number, piece in enumerate(layout))
            self._sql.executemany("INSERT INTO layouts VALUES(?, ?, ?)", pieces)
        self._sql.execute("REPLACE INTO news VALUES(?, ?)", (root, news))

    def put_closed(self, root: int, paths: Iterable[str]) -> None:
        """Set the paths of a root that the system does not let us read."""
        self._sql.execute("DELETE FROM closed WHERE root=?", (root,))
        self._sql.executemany("INSERT OR IGNORE INTO closed VALUES(?, ?)", ((root, path) for path in paths))

    def mark_changing(self, root: int) -> None:
        """Note that a root and the catalogue may differ until the next complete sync."""
        self._sql.execute("UPDATE roots SET snapshot='' WHERE id=?", (root,))

    def put_due(self, root: int, files: int) -> None:
        """Note how many files of a root are to be read from now on. Those that are stored later are counted."""
        statement = "UPDATE roots SET due=?, since=(SELECT COALESCE(MAX(id), 0) FROM bundles) WHERE id=?"
        self._sql.execute(statement, (files, root))

    def due(self, agent: str, path: str) -> int | None:
        """How many files of a root are still to be read; None where nobody looked at them yet."""
        rows = self.rows(
            "SELECT due - (SELECT COALESCE(SUM(files), 0) FROM bundles WHERE root=roots.id AND bundles.id>since) "
            "FROM roots WHERE agent=? AND path=? AND due IS NOT NULL",
            agent,
            path,
        )
        return max(rows[0][0], 0) if rows else None

    def layout(self, root: int, number: int = 0) -> bytes | None:
        """A piece of the layout of a root's files at its last complete sync."""
        rows = self.rows("SELECT piece FROM layouts WHERE root=? AND number=?", root, number)
        return rows[0][0] if rows else None

    def news(self, root: int) -> bytes | None:
        """The news since the layout of a root was stored."""
        rows = self.rows("SELECT news FROM news WHERE root=?", root)
        return rows[0][0] if rows else None

    def peeks(self, root: int, files: Iterable[str] | None = None, kind: str | None = None) -> Peeks:
        """What peeks at a root's files gave, or at some of them, or peeks of one kind."""
        statement = "SELECT kind, path, stamp, peek FROM peeks WHERE root=?"
        if kind is None:
            rows = self.rows_with(statement, "path", files, root)
        else:
            rows = self.rows_with(f"{statement} AND kind=?", "path", files, root, kind)
        return {(kind, path): (stamp, peek) for kind, path, stamp, peek in rows}

    def rows_with(
        self, statement: str, column: str, values: Iterable[Any] | None, *parameters: Any
    ) -> list[tuple[Any, ...]]:
        """As `rows`, restricted to rows with one of these values in a column."""
        if values is None:
            return self.rows(statement, *parameters)
        items = list(values)
        chunks = [items[start : start + _BATCH] for start in range(0, len(items), _BATCH)]
        return [
            row
            for chunk in chunks
            for row in self.rows(f"{statement} AND {column} IN ({', '.join('?' * len(chunk))})", *parameters, *chunk)
        ]

    def put_peeks(self, root: int, old: Peeks, new: Peeks) -> None:
        """Replace what peeks at files gave."""
        removed = [(root, *place) for place in old.keys() - new.keys()]
        self._sql.executemany("DELETE FROM peeks WHERE root=? AND kind=? AND path=?", removed)
        changed = [(root, *place, *peek) for place, peek in new.items() if old.get(place) != peek]
        self._sql.executemany("REPLACE INTO peeks(root, kind, path, stamp, peek) VALUES(?, ?, ?, ?, ?)", changed)

    # ------------------------------------------------------------------ bundles and sessions

    def known_bundles(self, root: int, keys: Iterable[str] | None = None) -> dict[str, KnownBundle]:
        """The bundles of a root by key, or some of them."""
        rows = self.rows_with("SELECT key, id, fingerprint, dependencies FROM bundles WHERE root=?", "key", keys, root)
        return {key: KnownBundle(number, fingerprint, dependencies) for key, number, fingerprint, dependencies in rows}

    def asking(self, root: int) -> list[str]:
        """The keys of the bundles of a root that depend on more than their own files."""
        return [key for (key,) in self.rows("SELECT key FROM bundles WHERE root=? AND dependencies<>x''", root)]

    def has_bundle(self, number: int) -> bool:
        """Is this bundle still in the catalogue?"""
        return bool(self.rows("SELECT 1 FROM bundles WHERE id=?", number))

    def outdate(self, hashes: Iterable[str]) -> None:
        """The sessions of projects that go by these hashes, and have no sure path, must be read again."""
        for root, bundle in self.rows_with(
            "SELECT DISTINCT root, bundle FROM sessions WHERE unsettled IS NOT NULL", "unsettled", hashes
        ):
            self.mark_changing(root)
            self._sql.execute("UPDATE bundles SET fingerprint='' WHERE id=?", (bundle,))

    def forget(self, bundles: Iterable[int]) -> int:
        """Drop bundles with their sessions. Returns how many sessions were dropped."""
        dropped = 0
        for bundle in bundles:
            numbers = [no for (no,) in self.rows("SELECT no FROM sessions WHERE bundle=?", bundle)]
            for no in numbers:
                for table in PARTS:
                    self._sql.execute(f"DELETE FROM {table} WHERE session=?", (no,))
                self._sql.execute("INSERT OR IGNORE INTO garbage VALUES(?)", (no,))
            self._sql.execute("DELETE FROM sessions WHERE bundle=?", (bundle,))
            self._sql.execute("DELETE FROM bundles WHERE id=?", (bundle,))
            dropped += len(numbers)
        return dropped

    def number(self) -> int:
        """A number that no session ever had."""
        self._number += 1
        return self._number

    def add(  # noqa: PLR0913
        self, root: int, key: str, fingerprint: str, reading: BundleRows, *, files: int = 1, pending: bool = False
    ) -> None:
        """Store a bundle of so many files, with its sessions. If their words are `pending`, they get numbers here."""
        notices = msgspec.msgpack.encode(reading.notices) if reading.notices else None
        bundle = self._sql.execute(
            "INSERT INTO bundles(root, key, fingerprint, dependencies, files, problem, notices) "
            "VALUES(?, ?, ?, ?, ?, ?, ?)",
            (root, key, "" if reading.passing else fingerprint, reading.dependencies, files, reading.problem, notices),
        ).lastrowid
        assert bundle is not None  # noqa: S101 (an INSERT has one)
        for entry in reading.entries:
            if pending:
                entry.no = self.number()
                self._sql.execute("INSERT INTO pending VALUES(?, ?)", (entry.no, entry.details is None))
            self._add(root, bundle, entry)
        self._sql.executemany("INSERT OR IGNORE INTO garbage VALUES(?)", [(no,) for no in reading.wasted])

    def _add(self, root: int, bundle: int, entry: Entry) -> None:
        no = entry.no
        self._sql.execute(INSERTS["sessions"], (no, root, bundle, *entry.session))
        self._sql.execute(INSERTS["abouts"], (no, *entry.about))
        for table, rows in (
            ("facts", entry.facts),
            ("links", entry.links),
            ("quarters", entry.quarters),
            ("prompts", entry.prompts),
        ):
            self._sql.executemany(INSERTS[table], [(no, *row) for row in rows])
        for table, rows in (
            ("usage", entry.usage),
            ("calls", entry.calls),
        ):
            self._sql.executemany(INSERTS[table], [(no, number, *row) for number, row in enumerate(rows)])
        if entry.details is not None:
            self._add_details(no, entry.details)

    def _add_details(self, no: int, details: Details) -> None:
        self._sql.executemany(INSERTS["turns"], [(no, *row) for row in details.turns])
        for table, rows in (("edits", details.edits), ("frictions", details.frictions)):
            self._sql.executemany(INSERTS[table], [(no, number, *row) for number, row in enumerate(rows)])

    def complete(self, no: int, details: Details) -> None:
        """Add the details of a session that lacks them, if it is still there."""
        if self.rows("SELECT 1 FROM pending WHERE session=? AND lacks_details", no):
            self._sql.execute("UPDATE pending SET lacks_details=0 WHERE session=?", (no,))
            self._add_details(no, details)

    def without_details(self) -> set[int]:
        """The numbers of the sessions that lack details."""
        return {no for (no,) in self.rows("SELECT session FROM pending WHERE lacks_details")}

    def count_files_without_details(self) -> int:
        """How many files the sessions without details have."""
        return int(self.rows(f"SELECT COALESCE(SUM(files), 0) FROM bundles WHERE id IN ({_WITHOUT_DETAILS})")[0][0])

    def outdate_those_without_details(self) -> None:
        """The sessions without details must be read again."""
        bundles = [bundle for (bundle,) in self.rows(_WITHOUT_DETAILS)]
        for (root,) in self.rows_with("SELECT DISTINCT root FROM bundles WHERE 1", "id", bundles):
            self.mark_changing(root)
        self._sql.executemany("UPDATE bundles SET fingerprint='' WHERE id=?", [(bundle,) for bundle in bundles])

    def pending_numbers(self) -> list[int]:
        """The numbers of all sessions whose words are pending."""
        return [no for (no,) in self.rows("SELECT session FROM pending")]

    def count_pending(self) -> int:
        """How many sessions have no words in the index yet."""
        return int(self.rows("SELECT COUNT(*) FROM pending")[0][0])

    def pending(self, root: int) -> dict[str, dict[str, int]]:
        """For each bundle of a root with pending sessions, their keys and numbers."""
        bundles: dict[str, dict[str, int]] = {}
        for bundle, key, no in self.rows(
            "SELECT b.key, s.key, no FROM pending JOIN sessions s ON no=session JOIN bundles b ON b.id=bundle "
            "WHERE s.root=?",
            root,
        ):
            bundles.setdefault(bundle, {})[key] = no
        return bundles

    def garbage(self) -> list[int]:
        """The numbers of dropped sessions that the index of words may still hold."""
        return [no for (no,) in self.rows("SELECT session FROM garbage")]
