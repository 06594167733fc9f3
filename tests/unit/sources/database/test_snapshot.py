"""Databases are read from private copies, with their logs, and only the named tables."""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from contextlib import closing
from pathlib import Path

import pytest

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.database import Snapshot, snapshot, with_log
from pollux.sources.database.private_copy import remove_abandoned
from pollux.sources.walk import stat_file

_NAMES = ("talk", "word")


def _database(folder: Path, rows: int = 50) -> sqlite3.Connection:
    """A database whose last rows are in the log only."""
    connection = sqlite3.connect(folder / "birds.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE talk (id text PRIMARY KEY, data text)")
    connection.execute("CREATE TABLE word (no integer PRIMARY KEY, talk text, said text)")
    connection.execute("CREATE TABLE secret (token text)")
    connection.execute("INSERT INTO secret VALUES ('hush')")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in range(rows):
        connection.execute("INSERT INTO talk VALUES (?, ?)", (f"t_{number}", "x" * 3000))
        connection.execute("INSERT INTO word VALUES (NULL, ?, ?)", (f"t_{number}", "hello"))
    return connection


def _file(folder: Path) -> File:
    files = [stat_file(path, "database") for path in folder.iterdir()]
    return with_log(next(file for file in files if file.path.endswith(".db")), files)


def _count(state: Snapshot, table: str) -> int:
    return len(state.rows(table, {}))


def test_the_log_counts_and_nothing_is_written_beside_the_database(tmp_path: Path) -> None:
    writer = _database(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    state = snapshot(_file(tmp_path), _NAMES)
    assert _count(state, "talk") == _count(state, "word") == 50
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    writer.execute("INSERT INTO talk VALUES ('new', '')")
    assert _count(state, "talk") == 50
    assert snapshot(_file(tmp_path), _NAMES) is not state
    assert _count(snapshot(_file(tmp_path), _NAMES), "talk") == 51
    writer.close()


def test_only_named_tables_are_read(tmp_path: Path) -> None:
    writer = _database(tmp_path)
    state = Snapshot(str(tmp_path / "birds.db"), _NAMES)
    assert sorted(state.tables) == ["talk", "word"]
    for statement in ("SELECT * FROM secret", "SELECT (SELECT token FROM secret) FROM talk"):
        with pytest.raises(Unreadable, match="prohibited"):
            state.select(statement)
    assert state.rows("secret", {}) == []
    state.close()
    writer.close()


@pytest.mark.parametrize("log", [b"", b"rubbish" * 9000, None])
def test_a_log_that_is_empty_or_no_log_leaves_the_database(tmp_path: Path, log: bytes | None) -> None:
    _database(tmp_path).close()
    if log is None:
        (tmp_path / "birds.db-wal").unlink(missing_ok=True)
    else:
        (tmp_path / "birds.db-wal").write_bytes(log)
    state = Snapshot(str(tmp_path / "birds.db"), _NAMES)
    assert _count(state, "talk") == 50
    state.close()


def test_a_log_that_is_torn_gives_its_whole_entries(tmp_path: Path) -> None:
    writer = _database(tmp_path)
    torn = tmp_path / "torn"
    torn.mkdir()
    raw = (tmp_path / "birds.db-wal").read_bytes()
    counts = []
    for size in range(0, len(raw) + 1, len(raw) // 20):
        (torn / "birds.db").write_bytes((tmp_path / "birds.db").read_bytes())
        (torn / "birds.db-wal").write_bytes(raw[:size])
        state = Snapshot(str(torn / "birds.db"), _NAMES)
        counts.append(_count(state, "talk"))
        state.close()
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] == 50
    writer.close()


def test_a_database_of_two_moments_is_called_damaged(tmp_path: Path) -> None:
    """As when the file is copied without its log while the agent moves the log into it."""
    writer = _database(tmp_path, rows=100)
    path = tmp_path / "birds.db"
    before = path.read_bytes()
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    after = path.read_bytes()
    writer.close()
    half = tmp_path / "half"
    half.mkdir()
    pages = range(0, len(after), 4096)
    damaged = 0
    for kept in pages[2 :: len(pages) // 12]:
        # The first pages are new, the others as they were, or still empty.
        old = before[kept:].ljust(len(after) - kept, b"\0")
        (half / "birds.db").write_bytes(after[:kept] + old)
        state = Snapshot(str(half / "birds.db"), _NAMES)
        damaged += bool(state.damage)
        assert state.damage or _count(state, "talk") == 100
        state.close()
    assert damaged > 6
    state = Snapshot(str(path), _NAMES)
    assert state.damage == []
    state.close()


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE talk ADD COLUMN boom text GENERATED ALWAYS AS (hex(zeroblob(400000000))) VIRTUAL",
        "UPDATE sqlite_schema SET sql=replace(sql, ', data text)', ', data text, CHECK (hex(zeroblob(400000000))))')",
    ],
)
def test_an_expression_in_the_schema_takes_neither_time_nor_memory(tmp_path: Path, change: str) -> None:
    writer = _database(tmp_path)
    writer.execute("PRAGMA writable_schema=ON")
    writer.execute(change)
    writer.close()
    start = time.process_time()
    state = Snapshot(str(tmp_path / "birds.db"), _NAMES)
    assert len({row["id"] for row in state.rows("talk", {})}) == 50
    assert _count(state, "word") == 50
    state.close()
    assert time.process_time() - start < 2


def test_a_cut_database_gives_every_row_that_is_whole(tmp_path: Path) -> None:
    _database(tmp_path).close()
    whole = Snapshot(str(tmp_path / "birds.db"), _NAMES)
    rows = {row["no"]: row for row in whole.rows("word", {})}
    cut = tmp_path / "cut.db"
    raw = (tmp_path / "birds.db").read_bytes()
    for size in range(0, len(raw), 4096):
        cut.write_bytes(raw[:size])
        state = Snapshot(str(cut), _NAMES)
        for row in state.rows("word", {}):
            assert row == rows[row["no"]]
        stored = raw[:size].count(b"hello")
        if "word" in state.tables:
            assert _count(state, "word") == stored
        assert bool(state.damage) == (size > 0)
        state.close()
    whole.close()


@pytest.mark.parametrize(
    ("shape", "lost", "read"),
    [
        pytest.param("id text, token text, spare integer", "talk", 60, id="another shape"),
        pytest.param("id text, token text", "talk", 0, id="the same shape"),
        pytest.param("id text, token text", "secret", 60, id="the other table is damaged"),
        pytest.param("id text, token text", "schema", 60, id="the schema is damaged"),
    ],
)
def test_pages_that_nothing_leads_to_are_never_those_of_another_table(
    tmp_path: Path, shape: str, lost: str, read: int
) -> None:
    path = tmp_path / "birds.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size=512")
        connection.execute("CREATE TABLE talk (id text, data text)")
        for number in range(20):
            connection.execute(f"CREATE TABLE other_{number} (some_data text)")
        connection.execute(f"CREATE TABLE secret ({shape})")
        for number in range(60):
            connection.execute("INSERT INTO talk VALUES (?, ?)", (f"t_{number}", "x" * 100))
            connection.execute("INSERT INTO secret (id, token) VALUES (?, ?)", (f"s_{number}", "hush" * 25))
        roots: dict[str, int] = dict(connection.execute("SELECT name, rootpage FROM sqlite_master"))
    raw = bytearray(path.read_bytes())
    pages = [bytes(raw[start : start + 512]) for start in range(0, len(raw), 512)]
    schema = next(number for number, page in enumerate(pages, start=1) if b"CREATE TABLE secret" in page)
    place = {**roots, "schema": schema}[lost] * 512
    raw[place - 512 : place] = bytes(512)
    path.write_bytes(raw)
    state = Snapshot(str(path), _NAMES)
    rows = state.rows("talk", {})
    assert not any(b"hush" in value for row in rows for value in row.values())
    assert len(rows) == read
    assert bool(state.damage) == (lost != "secret")
    state.close()


def test_a_file_that_is_no_database_has_no_tables(tmp_path: Path) -> None:
    odd = tmp_path / "odd.db"
    odd.write_bytes(os.urandom(20_000))
    state = Snapshot(str(odd), _NAMES)
    assert state.tables == {}
    assert state.damage
    state.close()
    with pytest.raises(Unreadable, match="No such file"):
        Snapshot(str(tmp_path / "none.db"), _NAMES)


def test_copies_of_processes_that_were_killed_are_removed(tmp_path: Path) -> None:
    (tmp_path / "pollux-database-999999999-x").mkdir()
    (tmp_path / f"pollux-database-{os.getpid()}-x").mkdir()
    remove_abandoned(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"pollux-database-{os.getpid()}-x"]


def test_a_journal_never_has_another_file_deleted(tmp_path: Path) -> None:
    _database(tmp_path).close()
    database = tmp_path / "birds.db"
    with sqlite3.connect(database) as plain:
        plain.execute("PRAGMA journal_mode=DELETE")
    plain.close()
    victim = tmp_path / "diary.txt"
    victim.write_text("dear diary\n")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(victim).encode()
    pages = database.stat().st_size // 4096
    head = (magic + struct.pack(">5I", 0, 1, pages, 512, 4096)).ljust(512, b"\0")
    page = struct.pack(">I", 0x40000000 // 4096 + 1)
    (tmp_path / "birds.db-journal").write_bytes(head + page + name + struct.pack(">2I", len(name), sum(name)) + magic)
    state = Snapshot(str(database), _NAMES)
    assert _count(state, "talk") == 50
    state.close()
    assert victim.read_text() == "dear diary\n"


def test_rows_that_share_their_pages_do_not_multiply(tmp_path: Path) -> None:
    writer = _database(tmp_path, rows=0)
    writer.execute("PRAGMA journal_mode=DELETE")
    writer.execute("INSERT INTO talk VALUES ('long', ?)", ("x" * 400_000,))
    root = writer.execute("SELECT rootpage FROM sqlite_master WHERE name='talk'").fetchone()[0]
    writer.close()
    database = tmp_path / "birds.db"
    raw = bytearray(database.read_bytes())
    page = (root - 1) * 4096
    raw[page + 3 : page + 5] = struct.pack(">H", 1000)
    raw[page + 8 : page + 2008] = raw[page + 8 : page + 10] * 1000
    database.write_bytes(raw[:-4096])
    state = Snapshot(str(database), _NAMES)
    assert _count(state, "talk") < 10
    state.close()


def test_what_sqlite_cannot_check_is_not_called_damaged(tmp_path: Path) -> None:
    writer = _database(tmp_path)
    writer.create_collation("birdish", lambda one, other: (one > other) - (one < other))
    writer.execute("CREATE INDEX by_bird ON word (said COLLATE birdish)")
    writer.close()
    state = Snapshot(str(tmp_path / "birds.db"), _NAMES)
    assert (_count(state, "talk"), _count(state, "word"), state.damage) == (50, 50, [])
    state.close()


@pytest.mark.parametrize(
    "columns",
    ["id check, data text", "id text, id text", "id text, data", "id collate, data primary", "ID text, id text"],
)
def test_rows_of_a_table_with_a_damaged_schema_are_salvaged(tmp_path: Path, columns: str) -> None:
    writer = _database(tmp_path)
    writer.execute("PRAGMA journal_mode=DELETE").fetchall()
    writer.execute("PRAGMA writable_schema=ON")
    statement = "UPDATE sqlite_schema SET sql=? WHERE name='talk'"
    writer.execute(statement, (f"CREATE TABLE talk ({columns})",))
    writer.close()
    path = tmp_path / "birds.db"
    path.write_bytes(path.read_bytes()[:-4096])
    state = Snapshot(str(path), _NAMES)
    assert 40 < _count(state, "talk") <= 50
    state.close()
