"""Copilot CLI's index of sessions, cut, damaged and with odd values: what the events say stays as it is."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pollux.model import Fate, Session
from pollux.testing.homes import Home, Stage, homes
from tests.properties.copilot import COPILOT

CORPUS = Path(__file__).parent.parent / "corpus" / "copilot"
EVERYTHING = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
STORES = [
    (home, store) for home in homes(COPILOT, CORPUS) for store in home.files if store.endswith("session-store.db")
]
TABLES = ("sessions", "turns", "checkpoints", "assistant_usage_events")
ODD = (None, 7, -1, 10**18, 1.5, b"\xff\xfe\x00", "", "x" * 9000, "[]", "{")


def _said(sessions: list[Session]) -> dict[str, list[tuple[str | None, str]]]:
    """What the events alone tell: everything that was not rewound."""
    return {
        session.id: [(message.id, message.text) for message in session.messages if message.fate is not Fate.REWOUND]
        for session in sessions
        if any(file.endswith("events.jsonl") for file in session.files)
    }


def _changed(stage: Stage, store: str, raw: bytes, change: Callable[[sqlite3.Connection], object]) -> None:
    path = stage.folder / store
    path.write_bytes(raw)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        change(connection)
    stage.put(store, path.read_bytes())


@pytest.mark.parametrize(("home", "store"), STORES, ids=lambda value: getattr(value, "name", ""))
def test_a_cut_store_harms_no_session(home: Home, store: str) -> None:
    chance = random.Random(f"{os.environ.get('POLLUX_SEED') or 'pollux'} {home.name}")
    with Stage(home, list(home.files)) as stage:
        raw = (stage.folder / store).read_bytes()
        before = _said(stage.sessions())
        pages = range(4096, len(raw), 4096)
        places = [*pages] if EVERYTHING else chance.sample(pages, min(4, len(pages)))
        places += [chance.randrange(1, len(raw)) for _ in range(1000 if EVERYTHING else 3)]
        for place in places:
            stage.put(store, raw[:place])
            assert _said(stage.sessions()) == before, place
            report = stage.doctor()
            assert report.notices or any(file.status in ("unreadable", "unknown") for file in report.files), place
        for _ in range(1000 if EVERYTHING else 4):
            torn = bytearray(raw)
            for _ in range(20):
                torn[chance.randrange(len(torn))] = chance.randrange(256)
            stage.put(store, bytes(torn))
            assert _said(stage.sessions()).keys() == before.keys()
        (stage.folder / store).unlink()
        assert _said(stage.sessions()).keys() == before.keys()


@pytest.mark.parametrize(("home", "store"), STORES, ids=lambda value: getattr(value, "name", ""))
def test_odd_values_and_columns_harm_no_session(home: Home, store: str) -> None:
    chance = random.Random(f"{os.environ.get('POLLUX_SEED') or 'pollux'} {home.name}")
    with Stage(home, list(home.files)) as stage:
        raw = (stage.folder / store).read_bytes()
        before = _said(stage.sessions())
        with closing(sqlite3.connect(f"file:{stage.folder / store}?immutable=1", uri=True)) as connection:
            columns = {
                table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if not row[5]]
                for table in TABLES
            }
        for _ in range(1000 if EVERYTHING else 6):
            table = chance.choice([name for name in TABLES if columns[name]])
            column, value = chance.choice([name for name in columns[table] if name != "session_id"]), chance.choice(ODD)

            def change(connection: sqlite3.Connection, table: str = table, column: str = column) -> None:
                connection.execute("PRAGMA ignore_check_constraints=ON")
                connection.execute(f"UPDATE OR IGNORE {table} SET {column}=?", (value,))  # noqa: B023, S608
                connection.execute(f"ALTER TABLE {table} ADD COLUMN feathers text DEFAULT 'plucked'")
                connection.execute("CREATE TABLE nest (egg text)")

            try:
                _changed(stage, store, raw, change)
            except sqlite3.IntegrityError:  # a column that cannot be empty
                continue
            assert _said(stage.sessions()).keys() == before.keys(), (table, column, value)
