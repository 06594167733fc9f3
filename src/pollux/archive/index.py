"""An index of what the packs hold. It is made from the packs alone, and made anew when in doubt."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from pollux.archive.lost_tails import LostTails, state_of
from pollux.archive.pack_lengths import reading
from pollux.archive.packs import MAGIC, Content, Damage, Record, State, recognise, scan
from pollux.archive.survey import Survey, survey
from pollux.index.catalogue.catalogue import Peeks
from pollux.system.files import make_private_file, opened
from pollux.system.transaction import transaction

_FORMAT = "4"
_TABLES = """
CREATE TABLE meta(format TEXT);
CREATE TABLE packs(name TEXT PRIMARY KEY, scanned INTEGER, damaged INTEGER);
CREATE TABLE contents(
    sha BLOB PRIMARY KEY, pack TEXT, offset INTEGER, payload INTEGER, length INTEGER, checked INTEGER,
    size INTEGER, base BLOB, copied INTEGER, known INTEGER, depth INTEGER) WITHOUT ROWID;
CREATE TABLE files(id INTEGER PRIMARY KEY, agent TEXT, home BLOB, path BLOB, UNIQUE(agent, home, path));
CREATE TABLE states(
    no INTEGER PRIMARY KEY, file INTEGER, at INTEGER, change TEXT, sha BLOB, size INTEGER, mtime_ns INTEGER,
    mode INTEGER, taken INTEGER, sure INTEGER, UNIQUE(file, at, sha));
CREATE TABLE seen(agent TEXT, root BLOB, snapshot TEXT, PRIMARY KEY(agent, root));
CREATE TABLE lost(
    agent TEXT, home BLOB, path BLOB, at INTEGER, change TEXT, sha BLOB, size INTEGER, mtime_ns INTEGER,
    mode INTEGER, taken INTEGER, PRIMARY KEY(agent, home, path, at, sha));
CREATE TABLE short(name TEXT PRIMARY KEY, reach INTEGER);
"""
_PEEKS = """
CREATE TABLE IF NOT EXISTS peeks(
    agent TEXT, root TEXT, kind TEXT, path TEXT, stamp TEXT, peek BLOB, PRIMARY KEY(agent, root, kind, path))
"""
_EMPTY = [f"DELETE FROM {name}" for name in ("packs", "contents", "files", "states", "seen")]  # noqa: S608
_EVERY_STATE = (
    "INSERT OR IGNORE INTO lost SELECT f.agent, f.home, f.path, s.at, s.change, s.sha, s.size, s.mtime_ns, s.mode, "
    "s.taken FROM states s JOIN files f ON f.id=s.file WHERE s.sha!=x''"
)
_STATE = (
    "SELECT f.agent, f.home, f.path, s.at, s.change, s.sha, s.size, s.mtime_ns, s.mode, s.taken "
    "FROM states s JOIN files f ON "
)


RACY = 2_000_000
"""A file that changed within so many microseconds before it was kept may have changed again unnoticed."""


_PATIENCE = 5.0
"""For so many seconds pollux waits for another one that writes. Then it reads the packs themselves."""

_TOGETHER = 0.1
"""For so many seconds others may have to wait for what was written."""


class Location(NamedTuple):
    """Where a content is packed, and the length of its chain of bases."""

    pack: str
    record: Record
    depth: int


class Index(LostTails):
    """One connection to the table of contents and states. Without a file to write to it lives in memory.

    It remembers states that stood in packs of which something is missing now: `lost`.
    """

    def __init__(self, file: Path | None, packs: Path) -> None:
        super().__init__(packs)
        self._file = file
        self._packs = packs
        self._since = 0.0
        self._sql = self._opened()

    def _opened(self) -> sqlite3.Connection:
        if self._file is None:
            return _connect(":memory:")
        for _ in range(2):
            try:
                make_private_file(self._file)
                sql = _connect(str(self._file))
                if sql.execute("SELECT format FROM meta").fetchone() == (_FORMAT,):
                    return sql
                sql.close()
            except sqlite3.OperationalError:  # another pollux writes to it, or nobody may
                break
            except (sqlite3.DatabaseError, OSError):
                pass
            self._remove()
        return _connect(":memory:")

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm") if self._file is not None else ():
            with contextlib.suppress(OSError):
                Path(f"{self._file}{ending}").unlink()

    def close(self) -> None:
        """Let go of the file."""
        self._sql.close()

    def forget_losses(self) -> None:
        """Forget all losses: what the packs hold now is all there is."""
        with self.change():
            self._empty()
        self.refresh()
        self._settle_at(self._scanned())

    def forget_files(self, files: Iterable[tuple[str, bytes, bytes]]) -> None:
        """Note that files were forgotten on purpose and are not lost. The next `refresh` reads all packs."""
        with self.change():
            self._sql.executemany("DELETE FROM lost WHERE agent=? AND home=? AND path=?", list(files))
            self._empty()

    def _empty(self) -> None:
        for statement in _EMPTY:
            self._sql.execute(statement)

    def change(self) -> AbstractContextManager[None]:
        """A transaction: all changes inside it happen, or none."""
        return transaction(self._sql)

    def gather(self) -> None:
        """Begin a transaction, or join one that began shortly before. `settle` ends it."""
        if self._sql.in_transaction and time.monotonic() - self._since > _TOGETHER:
            self.settle()
        if not self._sql.in_transaction:
            self._sql.execute("BEGIN IMMEDIATE")
            self._since = time.monotonic()

    def settle(self) -> None:
        """Commit, so that others see all that was written."""
        if self._sql.in_transaction:
            self._sql.execute("COMMIT")

    # ------------------------------------------------------------------ keeping up with the packs

    def refresh(self, *, anew: bool = False) -> None:
        """Read what was appended since, or everything `anew`. Raises `StoreError` where packs cannot be read.

        `lost` names states that were known and are missing, as long as the packs are not what they were.
        """
        with reading(self._packs):
            try:
                self._catch_up(anew=anew)
            except FileNotFoundError:  # another pollux put a new pack in the place of one
                self._catch_up(anew=anew)

    def _catch_up(self, *, anew: bool) -> None:
        self._promised = self._extents.read()  # before the packs: another pollux may be appending to them
        overview = survey(self._packs)
        self.taken, self.spare = overview.taken, overview.spare
        try:
            if anew or self._scanned() != overview.sizes:
                self._refresh(overview, anew=anew)
        except sqlite3.OperationalError:  # another pollux writes to it and makes no progress, or the disk is full
            self._sql.close()
            self._sql = _connect(":memory:")
            self._refresh(overview)
        except sqlite3.DatabaseError:  # it is damaged
            self._sql.close()
            self._remove()
            self._sql = self._opened()
            self._refresh(overview)

    def _refresh(self, overview: Survey, *, anew: bool = False) -> None:
        with self.change():
            known = before = self._scanned()
            anew = anew or any(overview.sizes.get(name, -1) < size for name, size in known.items())
            if anew:
                self._sql.execute(_EVERY_STATE)
                self._empty()
                known = {}
            for name, size in overview.sizes.items():
                if known.get(name) != size:
                    self._import(name, known.get(name, len(MAGIC)))
            if anew:
                self._note_losses(before)

    def _import(self, name: str, start: int) -> None:
        path = self._packs / name
        damaged, place = 0, start
        with opened(path) as file:
            damaged += not recognise(file, path) and start == len(MAGIC)
            for item in scan(file, start):
                if isinstance(item, Damage):
                    damaged += not item.torn
                    place = place if item.torn else item.end
                    continue
                self.add(name, item)
                place = item.end
        self.reached(name, place, damaged)

    def reached(self, name: str, place: int, damaged: int = 0) -> None:
        """Note that a pack is known up to a place."""
        self._sql.execute(
            "INSERT INTO packs VALUES(?, ?, ?) ON CONFLICT DO UPDATE SET scanned=excluded.scanned, "
            "damaged=damaged+excluded.damaged",
            (name, place, damaged),
        )

    def add(self, pack: str, record: Record) -> None:
        """Add one record. Of a content that is packed twice the later record counts."""
        head = record.head
        if isinstance(head, Content):
            above = self.content(head.base) if head.base is not None else None
            depth = (above.depth if above is not None else 0) + (head.base is not None and not head.copied)
            row = (head.sha, pack, record.offset, record.payload, record.length, record.check)
            row += (head.size, head.base, head.copied, head.known, depth)  # type: ignore[assignment]
            self._sql.execute(f"REPLACE INTO contents VALUES({', '.join('?' * 11)})", row)
        elif isinstance(head, State):
            place = (head.agent, head.home, head.path)
            self._sql.execute("INSERT OR IGNORE INTO files(agent, home, path) VALUES(?, ?, ?)", place)
            sure = head.at - head.mtime_ns // 1000 > RACY
            values = (
                *place,
                head.at,
                head.change,
                head.sha or b"",
                head.size,
                head.mtime_ns,
                head.mode,
                head.taken,
                sure,
            )
            self._sql.execute(
                "INSERT OR IGNORE INTO states(file, at, change, sha, size, mtime_ns, mode, taken, sure) "
                "SELECT id, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM files WHERE agent=?1 AND home=?2 AND path=?3",
                values,
            )

    # ------------------------------------------------------------------ questions

    def content(self, sha: bytes) -> Location | None:
        """Where a content is."""
        row = self._sql.execute("SELECT * FROM contents WHERE sha=?", (sha,)).fetchone()
        return _location(row) if row else None

    def contents(self) -> list[Location]:
        """Every content, in the order in which they were written: a base mostly before what is made from it."""
        rows = self._sql.execute("SELECT * FROM contents ORDER BY pack, offset").fetchall()
        return [_location(row) for row in rows]

    def drop(self, shas: Iterable[bytes]) -> None:
        """Drop contents that cannot be read, so that the next run packs them again where it sees them."""
        self._sql.executemany("DELETE FROM contents WHERE sha=?", [(sha,) for sha in shas])
        self._sql.execute("DELETE FROM seen")

    def homes(self) -> list[tuple[str, bytes]]:
        """Every agent's home with kept files."""
        return self._sql.execute("SELECT DISTINCT agent, home FROM files ORDER BY 1, 2").fetchall()

    def paths(self, agent: str, home: bytes) -> list[bytes]:
        """The files of a home in the order in which they were first archived, then the imported files."""
        query = (
            "SELECT path FROM files f JOIN states s ON f.id=s.file WHERE agent=? AND home=? "
            "GROUP BY f.id ORDER BY MIN(taken OR sha=x''), f.id"
        )
        return [path for (path,) in self._sql.execute(query, (agent, home))]

    def states(self, agent: str | None = None, home: bytes | None = None, path: bytes | None = None) -> list[State]:
        """What was kept of all files, of a home's, or of one file: each file's states in their order."""
        query = (
            f"{_STATE} f.id=s.file WHERE (?1 IS NULL OR f.agent=?1) AND (?2 IS NULL OR f.home=?2) "
            "AND (?3 IS NULL OR f.path=?3) ORDER BY f.agent, f.home, f.path, s.at, s.no"
        )
        return [state_of(row) for row in self._sql.execute(query, (agent, home, path))]

    def unsure(self, agent: str, home: bytes) -> set[bytes]:
        """The files whose size and time do not prove that they did not change."""
        query = (
            "SELECT path FROM files f JOIN states s ON f.id=s.file WHERE agent=? AND home=? AND NOT sure "
            "AND at=(SELECT MAX(at) FROM states WHERE file=f.id)"
        )
        return {path for (path,) in self._sql.execute(query, (agent, home))}

    def assure(self, state: State) -> None:
        """Note that a file was read again and had not changed."""
        self._sql.execute(
            "UPDATE states SET sure=1 WHERE at=?4 AND file="
            "(SELECT id FROM files WHERE agent=?1 AND home=?2 AND path=?3)",
            (state.agent, state.home, state.path, state.at),
        )

    def has(self, state: State) -> bool:
        """Is this state known?"""
        query = (
            "SELECT 1 FROM states WHERE at=?4 AND sha=?5 AND file="
            "(SELECT id FROM files WHERE agent=?1 AND home=?2 AND path=?3)"
        )
        values = (state.agent, state.home, state.path, state.at, state.sha or b"")
        return self._sql.execute(query, values).fetchone() is not None

    def last(self, agent: str, home: bytes) -> dict[bytes, State]:
        """The last state of each file of a home, by path."""
        return {state.path: state for state in self.states(agent, home)}

    def seen(self, agent: str, root: bytes) -> str | None:
        """The snapshot of a root when all of it was last kept."""
        row = self._sql.execute("SELECT snapshot FROM seen WHERE agent=? AND root=?", (agent, root)).fetchone()
        return row[0] if row else None

    def peeks(self, agent: str, root: str) -> Peeks:
        """What peeks at databases under a root gave when they were last kept."""
        statement = "SELECT kind, path, stamp, peek FROM peeks WHERE agent=? AND root=?"
        return {(kind, path): (stamp, peek) for kind, path, stamp, peek in self._sql.execute(statement, (agent, root))}

    def put_peeks(self, agent: str, root: str, peeks: Peeks) -> None:
        """Note what peeks at databases under a root gave."""
        rows = [(agent, root, *place, *peek) for place, peek in peeks.items()]
        self._sql.executemany("REPLACE INTO peeks VALUES(?, ?, ?, ?, ?, ?)", rows)

    def see(self, agent: str, root: bytes, snapshot: str) -> None:
        """Note that all of a root is kept."""
        self._sql.execute("REPLACE INTO seen VALUES(?, ?, ?)", (agent, root, snapshot))


def _connect(path: str) -> sqlite3.Connection:
    sql = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
    sql.execute("PRAGMA synchronous=NORMAL")
    probe = "SELECT 1 FROM sqlite_master WHERE name='meta'"
    if not sql.execute(probe).fetchone():
        sql.execute("PRAGMA journal_mode=WAL")
        with transaction(sql):
            if not sql.execute(probe).fetchone():
                for statement in _TABLES.split(";\n"):
                    sql.execute(statement)
                sql.execute("INSERT INTO meta VALUES(?)", (_FORMAT,))
    sql.execute(_PEEKS)
    return sql


def _location(row: tuple[Any, ...]) -> Location:
    sha, pack, offset, payload, length, check, size, base, copied, known, depth = row
    head = Content(sha=sha, size=size, base=base, copied=copied, known=known)
    return Location(pack, Record(head, offset, payload, length, check), depth)
