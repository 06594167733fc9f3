"""A small home of OpenCode, with databases."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.unit.sources.agent_home import AgentHome

_SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text);
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, version text,
    revert text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
    data text);
CREATE TABLE event (id text PRIMARY KEY, aggregate_id text, seq integer, type text, data text);
CREATE TABLE credential (id text PRIMARY KEY, value text);
INSERT INTO credential VALUES ('cred', 'sk-hush-hush');
"""


class OpenCodeHome(AgentHome):
    """A home in which OpenCode keeps databases."""

    def database(self, place: str = "opencode.db") -> sqlite3.Connection:
        """A database with the agent's tables."""
        connection = sqlite3.connect(self.write(place, b""), isolation_level=None)
        connection.executescript(_SCHEMA)
        return connection


def add_session(to: sqlite3.Connection, id: str, *, at: int = 1000, title: str = "Talk") -> None:
    """A session's own row."""
    row = (id, "global", None, "/p", title, "1.18.0", None, at, at)
    to.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def add_prompt(to: sqlite3.Connection, session: str, id: str, text: str, *, at: int = 1000) -> None:
    """A prompt of the user."""
    data = json.dumps({"role": "user", "time": {"created": at}})
    to.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (id, session, at, at, data))
    part = json.dumps({"type": "text", "text": text})
    to.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (f"prt_{id}", id, session, at, at, part))


@pytest.fixture
def opencode(tmp_path: Path) -> OpenCodeHome:
    """An empty home."""
    return OpenCodeHome(tmp_path / "home", ".local/share/opencode")
