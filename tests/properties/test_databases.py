"""Databases damaged in every way: cut, with odd values, with what nobody knows, with a log that is missing or torn."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pollux.model import Session
from pollux.sources.base import SourceContext
from pollux.sources.database import with_log
from pollux.sources.database.snapshot import known_snapshot
from pollux.sources.opencode.witnesses.rows import SHAPE
from pollux.sources.walk import stat_file
from pollux.testing.homes import Home, Stage, homes, pieces
from tests.properties.opencode import OPENCODE

CORPUS = Path(__file__).parent.parent / "corpus" / "opencode"
DATABASE = ".local/share/opencode/opencode.db"
LOG = f"{DATABASE}-wal"
EVERYTHING = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
HOMES = [home for home in homes(OPENCODE, CORPUS) if DATABASE in home.files]
WITH_LOG = [home for home in HOMES if LOG in home.files]
ODD = (None, 7, -1, 10**18, 1.5, b"\xff\xfe\x00", "", "x" * 9000, "[]", '{"a": {"b": [1, null]}}', '"text"', "{")

BECOMES = ("text", "tool", "file", "reasoning", "completed", "running", "assistant", "user")
"""Words that become a type, a status or a role."""


def _chance(home: Home) -> random.Random:
    return random.Random(f"{os.environ.get('POLLUX_SEED') or 'pollux'} {home.name}")


def _files(home: Home) -> list[str]:
    """The database alone: JSON files beside it would hold the same sessions."""
    return [file for file in (DATABASE, LOG) if file in home.files]


def _texts(sessions: list[Session]) -> str:
    return "\n".join(
        text for text in _leaves([json.loads(piece) for piece in ["".join(pieces([s])) for s in sessions]])
    )


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def _changed(stage: Stage, change: Callable[[sqlite3.Connection], None]) -> None:
    """Change the database as a program would, without a log."""
    path = stage.folder / DATABASE
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("PRAGMA foreign_keys=OFF")
    change(connection)
    connection.close()
    stage.put(DATABASE, path.read_bytes())


def _reported(stage: Stage) -> bool:
    report = stage.doctor()
    return bool(report.notices) or any(file.status in ("unreadable", "unknown") for file in report.files)


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_every_text_of_every_row_is_read(home: Home) -> None:
    with Stage(home, _files(home)) as stage:
        said = {session.id: _texts([session]) for session in stage.sessions()}
        _changed(stage, lambda _: None)
        connection = sqlite3.connect(stage.folder / DATABASE)
        for table in ("message", "part"):
            for id, data in connection.execute(f"SELECT session_id, data FROM {table}"):  # noqa: S608
                for text in _leaves(json.loads(data)):
                    assert text in said[id] or text in BECOMES or text.startswith("data:"), (table, text[:200])
        connection.close()


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_a_cut_database_loses_only_what_is_cut(home: Home) -> None:
    chance = _chance(home)
    with Stage(home, _files(home)) as stage:
        _changed(stage, lambda _: None)
        raw = (stage.folder / DATABASE).read_bytes()
        before = stage.sessions()
        whole, used = _texts(before), {session.id: session.usage.total for session in before}
        pages = range(0, len(raw), 4096)
        places = [*pages] if EVERYTHING else chance.sample(pages, 4)
        places += [chance.randrange(len(raw)) for _ in range(1500 if EVERYTHING else 2)]
        for place in places:
            stage.put(DATABASE, raw[:place])
            for session in stage.sessions():
                for message in session.messages:
                    assert message.text in whole
                assert session.exact is not True or session.usage.total == used[session.id], place
            assert _reported(stage) or place == 0, place


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_broken_bytes_stop_nothing(home: Home) -> None:
    chance = _chance(home)
    with Stage(home, _files(home)) as stage:
        _changed(stage, lambda _: None)
        raw = (stage.folder / DATABASE).read_bytes()
        for _ in range(1500 if EVERYTHING else 6):
            torn = bytearray(raw)
            # The schema and the heads of pages matter most.
            start = chance.choice((0, 4096 * chance.randrange(len(raw) // 4096)))
            for _ in range(chance.randrange(1, 30)):
                torn[start + chance.randrange(min(4096, len(raw) - start))] = chance.randrange(256)
            stage.put(DATABASE, bytes(torn))
            stage.sessions()
            stage.doctor()


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_odd_values_harm_no_other_session_and_no_exact_figure(home: Home) -> None:
    chance = _chance(home)
    with Stage(home, _files(home)) as stage:
        _changed(stage, lambda _: None)
        raw = (stage.folder / DATABASE).read_bytes()
        before = {session.id: session for session in stage.sessions()}
        connection = sqlite3.connect(stage.folder / DATABASE)
        rows = [
            (table, rowid, id)
            for table, owner in (("session", "id"), ("message", "session_id"), ("part", "session_id"))
            for rowid, id in connection.execute(f"SELECT rowid, {owner} FROM {table}")  # noqa: S608
        ]
        columns = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in ("session", "message", "part")
        }
        connection.close()
        for _ in range(3000 if EVERYTHING else 5):
            table, rowid, id = chance.choice(rows)
            column = chance.choice([name for name in columns[table] if name not in ("id", "session_id", "message_id")])
            value = chance.choice(ODD)
            statement = f"UPDATE OR REPLACE {table} SET {column}=? WHERE rowid=?"  # noqa: S608
            stage.put(DATABASE, raw)
            try:
                _changed(stage, lambda c, s=statement, v=value, r=rowid: c.execute(s, (v, r)))  # type: ignore[misc]
            except sqlite3.IntegrityError:  # a column that cannot be empty
                continue
            after = {session.id: session for session in stage.sessions()}
            own = after.get(id)
            if table != "session" and own is not None:  # when a session began, nothing else tells
                assert own.exact is not True or own.usage.total == before[id].usage.total, (table, column, value)
            kin = {id, *(child.id for child in before.values() if child.parent == f"opencode:{id}")}
            # What a fork was made from shows only in the messages of its origin.
            forks = {fork.id for fork in before.values() if any(link.target == f"opencode:{id}" for link in fork.links)}
            for key in before.keys() - kin:
                was, now = before[key], after.get(key)
                if key in forks and now is not None:
                    was, now = _without_links(was), _without_links(now)
                assert now == was, (table, column, value)


def test_what_nobody_knows_is_kept_and_reported() -> None:
    home = HOMES[-1]
    with Stage(home, _files(home)) as stage:

        def plant(connection: sqlite3.Connection) -> None:
            for table in ("session", "message", "part"):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN feathers text")
                connection.execute(f"UPDATE {table} SET feathers='plucked-{table}'")  # noqa: S608
            connection.execute("CREATE TABLE nest (egg text)")
            connection.execute("INSERT INTO nest VALUES ('secret-egg')")
            connection.execute("UPDATE part SET data=json_set(data, '$.beak', 'sharp')")

        _changed(stage, plant)
        said = _texts(stage.sessions())
        notices = {notice.subject for notice in stage.doctor().notices}
        assert {"session.feathers", "message.feathers", "part.feathers", "part.beak"} <= notices
        assert all(word in said for word in ("plucked-session", "plucked-message", "plucked-part", "sharp"))
        assert "secret-egg" not in said


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_sessions_that_are_read_in_place_are_the_same(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    source, marks, sessions = OPENCODE.source, [], []
    with Stage(home, _files(home)) as stage:
        root = stage.folder / ".local/share/opencode"
        for context in (SourceContext(), SourceContext(needs=lambda _id, _changed: True)):
            bundles = source.bundles(root, list(source.find(root)), context)
            marks.append({bundle.id: bundle.fingerprint() for bundle in bundles})
            sessions.append({bundle.id: source.read(bundle).sessions for bundle in bundles})
            assert (SHAPE.names[0] in _copied(root)) == (len(marks) == 1), "the second time nothing is copied whole"
            for name in _files(home):
                stage.put(name, (stage.folder / name).read_bytes())
            monkeypatch.setattr("pollux.sources.database.excerpt._LARGE", 0)
            monkeypatch.setattr("pollux.sources.opencode.read.origin_of", lambda *_: None)
    assert marks[0] == marks[1]
    assert {id: [_without_links(s) for s in found] for id, found in sessions[0].items()} == {
        id: [_without_links(s) for s in found] for id, found in sessions[1].items()
    }


def _copied(root: Path) -> set[str]:
    """The tables of the whole copy of the database as it is now, if there is one."""
    files = [stat_file(path, "database") for path in root.iterdir() if path.is_file()]
    database = next(file for file in files if file.path.endswith(".db"))
    whole = known_snapshot(with_log(database, files), SHAPE.names)
    return set(whole.tables) if whole is not None else set()


def _without_links(session: Session) -> Session:
    return msgspec.structs.replace(session, links=())


@pytest.mark.parametrize("home", WITH_LOG, ids=lambda home: home.name)
def test_a_log_that_is_missing_torn_or_too_long(home: Home) -> None:
    chance = _chance(home)
    with Stage(home, _files(home)) as stage:
        whole = {session.id: session for session in stage.sessions()}
        log = (stage.folder / LOG).read_bytes()
        stage.put(LOG, log + bytes(5000) + b"rubbish" * 99)
        assert {session.id: session for session in stage.sessions()} == whole
        texts = _texts([*whole.values()])
        for _ in range(2000 if EVERYTHING else 8):
            stage.put(LOG, log[: chance.randrange(len(log))])
            for session in stage.sessions():
                assert all(message.text in texts for message in session.messages)
        (stage.folder / LOG).unlink()
        assert len(stage.sessions()) <= len(whole)


def test_tables_with_keys_are_never_read() -> None:
    home = next(home for home in HOMES if home.name == "1.18.33")
    with Stage(home, _files(home)) as stage:

        def hide(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO credential VALUES ('c', 'i', 'l', 'hush-hush', 'k', 'm', 1, 0, 0)")
            connection.execute("INSERT INTO account VALUES ('a', 'e', 'u', 'hush-hush', 'hush-hush', 0, 0, 0)")

        _changed(stage, hide)
        root = stage.folder / ".local/share/opencode"
        documents = list(OPENCODE.source.documents(root, list(OPENCODE.source.find(root)), SourceContext()))  # type: ignore[attr-defined]
        assert len(documents) == 28
        assert all(b"hush-hush" not in document.content() for document in documents)
        assert "hush-hush" not in _texts(stage.sessions())
