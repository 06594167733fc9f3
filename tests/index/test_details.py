"""Edits and friction: nobody waits for them but who asks for them, and nobody ever gets a part of them for all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pollux.index.index import Index
from pollux.index.sync import words
from pollux.library.library import Enough, Filter, Library, ListEntry, Progress
from tests.index.conftest import ChangingHome
from tests.index.test_crash import start_processes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.fixture
def busy(home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> ChangingHome:
    """A home of three agents that edited and failed, which is read by several processes."""
    for name in ("claude/2.0.77", "codex/0.60.1"):
        shutil.copytree(CORPUS / name / "home", home.home, dirs_exist_ok=True)
    start_processes(monkeypatch)
    return home


def everything(library: Library) -> list[ListEntry]:
    return library.list(Filter(everything=True))


def told(library: Library) -> Any:
    edits, friction = library.edits.newest(limit=None), library.friction.newest(limit=None)
    assert edits.edits
    assert friction.cases
    return msgspec.to_builtins((edits, friction))


def truth(home: ChangingHome) -> Any:
    library = home.library(home.cache.with_name("fresh"))
    library.sync()
    return told(library)


def lacking(library: Library) -> int:
    return len(library._index.store.catalogue.without_details())


def numbers(library: Library) -> list[tuple[int]]:
    return library._index.store.catalogue.rows("SELECT no FROM sessions ORDER BY no")


def test_a_list_waits_for_none_and_a_question_about_them_for_all(busy: ChangingHome) -> None:
    library = busy.library()
    count = len(everything(library))
    assert lacking(library) == count > 10
    assert told(library) == truth(busy)
    assert lacking(library) == 0
    assert library.index.pending() == count


def test_the_first_question_reads_each_session_once(busy: ChangingHome) -> None:
    library = busy.library()
    assert told(library) == truth(busy)
    listing = busy.library(busy.cache.with_name("other"))
    everything(listing)
    assert library.index.info().generation == listing.index.info().generation


def test_those_who_add_the_words_add_them_too(busy: ChangingHome) -> None:
    library = busy.library()
    everything(library)
    before = numbers(library)
    assert library._index.add_words()
    assert (lacking(library), library.index.pending()) == (0, 0)
    assert told(library) == truth(busy)
    assert numbers(library) == before


def test_what_was_added_before_an_end_is_not_read_again(busy: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(progress: Progress) -> None:
        if progress.done_files > 3:
            raise Enough

    library = busy.library()
    count = len(everything(library))
    ending = busy.library(report=end)
    with monkeypatch.context() as context:
        context.setattr(words, "_AT_ONCE", 1)
        assert not ending._index.add_words()
    left = lacking(library)
    assert 0 < left < count
    done = {no for (no,) in numbers(library)} - library._index.store.catalogue.without_details()
    assert told(busy.library()) == truth(busy)
    assert done <= {no for (no,) in numbers(library)}
    assert library.index.pending() == left
    assert busy.answers() == busy.truth()


def test_a_cache_that_is_used_as_it_is_says_that_they_are_missing(busy: ChangingHome) -> None:
    everything(busy.library())
    library = busy.library(fresh=False)
    assert everything(library)
    assert (library.index.unread_files, library.index.problem) == (0, None)
    assert not library.edits.newest(limit=None).edits
    assert library.index.unread_files > 10
    assert "not read yet" in (library.index.problem or "")
    assert told(busy.library()) == truth(busy)
    again = busy.library(fresh=False)
    assert told(again) == truth(busy)
    assert (again.index.unread_files, again.index.problem) == (0, None)


def test_a_view_that_may_ask_anything_reads_them_at_once(busy: ChangingHome) -> None:
    library = busy.library()
    library.index.prepare()
    assert lacking(library) == 0
    assert told(library) == truth(busy)


def test_without_a_cache_they_are_complete_too(busy: ChangingHome, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    library = busy.library(blocked)
    everything(library)
    assert told(library) == truth(busy)


def test_words_that_are_added_meanwhile_take_nothing_from_them(busy: ChangingHome) -> None:
    """Who adds words knows the sessions by numbers that a question about edits replaces."""
    asked: list[Any] = []

    def ask(progress: Progress) -> None:
        if progress.done_files and not asked:
            asked.append(told(busy.library()))

    everything(busy.library())
    adding = busy.library(report=ask)
    adding._index.add_words()
    assert asked == [truth(busy)]
    assert busy.answers() == busy.truth()


def test_what_another_one_reads_without_them_is_read_again(busy: ChangingHome) -> None:
    library = busy.library()
    assert told(library) == truth(busy)
    for file in busy.home.rglob("*.json*"):
        os.utime(file)
    everything(busy.library())
    assert lacking(library) > 10
    assert told(library) == truth(busy)
    assert lacking(library) == 0


def test_a_settled_cache_without_them_is_completed(busy: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another pollux has the index of words, and makes no progress."""
    everything(busy.library())
    library = busy.library()
    with monkeypatch.context() as context:
        context.setattr(Index, "add_words", lambda *_: False)
        library.index.settle()
    assert lacking(library) > 10
    assert told(library) == truth(busy)
