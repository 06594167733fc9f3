"""What a database lost by accident, and its log of changes still has."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pollux.library.library import Filter, Library
from pollux.model import Fate, Session
from tests.archive.judge import opencode as judge
from tests.unit.sources.agent_home import AgentHome
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session

CORPUS = Path(__file__).parents[3] / "corpus" / "opencode"
EVERYTHING = Filter(everything=True)


class Whole(AgentHome):
    """A home of the corpus with a database that is one file, and what is in it."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, ".local/share/opencode")
        shutil.copytree(CORPUS / name / "home", folder, dirs_exist_ok=True)
        self.file = folder / ".local/share/opencode/opencode.db"
        with closing(sqlite3.connect(self.file)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        self.before = self.read()

    def read(self) -> dict[str, Session]:
        with self.library() as library:
            library.sync()
            return {session.id: session for session in library.sessions(EVERYTHING)}

    def cut(self, part: float) -> None:
        raw = self.file.read_bytes()
        self.file.write_bytes(raw[: int(len(raw) * part)])


def told(session: Session) -> list[object]:
    return [(m.id, m.role, m.author, m.fate, m.inherited, m.text, m.usage and m.usage.total) for m in session.messages]


@pytest.fixture
def filled(tmp_path: Path) -> Whole:
    """A home of 1.18.33, whose log has every record."""
    return Whole(tmp_path / "home", "1.18.33")


def test_all_that_was_cut_off_stands_in_the_log(filled: Whole) -> None:
    filled.cut(0.8)  # nothing is left of the tables with sessions, messages and parts
    after = filled.read()
    assert after.keys() == filled.before.keys()
    for id, session in after.items():
        was = filled.before[id]
        assert told(session) == told(was)
        assert (session.title, session.project, session.started) == (was.title, was.project, was.started)
        assert (session.kind, session.parent) == (was.kind, was.parent)
        assert session.exact is not True
        assert all(m.origin and m.origin.row and m.origin.row.startswith("event/") for m in session.messages)


def test_what_was_cut_off_can_be_imported(filled: Whole, tmp_path: Path) -> None:
    filled.cut(0.8)
    with filled.library() as library:
        library.archive.on()
        library.sync()
        for id, session in filled.before.items():
            rebuilt = library.recover.rebuild(library.session(session.key))
            library.archive.restore(library.recover.plan(rebuilt, tmp_path / "back"))
            ids = judge(tmp_path / "back" / "opencode" / "import" / f"{id}.json")
            live = [m.id for m in session.messages if m.fate is not Fate.REWOUND]
            assert [one for one in ids if one in live] == live


def test_what_is_gone_from_a_sound_database_is_shown_only_if_the_agent_took_it_out(opencode: OpenCodeHome) -> None:
    with closing(opencode.database()) as database:
        add_session(database, "ses_a")
        add_prompt(database, "ses_a", "msg_1", "Hello")
        entries: list[tuple[str, dict[str, Any]]] = [
            ("message.updated.1", {"info": {"id": f"msg_{n}", "role": "user", "time": {"created": 1000}}})
            for n in (2, 3)
        ]
        entries.append(("message.removed.1", {"messageID": "msg_3"}))
        for number, (kind, data) in enumerate(entries):
            row = (f"evt_{number}", "ses_a", number, kind, json.dumps(data))
            database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    assert [(m.id, m.fate) for m in opencode.only().messages] == [("msg_1", Fate.LIVE), ("msg_3", Fate.REWOUND)]


def test_odd_entries_of_the_log_stop_nothing(opencode: OpenCodeHome) -> None:
    odd: tuple[object, ...] = (None, 7, 1.5, "", [], {}, {"a": []}, "text")
    datas: list[object] = [*odd, *({key: value} for key in ("info", "part", "messageID", "partID") for value in odd)]
    datas += [
        {key: {"id": f"prt_{number}", "messageID": value, "time": value, "type": value, "role": value}}
        for key in ("info", "part")
        for number, value in enumerate(odd)
    ]
    datas.append({"messageID": "msg_9"})
    kinds = (
        "session.updated.1",
        "message.updated.1",
        "message.part.updated.1",
        "message.removed.1",
        "message.part.removed",
        "",
    )
    with closing(opencode.database()) as database:
        add_session(database, "ses_a")
        add_prompt(database, "ses_a", "msg_1", "Hello")
        entries: list[tuple[str, object]] = [(kind, json.dumps(data)) for data in datas for kind in kinds]
        entries += [(kind, data) for kind in kinds for data in ("{", "", None, 5, b"\xff")]
        rows = [(f"evt_{number}", "ses_a", number, *entry) for number, entry in enumerate(entries)]
        database.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", rows)
    assert "Hello" in [message.text for message in opencode.only().messages]
    with opencode.library() as library:
        library.archive.on()
        library.sync()
        assert library.recover.rebuild(library.session("opencode:ses_a")).files
    with closing(
        sqlite3.connect(opencode.path / ".local/share/opencode/opencode.db", isolation_level=None)
    ) as database:
        database.execute("DELETE FROM session")
    assert "Hello" in [message.text for message in opencode.only().messages]


def test_a_session_whose_own_row_is_gone_is_known_by_the_log(opencode: OpenCodeHome) -> None:
    with closing(opencode.database()) as database:
        add_session(database, "ses_a")
        add_prompt(database, "ses_a", "msg_1", "Hello")
        info = {"id": "ses_a", "title": "Birds", "directory": "/birds", "time": {"created": 900}}
        row = ("evt_1", "ses_a", 1, "session.updated.1", json.dumps({"info": info}))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
        database.execute("DELETE FROM session")
    session = opencode.only()
    assert (session.title, session.project) == ("Birds", "/birds")


def kept(home: Whole) -> Library:
    """A library that keeps all that it sees."""
    with home.library() as library:
        library.archive.on()
        library.sync()
    return home.library()


def test_what_a_damaged_database_lacks_was_not_put_back_and_its_figures_are_not_exact(tmp_path: Path) -> None:
    home = Whole(tmp_path / "home", "1.2.6")
    kept(home).close()
    whole = home.file.read_bytes()
    home.cut(0.6)
    damaged = home.read()
    home.file.unlink()
    for after in (damaged, home.read()):
        assert after.keys() == home.before.keys()
        for id, session in after.items():
            assert session.kept
            assert told(session) == told(home.before[id])
            assert session.exact is not True, "what was written last may be lost"
    home.file.write_bytes(whole)
    assert {id: told(session) for id, session in home.read().items()} == {
        id: told(session) for id, session in home.before.items()
    }
    assert not any(session.kept for session in home.read().values())


def test_what_is_kept_of_a_damaged_database_alone_is_not_called_exact(tmp_path: Path) -> None:
    home = Whole(tmp_path / "home", "1.2.6")
    home.cut(0.95)
    kept(home).close()
    home.file.unlink()
    after = home.read()
    assert after.keys() == home.before.keys()
    assert all(session.exact is not True for session in after.values())
    assert all("file.damaged" in {notice.code for notice in session.notices} for session in after.values())
