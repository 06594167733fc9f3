"""A library lets go of its files, and opens them again when it is asked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from pollux.index.index import Index
from pollux.index.sync.sync import Outcome
from tests.index.conftest import ChangingHome

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


def test_a_cache_that_is_removed_while_it_is_written_is_made_again(
    home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Index._sync_here

    def removed(self: Index, *arguments: Any) -> Outcome:
        monkeypatch.undo()
        shutil.rmtree(home.cache)
        return written(self, *arguments)

    monkeypatch.setattr(Index, "_sync_here", removed)
    library = home.library()
    assert library.list()
    assert library.search("weather").hits
