"""A change of one session in a large database reads that session alone, and copies nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from pollux.library.library import Library
from pollux.sources.database import private_copy
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session


class Large:
    """A home with a database that counts as large. `copies` are the whole copies that were made."""

    def __init__(self, home: OpenCodeHome, database: sqlite3.Connection) -> None:
        self.home = home
        self.database = database
        self.copies: list[str] = []

    def titles(self) -> list[str | None]:
        with self.home.library() as library:
            return [entry.summary.title for entry in library.list()]

    def sync(self) -> int:
        """How many sessions a sync reads."""
        with self.home.library() as library:
            return library.sync().changed


@pytest.fixture
def large(opencode: OpenCodeHome, monkeypatch: pytest.MonkeyPatch) -> Iterator[Large]:
    """Forty sessions."""
    database = opencode.database()
    database.execute("PRAGMA journal_mode=WAL")
    for statement in (
        "ALTER TABLE project ADD COLUMN time_updated integer",
        "CREATE INDEX part_session ON part (session_id)",
        "CREATE INDEX message_session ON message (session_id, time_created)",
        "CREATE INDEX event_session ON event (aggregate_id, seq)",
        "INSERT INTO project VALUES ('global', '/', 1)",
    ):
        database.execute(statement)
    for number in range(40):
        add_session(database, f"ses_{number:02}", at=10**6 * number, title=f"Talk {number}")
        for count in range(3):
            id = f"msg_{number:02}{count}"
            add_prompt(database, f"ses_{number:02}", id, "words " * 400, at=10**6 * number + count)
    made = Large(opencode, database)
    copy = private_copy.PrivateCopy._copy

    def noted(self: private_copy.PrivateCopy, path: str) -> None:
        made.copies.append(path)
        copy(self, path)

    monkeypatch.setattr("pollux.sources.database.excerpt._LARGE", 0)
    monkeypatch.setattr(private_copy.PrivateCopy, "_copy", noted)
    yield made
    database.close()


@pytest.mark.parametrize("settles", [False, True])
def test_one_changed_session(large: Large, settles: bool) -> None:
    assert large.sync() == 40
    large.copies.clear()
    for number in range(3):
        add_prompt(large.database, "ses_07", f"msg_new{number}", "Another", at=90_000_000 + number)
        large.database.execute(
            "UPDATE session SET title=?, time_updated=90000000 WHERE id='ses_07'", (f"New {number}",)
        )
        if settles:
            large.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert large.sync() == 1
        assert f"New {number}" in large.titles()
    assert not large.copies


def test_new_and_deleted_sessions(large: Large) -> None:
    large.sync()
    large.copies.clear()
    add_session(large.database, "ses_new", title="Fresh")
    add_prompt(large.database, "ses_new", "msg_x", "Hello")
    for table, column in (("part", "session_id"), ("message", "session_id"), ("session", "id")):
        large.database.execute(f"DELETE FROM {table} WHERE {column}='ses_11'")  # noqa: S608
    titles = large.titles()
    assert "Fresh" in titles
    assert "Talk 11" not in titles
    assert len(titles) == 40
    assert not large.copies


def test_a_start_of_the_agent_changes_no_session(large: Large) -> None:
    large.sync()
    large.database.execute("UPDATE project SET time_updated=2")
    assert large.sync() == 0
    large.database.execute("UPDATE project SET worktree='/other'")
    assert large.sync() == 40


def test_the_archive_keeps_the_changed_session_alone(large: Large) -> None:
    with large.home.library() as library:
        library.archive.on()
        library.sync()
    large.copies.clear()
    add_prompt(large.database, "ses_07", "msg_new", "Another", at=90_000_000)
    with large.home.library() as library:
        library.sync()
        assert not large.copies
        assert len(library.archive.history(library.session("opencode:ses_07"))) == 2
        assert len(library.archive.history(library.session("opencode:ses_08"))) == 1


def test_a_run_of_the_archive_by_itself_knows_what_the_last_one_saw(large: Large) -> None:
    """A timer runs it, and nobody may ever ask for a list."""
    with large.home.library() as library:
        assert library.archive.run().changed == 40
    for number in range(3):
        large.copies.clear()
        add_prompt(large.database, "ses_07", f"msg_new{number}", "Another", at=90_000_000 + number)
        with large.home.library() as library:
            assert library.archive.run().changed == 1
        assert not large.copies


def test_a_new_catalogue_learns_from_the_archive(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.system.workers.WORTH_FORKING", 0)
    with large.home.library() as library:
        library.archive.on()
        library.archive.run()
    large.copies.clear()
    add_prompt(large.database, "ses_07", "msg_new", "Another", at=90_000_000)
    with Library({"HOME": str(large.home.path)}, large.home.path, hunt=False, early=True) as library:
        assert len(library.list(limit=3)) == 3
        assert len(library.archive._store.index.states()) == 41
    assert not large.copies


def test_what_is_left_of_one_session_is_joined_without_the_others(large: Large) -> None:
    large.sync()
    large.copies.clear()
    add_prompt(large.database, "ses_07", "msg_new", "Another", at=90_000_000)
    with large.home.library() as library:
        joined = library.recover.join(library.recover.session("opencode:ses_07"))
        rebuilt = library.recover.rebuild(joined.session)
    assert (len(joined.session.messages), rebuilt.messages) == (4, 4)
    assert not large.copies


def test_one_session_is_kept_before_it_goes_on(large: Large) -> None:
    large.sync()
    large.copies.clear()
    add_prompt(large.database, "ses_07", "msg_new", "Another", at=90_000_000)
    with large.home.library() as library:
        library.resume.keep(library.resume.plan("opencode:ses_07", folder=str(large.home.path)))
        assert len(library.archive.history(library.session("opencode:ses_07"))) == 1
    assert not large.copies


def test_the_newest_are_listed_before_the_database_is_read(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.system.workers.WORTH_FORKING", 0)
    with Library({"HOME": str(large.home.path)}, large.home.path, hunt=False, early=True) as library:
        first = library.list(limit=3)
    assert [entry.summary.title for entry in first] == ["Talk 39", "Talk 38", "Talk 37"]
    assert not large.copies


def test_one_session_is_opened_without_the_others(large: Large) -> None:
    large.sync()
    large.copies.clear()
    with large.home.library() as library:
        assert len(library.session("opencode:ses_21").messages) == 3
    assert not large.copies


def test_a_fork_is_compared_with_those_that_may_be_its_origin(large: Large) -> None:
    large.sync()
    large.copies.clear()
    add_session(large.database, "ses_fork", at=10**8, title="Talk 5 (fork #1)")
    for count in range(2):
        add_prompt(large.database, "ses_fork", f"msg_copy{count}", "words", at=5 * 10**6 + count)
    with large.home.library() as library:
        links = library.session("opencode:ses_fork").links
    assert [(link.kind, link.target) for link in links] == [("forked_from", "opencode:ses_05")]
    assert not large.copies
