"""Sessions in OpenCode's database that it does not find any more: they are not offered to be resumed."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from pollux import Filter
from pollux.errors import CannotResume
from tests.resumable import Desk

CORPUS = Path(__file__).parents[3] / "corpus" / "opencode"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    shutil.copytree(CORPUS / "1.18.33" / "home", desk.home, dirs_exist_ok=True)
    return desk


def without(desk: Desk, key: str, *tables: str) -> None:
    """Delete a session's rows from some tables."""
    (database,) = desk.home.rglob("opencode.db")
    connection = sqlite3.connect(database, isolation_level=None)
    for table in tables:
        column = "id" if table == "session" else "session_id"
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", [key.partition(":")[2]])  # noqa: S608
    connection.close()


@pytest.mark.parametrize("fresh", [True, False])
def test_a_session_whose_own_row_is_gone(desk: Desk, fresh: bool) -> None:
    library = desk.library()
    library.sync()
    key = library.list(Filter(agent="opencode"))[0].summary.key
    library.close()
    assert desk.library().resume.plan(key, folder=str(desk.elsewhere)).words[-1] == key.partition(":")[2]
    without(desk, key, "session")
    later = desk.library(fresh=fresh)
    with pytest.raises(CannotResume, match="its own row is gone from the database") as caught:
        later.resume.plan(key, folder=str(desk.elsewhere))
    assert caught.value.reason == "row"
    assert caught.value.hint == f"Go on with what is left in another agent: pollux handoff {key} --to claude"
    desk.library().handoff.plan(key, "claude", folder=str(desk.elsewhere))


def test_a_session_that_was_deleted_since_the_cache_looked(desk: Desk) -> None:
    library = desk.library()
    library.sync()
    key = library.list(Filter(agent="opencode"))[0].summary.key
    library.close()
    without(desk, key, "part", "message", "session")
    with pytest.raises(CannotResume, match="was just deleted from OpenCode's database") as caught:
        desk.library(fresh=False).resume.plan(key, folder=str(desk.elsewhere))
    assert caught.value.reason == "gone"
