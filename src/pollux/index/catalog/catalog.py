"""The catalogue: every session but for its words, in one SQLite file that may be deleted at any moment.

A session's `no` is never used twice. A session that changed is written under a new number, and the old number goes
to `garbage` until the text index has dropped it. So whatever of the two is a step behind the other, a number means
one thing only.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from pollux.index.catalog.rollups import quarter, rolled_up
from pollux.index.catalog.rows import BundleRows, Entry, Marks, Proof, UsageRow, micros
from pollux.model import FIGURES, Notice, Summary
from pollux.system.files import secure
from pollux.system.transaction import transaction

_FIGURES = ", ".join(f"{name} INTEGER" for name in FIGURES)
_TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE roots(id INTEGER PRIMARY KEY, agent TEXT, path TEXT, snapshot TEXT, UNIQUE(agent, path));
CREATE TABLE layouts(root INTEGER PRIMARY KEY, layout BLOB);
CREATE TABLE news(root INTEGER PRIMARY KEY, news BLOB);
CREATE TABLE closed(root INTEGER, path TEXT, PRIMARY KEY(root, path)) WITHOUT ROWID;
CREATE TABLE heads(
    root INTEGER, path TEXT, kind TEXT, stamp TEXT, told BLOB, PRIMARY KEY(root, path, kind)) WITHOUT ROWID;
CREATE TABLE bundles(
    id INTEGER PRIMARY KEY, root INTEGER, key TEXT, seal TEXT, leaning BLOB, problem TEXT, notices BLOB,
    UNIQUE(root, key));
CREATE TABLE sessions(
    no INTEGER PRIMARY KEY, root INTEGER, bundle INTEGER, key TEXT, id TEXT, agent TEXT, kind TEXT, parent TEXT,
    project TEXT, evidence TEXT, project_hash TEXT, started INTEGER, moment INTEGER,
    messages INTEGER, exact INTEGER, proof BLOB, troubled INTEGER, cut INTEGER, summary BLOB, notices BLOB);
CREATE INDEX sessions_bundle ON sessions(bundle);
CREATE INDEX sessions_id ON sessions(id, agent, root, kind, bundle, no);
CREATE INDEX sessions_parent ON sessions(parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_newest ON sessions(moment, key, root, kind);
CREATE INDEX sessions_where ON sessions(root, project, project_hash, evidence, key);
CREATE INDEX sessions_unsettled ON sessions(project_hash, root)
    WHERE project_hash IS NOT NULL AND (project IS NULL OR evidence='guess');
CREATE TABLE abouts(session INTEGER PRIMARY KEY, words TEXT, marks BLOB);
CREATE TABLE facts(session INTEGER, name TEXT, value TEXT, PRIMARY KEY(session, name, value)) WITHOUT ROWID;
CREATE INDEX facts_name ON facts(name, value);
CREATE TABLE links(session INTEGER, kind TEXT, target TEXT, evidence TEXT);
CREATE INDEX links_session ON links(session);
CREATE TABLE usage(
    session INTEGER, number INTEGER, message TEXT, at INTEGER, model TEXT, fate TEXT, inherited INTEGER,
    {_FIGURES}, exact INTEGER, file INTEGER, line INTEGER, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE TABLE calls(
    session INTEGER, number INTEGER, message TEXT, name TEXT, canonical TEXT, kind TEXT, status TEXT, at INTEGER,
    inherited INTEGER, seconds REAL, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE TABLE quarters(
    session INTEGER, quarter INTEGER, model TEXT, step INTEGER, {_FIGURES},
    PRIMARY KEY(session, quarter, model, step)) WITHOUT ROWID;
CREATE TABLE prompts(
    session INTEGER, quarter INTEGER, prompts INTEGER, PRIMARY KEY(session, quarter)) WITHOUT ROWID;
CREATE TABLE garbage(session INTEGER PRIMARY KEY);
"""
_TOGETHER = 500
_PATIENCE = 5.0
"""So long (seconds) a file may be locked: only one process writes, and it makes and mends the file in a moment."""

_PARTS = ("abouts", "facts", "links", "usage", "calls", "quarters", "prompts")

Damage = (sqlite3.DatabaseError, msgspec.DecodeError)
"""What a damaged file raises."""


Heads = dict[tuple[str, str], tuple[str, bytes]]
"""What glances at files told, by kind and path, with the stamp of the file."""


class Bundled(msgspec.Struct):
    """What is known of a bundle that was read before."""

    id: int
    fingerprint: str
    dependencies: bytes


def first_number(generation: int) -> int:
    """The sessions of a generation are numbered from here."""
    return generation << 24


class Catalog:
    """One connection. `path` None keeps everything in memory, for one run, where no folder can be written to.

    Without `make`, a file that holds none is left alone, and `edition` is None. `born` tells this catalogue from one
    that was made anew, whose numbers began anew as well.
    """

    def __init__(self, path: Path | None, edition: str, *, make: bool = True) -> None:
        self.path = path
        if path is not None:
            secure(path)
        self._sql = sqlite3.connect(path or ":memory:", isolation_level=None, timeout=_PATIENCE)
        if make:
            self._sql.execute("PRAGMA journal_mode=WAL")
        self._sql.execute("PRAGMA synchronous=NORMAL")
        self._sql.execute("PRAGMA cache_size=-16000")
        there = bool(self._sql.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone())
        if make and not there:
            with self.change():
                for statement in _TABLES.split(";\n"):
                    self._sql.execute(statement)
                self._put("edition", edition)
                self._put("generation", 0)
                self._put("born", uuid4().hex)
        self.edition = self._get("edition") if make or there else None
        self.born = str(self._get("born")) if make or there else ""
        self._number = 0
        self._inode = path.stat().st_ino if path is not None else 0

    def stands(self) -> bool:
        """Is this still the file at its place? Another pollux may have made it anew."""
        try:
            return self.path is None or self.path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def copy(self, path: Path) -> None:
        """Write all that it holds into a new file, which goes its own way from there."""
        with closing(sqlite3.connect(path)) as other:
            self._sql.backup(other)
            other.execute("UPDATE meta SET value=? WHERE name='born'", (uuid4().hex,))
            other.commit()

    def close(self) -> None:
        """Let go of the file."""
        self._sql.close()

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask anything."""
        return self._sql.execute(statement, values).fetchall()

    def stream(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """As `rows`, one after the other: for those who may have enough before all are looked up."""
        return self._sql.execute(statement, values)

    def change(self) -> AbstractContextManager[None]:
        """All of what happens inside, or nothing."""
        return transaction(self._sql)

    @contextmanager
    def still(self) -> Iterator[None]:
        """Inside, nothing that others write is seen: several questions are answered from one state."""
        if self._sql.in_transaction:
            yield
            return
        self._sql.execute("BEGIN")
        try:
            yield
        finally:
            self._sql.execute("ROLLBACK")

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Inside a change: a piece of it that is there as a whole, or not."""
        self._sql.execute("SAVEPOINT piece")
        try:
            yield
        except BaseException:
            self._sql.execute("ROLLBACK TO piece")
            raise
        finally:
            self._sql.execute("RELEASE piece")

    def _get(self, name: str) -> Any:
        found = self._sql.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
        return found[0] if found else None

    def _put(self, name: str, value: Any) -> None:
        self._sql.execute("REPLACE INTO meta VALUES(?, ?)", (name, value))

    @property
    def generation(self) -> int:
        """Grows with every change of the sessions."""
        return int(self._get("generation") or 0)

    def begin(self, generation: int) -> None:
        """Sessions added from now on are numbered in this generation's range."""
        self._put("generation", generation)
        self._number = first_number(generation)

    # ------------------------------------------------------------------ roots and glances

    def root(self, agent: str, path: str) -> tuple[int, str]:
        """A root's number and the snapshot under which it was last seen whole; a new one has none."""
        found = self.rows("SELECT id, snapshot FROM roots WHERE agent=? AND path=?", agent, path)
        return (found[0][0], found[0][1]) if found else (0, "")

    def add_root(self, agent: str, path: str) -> int:
        """Make room for a root."""
        self._sql.execute("INSERT OR IGNORE INTO roots(agent, path, snapshot) VALUES(?, ?, '')", (agent, path))
        return self.root(agent, path)[0]

    def seen_whole(self, root: int, snapshot: str, layout: bytes | None, news: bytes | None) -> None:
        """All that a root holds is in the catalogue; this is how its files hang together, as far as that is known.

        Where there are `news`, the layout stays as it was.
        """
        self._sql.execute("UPDATE roots SET snapshot=? WHERE id=?", (snapshot, root))
        if news is None:
            self._sql.execute("REPLACE INTO layouts VALUES(?, ?)", (root, layout))
        self._sql.execute("REPLACE INTO news VALUES(?, ?)", (root, news))

    def put_closed(self, root: int, paths: Iterable[str]) -> None:
        """What the system does not let us look into, of a root."""
        self._sql.execute("DELETE FROM closed WHERE root=?", (root,))
        self._sql.executemany("INSERT OR IGNORE INTO closed VALUES(?, ?)", ((root, path) for path in paths))

    def changing(self, root: int) -> None:
        """Until it is seen whole again, what a root holds and what is in the catalogue may differ."""
        self._sql.execute("UPDATE roots SET snapshot='' WHERE id=?", (root,))

    def layout(self, root: int) -> tuple[bytes | None, bytes | None]:
        """How the files of a root hung together when it was last seen whole: the layout, and the news of it."""
        found = self.rows("SELECT layout, news FROM layouts LEFT JOIN news USING(root) WHERE root=?", root)
        return found[0] if found else (None, None)

    def heads(self, root: int, files: Iterable[str] | None = None) -> Heads:
        """What glances at a root's files told, or at some of them."""
        rows = self.among("SELECT kind, path, stamp, told FROM heads WHERE root=?", "path", files, root)
        return {(kind, path): (stamp, told) for kind, path, stamp, told in rows}

    def among(self, asked: str, column: str, values: Iterable[Any] | None, *given: Any) -> list[tuple[Any, ...]]:
        """As `rows`, or those of them alone that have one of these values."""
        if values is None:
            return self.rows(asked, *given)
        every = list(values)
        chunks = [every[start : start + _TOGETHER] for start in range(0, len(every), _TOGETHER)]
        return [
            row
            for chunk in chunks
            for row in self.rows(f"{asked} AND {column} IN ({', '.join('?' * len(chunk))})", *given, *chunk)
        ]

    def put_heads(self, root: int, old: Heads, new: Heads) -> None:
        """Renew what is known of files."""
        gone = [(root, *place) for place in old.keys() - new.keys()]
        self._sql.executemany("DELETE FROM heads WHERE root=? AND kind=? AND path=?", gone)
        changed = [(root, *place, *told) for place, told in new.items() if old.get(place) != told]
        self._sql.executemany("REPLACE INTO heads(root, kind, path, stamp, told) VALUES(?, ?, ?, ?, ?)", changed)

    # ------------------------------------------------------------------ bundles and sessions

    def bundled(self, root: int, keys: Iterable[str] | None = None) -> dict[str, Bundled]:
        """The bundles of a root by key, or some of them."""
        rows = self.among("SELECT key, id, seal, leaning FROM bundles WHERE root=?", "key", keys, root)
        return {key: Bundled(number, fingerprint, dependencies) for key, number, fingerprint, dependencies in rows}

    def forget(self, bundles: Iterable[int]) -> int:
        """Drop bundles with their sessions; returns how many sessions went."""
        dropped = 0
        for bundle in bundles:
            numbers = [no for (no,) in self.rows("SELECT no FROM sessions WHERE bundle=?", bundle)]
            for no in numbers:
                for table in _PARTS:
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

    def add(self, root: int, key: str, fingerprint: str, reading: BundleRows) -> None:
        """Keep a bundle with its sessions."""
        noticed = msgspec.msgpack.encode(reading.notices) if reading.notices else None
        bundle = self._sql.execute(
            "INSERT INTO bundles(root, key, seal, leaning, problem, notices) VALUES(?, ?, ?, ?, ?, ?)",
            (root, key, fingerprint, reading.dependencies, reading.problem, noticed),
        ).lastrowid
        assert bundle is not None  # noqa: S101 (an INSERT has one)
        for entry in reading.entries:
            self._add(root, bundle, entry)
        self._sql.executemany("INSERT OR IGNORE INTO garbage VALUES(?)", [(no,) for no in reading.wasted])

    def _add(self, root: int, bundle: int, entry: Entry) -> None:
        no, told = entry.no, entry.summary
        moment = told.ended or told.started
        row: tuple[Any, ...] = (no, root, bundle, told.key, told.id, told.agent, told.kind.value, told.parent)
        row += (told.project, told.project_evidence, told.project_hash, micros(told.started), micros(moment))
        noticed = msgspec.msgpack.encode(entry.notices) if entry.notices else None
        row += (
            len(entry.marks.ids),
            told.usage.exact,
            msgspec.msgpack.encode(entry.proof),
            entry.troubled,
            entry.cut,
            msgspec.msgpack.encode(told),
            noticed,
        )
        self._sql.execute(f"INSERT INTO sessions VALUES({', '.join('?' * 20)})", row)
        self._sql.execute("INSERT INTO abouts VALUES(?, ?, ?)", (no, entry.about, msgspec.msgpack.encode(entry.marks)))
        self._sql.executemany(
            "INSERT OR IGNORE INTO facts VALUES(?, ?, ?)",
            [(no, name, value) for name, values in told.facts.items() for value in values],
        )
        self._sql.executemany(
            "INSERT INTO links VALUES(?, ?, ?, ?)",
            [(no, link.kind, link.target, link.evidence) for link in entry.links],
        )
        self._sql.executemany(
            _insert("usage", "session", "number", *UsageRow.__struct_fields__),
            [(no, number, *msgspec.structs.astuple(row)) for number, row in enumerate(entry.usage)],
        )
        self._sql.executemany(
            f"INSERT INTO calls VALUES({', '.join('?' * 10)})",
            [(no, number, *msgspec.structs.astuple(row)) for number, row in enumerate(entry.calls)],
        )
        self._sql.executemany(
            _insert("quarters", "session", "quarter", "model", "step", *FIGURES),
            [(no, *place, *total.values) for place, total in rolled_up(entry.usage, told).items()],
        )
        self._sql.executemany(
            "INSERT INTO prompts VALUES(?, ?, ?)",
            [(no, *counted) for counted in Counter(map(quarter, entry.prompts)).items()],
        )

    def garbage(self) -> list[int]:
        """The numbers of sessions that are no more, and that the text index may still hold."""
        return [no for (no,) in self.rows("SELECT session FROM garbage")]

    def clear_garbage(self, numbers: Iterable[int]) -> None:
        """The text index holds these no more."""
        self._sql.executemany("DELETE FROM garbage WHERE session=?", [(no,) for no in numbers])


def _insert(table: str, *columns: str) -> str:
    """A statement that takes the values of these columns."""
    return f"INSERT INTO {table}({', '.join(columns)}) VALUES({', '.join('?' * len(columns))})"


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Made when something of this kind is first read: each takes a while, and no command needs all."""
    return msgspec.msgpack.Decoder(kind)


def summary_of(blob: bytes) -> Summary:
    """A summary as it was kept."""
    told: Summary = _decoder(Summary).decode(blob)
    return told


def proof_of(blob: bytes) -> Proof:
    """What speaks for and against a session's figures, as it was kept."""
    told: Proof = _decoder(Proof).decode(blob)
    return told


def notices_of(blob: bytes | None) -> tuple[Notice, ...]:
    """Notices as they were kept."""
    told: tuple[Notice, ...] = _decoder(tuple[Notice, ...]).decode(blob) if blob is not None else ()
    return told


def marks_of(blob: bytes) -> Marks:
    """Each message's id, role and author as they were kept."""
    told: Marks = _decoder(Marks).decode(blob)
    return told
