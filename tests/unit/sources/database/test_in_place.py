"""Rows of a large database are read where it lies, and what changed is seen without reading all of it."""

from __future__ import annotations

import os
import random
import sqlite3
from pathlib import Path

import pytest

from pollux.sources.database import InPlace, Marks, NotInPlace, Shape, changes_since, marks_of
from pollux.sources.database.excerpt import Excerpt

_SHAPE = Shape({"talk": "id", "word": "talk"}, ("place",))
_SCHEMA = (
    "CREATE TABLE talk (id text PRIMARY KEY, title text, price real, time_updated integer)",
    "CREATE TABLE word (id text PRIMARY KEY, talk text NOT NULL, said text)",
    "CREATE INDEX word_talk ON word (talk)",
    "CREATE TABLE place (id integer PRIMARY KEY, name text)",
    "CREATE TABLE secret (token text)",
    "INSERT INTO secret VALUES ('hush-hush')",
    "INSERT INTO place VALUES (7, 'the pond')",
)


class Birds:
    """An agent that writes talks into its database, and into its log."""

    def __init__(self, folder: Path, page_size: int = 4096) -> None:
        self.path = folder / "birds.db"
        self.sql = sqlite3.connect(self.path, isolation_level=None)
        self.sql.execute(f"PRAGMA page_size={page_size}")
        self.sql.execute("PRAGMA journal_mode=WAL")
        self.sql.execute("PRAGMA wal_autocheckpoint=0")
        for statement in _SCHEMA:
            self.sql.execute(statement)
        self.words = 0

    def begin(self, id: str) -> None:
        self.sql.execute("INSERT INTO talk (id, title, price, time_updated) VALUES (?, ?, 3, 1)", (id, f"about {id}"))

    def say(self, id: str, length: int) -> None:
        self.words += 1
        self.sql.execute("INSERT INTO word VALUES (?, ?, ?)", (f"w{self.words}", id, f"{self.words} " * length))
        self.sql.execute("UPDATE talk SET time_updated=time_updated+1 WHERE id=?", (id,))

    def settle(self) -> None:
        self.sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def rows(self, table: str, column: str, id: str) -> list[tuple[object, ...]]:
        return self.sql.execute(f"SELECT * FROM {table} WHERE {column}=? ORDER BY rowid", (id,)).fetchall()  # noqa: S608


@pytest.fixture
def birds(tmp_path: Path) -> Birds:
    made = Birds(tmp_path)
    for number in range(40):
        made.begin(f"t{number}")
        for length in (1, 3, 900, 20_000 if number % 7 == 0 else 2):
            made.say(f"t{number}", length)
    made.settle()
    return made


def _excerpt(birds: Birds, *ids: str) -> Excerpt:
    with InPlace(str(birds.path), _SHAPE.names) as reader:
        return Excerpt(reader, str(birds.path), _SHAPE, ids)


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
def test_rows_are_those_that_sqlite_reads(tmp_path: Path, page_size: int) -> None:
    birds = Birds(tmp_path, page_size)
    for number in range(300):
        birds.begin(f"t{number}")
        birds.say(f"t{number}", 1 + number * number % 5000)
        if number == 150:
            birds.settle()
            birds.sql.execute("ALTER TABLE talk ADD COLUMN mood text DEFAULT 'merry' NOT NULL")
            birds.sql.execute("ALTER TABLE talk ADD COLUMN eggs real DEFAULT 0 NOT NULL")
    for number in range(0, 300, 7):
        birds.say(f"t{number}", 40)
    for id in ("t0", "t7", "t99", "t298", "t299", "none"):
        state = _excerpt(birds, id)
        for table, column in (("talk", "id"), ("word", "talk")):
            read = [tuple(row.values()) for row in state.rows(table, {column: id})]
            real = birds.rows(table, column, id)
            assert [[_text(value) for value in row] for row in read] == [list(row) for row in real], (id, table)
        assert [tuple(row.values()) for row in state.rows("place", {})] == [(7, b"the pond")]
        state.close()


def _text(value: object) -> object:
    return value.decode() if isinstance(value, bytes) else value


def test_nothing_is_written_beside_it_and_no_other_table_is_copied(birds: Birds) -> None:
    birds.say("t3", 5)
    before = {path.name: path.read_bytes() for path in birds.path.parent.iterdir()}
    state = _excerpt(birds, "t3")
    assert {path.name: path.read_bytes() for path in birds.path.parent.iterdir()} == before
    assert state.whole_file is not None
    copied = Path(state.whole_file).read_bytes()
    assert b"about t3" in copied
    assert b"about t4" not in copied
    assert b"hush-hush" not in copied
    state.close()


def _marks(birds: Birds) -> Marks:
    with InPlace(str(birds.path), _SHAPE.names) as reader:
        return marks_of(reader, _SHAPE)


def _changed(birds: Birds, before: Marks) -> tuple[set[str], set[str]]:
    with InPlace(str(birds.path), _SHAPE.names) as reader:
        changes = changes_since(before, reader, _SHAPE)
        assert changes.marks == marks_of(reader, _SHAPE)
        return changes.ids, changes.gone


def test_nothing_changed(birds: Birds) -> None:
    marks = _marks(birds)
    assert _changed(birds, marks) == (set(), set())
    birds.sql.execute("INSERT INTO secret VALUES ('another')")
    assert _changed(birds, marks) == (set(), set())


@pytest.mark.parametrize("settles", [False, True])
def test_every_change_is_seen(birds: Birds, settles: bool) -> None:
    chance = random.Random(os.environ.get("POLLUX_SEED") or "birds")
    live = {f"t{number}" for number in range(40)}
    for step in range(60):
        marks, touched, gone = _marks(birds), set(), set()
        for count in range(chance.randrange(1, 4)):
            id = chance.choice(sorted(live))
            match chance.randrange(6):
                case 0:
                    id = f"new{step}-{count}"
                    birds.begin(id)
                    live.add(id)
                case 1 if len(live) > 5:
                    birds.sql.execute("DELETE FROM word WHERE talk=?", (id,))
                    birds.sql.execute("DELETE FROM talk WHERE id=?", (id,))
                    live.discard(id)
                    gone.add(id)
                    continue
                case 2:
                    birds.sql.execute("UPDATE talk SET title=title||'!' WHERE id=?", (id,))
                case 3:
                    last, id = birds.sql.execute("SELECT rowid, talk FROM word ORDER BY rowid DESC LIMIT 1").fetchone()
                    birds.sql.execute("UPDATE word SET said='x'||said WHERE rowid=?", (last,))
                case _:
                    birds.say(id, chance.choice((1, 2000)))
            touched.add(id)
        if settles:
            birds.settle()
        ids, lost = _changed(birds, marks)
        assert touched - gone <= ids, step
        assert lost == gone - {id for id in gone if id not in marks.rows}, step


def test_a_database_that_was_made_anew_is_read_whole(birds: Birds) -> None:
    marks = _marks(birds)
    birds.sql.execute("CREATE TABLE nest (egg text)")
    with pytest.raises(NotInPlace), InPlace(str(birds.path), _SHAPE.names) as reader:
        changes_since(marks, reader, _SHAPE)


def test_what_changes_meanwhile_is_not_used(birds: Birds) -> None:
    birds.say("t3", 5)
    with pytest.raises(NotInPlace), InPlace(str(birds.path), _SHAPE.names):
        birds.settle()


def test_an_open_transaction_is_not_read(birds: Birds) -> None:
    birds.sql.execute("BEGIN")
    birds.sql.execute("PRAGMA cache_size=1")
    for _ in range(300):
        birds.say("t3", 3000)
    state = _excerpt(birds, "t3")
    assert len(state.rows("word", {"talk": "t3"})) == 4
    state.close()
    birds.sql.execute("COMMIT")
    state = _excerpt(birds, "t3")
    assert len(state.rows("word", {"talk": "t3"})) == 304
    state.close()


def test_damage_is_never_taken_for_rows(birds: Birds) -> None:
    chance = random.Random(os.environ.get("POLLUX_SEED") or "birds")
    birds.say("t3", 5)
    birds.sql.execute("UPDATE talk SET title='other' WHERE id='t5'")
    rows = {id: birds.rows("word", "talk", id) for id in ("t3", "t5", "t7")}
    database, log = birds.path, birds.path.with_name("birds.db-wal")
    whole, frames = database.read_bytes(), log.read_bytes()
    birds.sql.close()
    read = 0
    for _ in range(60):
        cut = chance.randrange(len(whole))
        torn = bytearray(frames)
        torn[chance.randrange(len(torn))] ^= 1 + chance.randrange(255)
        for first, second in ((whole[:cut], frames), (whole, frames[: chance.randrange(len(frames))]), (whole, torn)):
            database.write_bytes(first)
            log.write_bytes(second)
            try:
                state = _excerpt(birds, *rows)
            except NotInPlace:
                continue
            read += 1
            for id, real in rows.items():
                said = {tuple(map(_text, row.values())) for row in state.rows("word", {"talk": id})}
                assert said <= set(real), "rows of an earlier state, and no others"
            state.close()
    assert read > 10


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA encoding='UTF-16'",
        "CREATE TABLE talk (id text PRIMARY KEY) WITHOUT ROWID",
        "CREATE VIEW talk AS SELECT 1 AS id",
    ],
)
def test_unusual_databases_are_left_to_a_copy(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "odd.db"
    odd = sqlite3.connect(path, isolation_level=None)
    odd.execute(statement)
    odd.execute("CREATE TABLE IF NOT EXISTS other (id text)")
    odd.close()
    with pytest.raises((NotInPlace, ValueError)), InPlace(str(path), _SHAPE.names) as reader:
        changes_since(Marks(reader.schema, {}, {}), reader, _SHAPE)


def test_a_journal_and_files_that_are_no_databases_are_left_to_a_copy(birds: Birds, tmp_path: Path) -> None:
    (tmp_path / "birds.db-journal").write_bytes(b"x")
    (tmp_path / "odd").write_bytes(os.urandom(9000))
    for name in (str(birds.path), str(tmp_path / "odd"), str(tmp_path / "none")):
        with pytest.raises(NotInPlace), InPlace(name, _SHAPE.names):
            pass
