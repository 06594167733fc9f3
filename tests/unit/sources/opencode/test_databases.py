"""Where OpenCode's databases are, and which of several counts."""

from __future__ import annotations

import pytest

from pollux.model import Fate
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session


@pytest.mark.parametrize("place", ["work.sqlite", "deep/work.db"])
def test_a_database_named_by_the_variable_may_lie_anywhere(opencode: OpenCodeHome, place: str) -> None:
    database = opencode.database(place)
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    database.close()
    path = opencode.path / ".local/share/opencode" / place
    assert list(opencode.sessions(OPENCODE_DB=place)) == ["ses_a"]
    assert list(opencode.sessions(OPENCODE_DB=str(path))) == ["ses_a"]
    assert not opencode.sessions(OPENCODE_DB=":memory:")
    assert not opencode.sessions(OPENCODE_DB=str(path.parent))


def test_of_two_databases_the_one_that_changed_last_counts(opencode: OpenCodeHome) -> None:
    stale, fresh = opencode.database("opencode-dev.db"), opencode.database()
    add_session(stale, "ses_a", title="Old")
    add_session(fresh, "ses_a", title="New", at=5000)
    for database in (stale, fresh):
        add_prompt(database, "ses_a", "msg_1", "Hello", at=6000 if database is fresh else 1000)
    add_prompt(stale, "ses_a", "msg_2", "Put back later", at=2000)
    for database in (stale, fresh):
        database.close()
    session = opencode.only()
    assert session.title == "New"
    assert [(m.id, m.fate) for m in session.messages] == [("msg_2", Fate.REWOUND), ("msg_1", Fate.LIVE)]


def test_a_change_that_keeps_length_and_times_is_seen(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Go north")
    assert [entry.summary.first_prompt for entry in opencode.library().list()] == ["Go north"]
    database.execute("UPDATE part SET data=replace(data, 'north', 'south')")
    database.close()
    assert [entry.summary.first_prompt for entry in opencode.library().list()] == ["Go south"]
