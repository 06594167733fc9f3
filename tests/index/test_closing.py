"""A library lets go of its files, and opens them again when it is asked."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.search.word_index import WordIndex, Writer
from tests.index.conftest import ChangingHome

CLAUDE = Path(__file__).parent.parent / "corpus" / "claude" / "2.1.325" / "home"
HANDLES = Path("/proc/self/fd")


def held(folder: Path) -> list[str]:
    """The files below a folder that this process holds open."""
    links = (str(path.readlink()) for path in HANDLES.iterdir() if path.is_symlink())
    return sorted(link for link in links if link.startswith(str(folder)))


@pytest.mark.skipif(not HANDLES.is_dir(), reason="the system does not tell which files are open")
def test_what_was_closed_holds_nothing_and_answers_again(home: ChangingHome) -> None:
    home.talk("aaaa", "wombats")
    with home.library() as library:
        library.archive.on()
        assert library.search("wombats").hits
        assert library.archive.history(library.session("aaaa"))
        assert held(home.cache)
    assert held(home.cache) == []
    home.talk("bbbb", "pangolins")
    assert [hit.key for hit in library.search("pangolins").hits] == ["gemini:bbbb"]
    assert library.archive.history(library.session("bbbb"))
    library.close()
    library.close()
    assert held(home.cache) == []


def test_what_an_agent_deletes_is_kept_or_gone(empty_home: ChangingHome) -> None:
    first, second = empty_home.talk("aaaa", "wombats"), empty_home.talk("bbbb", "pangolins")
    with empty_home.library() as library:
        library.sync()
    second.unlink()
    with empty_home.library() as library:
        outcome = library.sync()
        assert (outcome.sessions, outcome.files, outcome.removed, outcome.kept) == (1, 1, 1, 0)
        library.archive.on()
    with empty_home.library() as library:
        library.sync()
    first.unlink()
    with empty_home.library() as library:
        outcome = library.sync()
        assert (outcome.sessions, outcome.files, outcome.removed, outcome.kept) == (1, 0, 0, 1)
        outcome = library.sync()
        assert (outcome.removed, outcome.kept) == (0, 0)


def test_a_cache_that_is_removed_meanwhile_is_made_again(home: ChangingHome) -> None:
    library = home.library()
    before = len(library.list())
    shutil.rmtree(home.cache)
    home.talk("later", "What happened to the cache?")
    assert library.sync().changed
    assert len(library.list()) == before + 1
    assert library.search("happened").hits
    assert library.index.problem is None


MOMENTS = [(WordIndex, "writer"), (Writer, "add"), (Writer, "commit"), (Catalogue, "mark_synced")]


@pytest.mark.parametrize(("owner", "name"), MOMENTS, ids=[name for _, name in MOMENTS])
def test_a_cache_that_is_removed_while_it_is_written_is_made_again(
    home: ChangingHome, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    original = getattr(owner, name)

    def removed(*arguments: Any, **options: Any) -> Any:
        monkeypatch.undo()
        shutil.rmtree(home.cache)
        return original(*arguments, **options)

    library = home.library()
    before = len(library.list())
    monkeypatch.setattr(owner, name, removed)
    home.talk("later", "What happened to the cache?")
    library.sync()
    assert getattr(owner, name) is original
    assert len(library.list()) == before + 1
    assert library.search("happened").hits
    assert library.index.problem is None
    with home.library() as other:
        assert len(other.list()) == before + 1
        assert other.search("happened").hits


def test_a_cache_that_is_taken_as_it_is_shows_what_others_add(empty_home: ChangingHome) -> None:
    empty_home.talk("aaaa", "wombats")
    with empty_home.library() as other:
        other.archive.on()
        other.sync()
    with empty_home.library(fresh=False) as library:
        assert [entry.summary.key for entry in library.list()] == ["gemini:aaaa"]
        shutil.copytree(CLAUDE, empty_home.home, dirs_exist_ok=True)
        empty_home.talk("aaaa").unlink()
        with empty_home.library() as other:
            other.sync()
            expected = [(entry.summary.key, entry.summary.kept) for entry in other.list()]
        # An agent with its first session, and a session that is only kept now: both are under new roots.
        assert [(entry.summary.key, entry.summary.kept) for entry in library.list()] == expected
        assert ("gemini:aaaa", True) in expected
        assert len({entry.summary.agent for entry in library.list()}) == 2
        assert len(library.search("wombats").hits) == 1


def test_a_cache_that_becomes_complete_is_said_to_be(empty_home: ChangingHome) -> None:
    empty_home.talk("aaaa", "wombats")
    with empty_home.library() as other:
        other.sync()
    with closing(sqlite3.connect(empty_home.cache / "pollux" / "index" / "catalogue.db")) as catalogue, catalogue:
        catalogue.execute("UPDATE roots SET snapshot='' WHERE agent='gemini'")  # as before the end of a first sync
    with empty_home.library(fresh=False) as library:
        library.list()
        assert "does not hold everything" in (library.index.problem or "")
        with empty_home.library() as other:
            other.sync()
        library.list()
        assert library.index.problem is None
