"""The first answers: rows before words, the newest sessions before all others, and a process that does the rest."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from pollux.index.catalogue.rows import BundleRows
from pollux.index.search.errors import Gone
from pollux.index.sync import bulk, readers, small, words
from pollux.library.library import Filter, Library
from pollux.sources.base import Bundle, Source
from pollux.usage.service import Grouping
from tests.index.conftest import ChangingHome
from tests.index.test_crash import churn, start_processes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
MIDNIGHT = 1_794_614_400
"""The beginning of the day on which all talks of a `ChangingHome` take place."""

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def large(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> ChangingHome:
    """A home of 200 sessions that is too large to be read at once. A file changed when its session ended."""
    start_processes(monkeypatch)
    for number in range(200):
        file = empty_home.talk(f"s{number:03d}", f"weather {number}", "the report of the parser")
        ended = MIDNIGHT + 2 * (number + 1)
        os.utime(file, (ended, ended))
    return empty_home


def keys(library: Library, limit: int | None = None) -> list[str]:
    return [entry.summary.key for entry in library.list(Filter(), limit)]


def test_a_list_waits_for_no_words(home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    start_processes(monkeypatch)
    library = home.library()
    assert keys(library) == keys(home.library(home.cache.with_name("fresh")))
    assert library.index.pending() == len(library.list(Filter(everything=True)))
    assert library.index.info().passages == 0
    assert home.answers() == home.truth()
    assert library.index.pending() == 0


def test_words_are_added_to_what_did_not_change_meanwhile(large: ChangingHome) -> None:
    library = large.library()
    keys(library)
    pending = library.index.pending()
    large.talk("s007", "a zebra came later")
    assert library._index.add_words()
    assert (pending, library.index.pending()) == (200, 1)
    assert [hit.key for hit in large.library().search("zebra").hits] == ["gemini:s007"]
    assert large.answers() == large.truth()


def test_the_newest_sessions_come_first(large: ChangingHome) -> None:
    library = large.library()
    assert keys(library, 5) == [f"gemini:s{number}" for number in (199, 198, 197, 196, 195)]
    assert library.index.unread_files == 160
    assert library._index.store.catalogue.rows("SELECT COUNT(*) FROM sessions") == [(40,)]
    assert library.count() == 200
    assert library.index.unread_files == 0


def test_an_early_list_waits_for_a_newer_session_in_an_older_file(large: ChangingHome) -> None:
    os.utime(large.talk("s003", "the last word"), (MIDNIGHT, MIDNIGHT))
    os.utime(large.talk("s199", *["the clock of files is wrong"] * 100), (MIDNIGHT + 400, MIDNIGHT + 400))
    assert keys(large.library(), 5) == keys(large.library(large.cache.with_name("fresh")))[:5]


def test_an_id_and_the_last_session_are_known_early(large: ChangingHome) -> None:
    library = large.library()
    assert library.session("s042").messages[0].parts[0] == large.library().session("gemini:s042").messages[0].parts[0]
    assert library.index.unread_files >= 198
    last = large.library()
    assert last.session("last").key == "gemini:s199"
    assert last.index.unread_files > 100


def test_a_small_change_is_complete_at_once(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    large.library().sync()
    monkeypatch.undo()
    large.talk("s100", "an okapi")
    library = large.library()
    assert keys(library, 1) == ["gemini:s100"]
    assert (library.index.unread_files, library.index.pending()) == (0, 0)


# ---------------------------------------------------------------- the process behind


def complete(home: ChangingHome) -> None:
    with contextlib.suppress(Gone):
        home.library()._index.complete()


def slowly(pause: float) -> Callable[..., BundleRows]:
    whole = readers.read

    def read(number: int, task: tuple[Source, Bundle], store_words: readers.StoreWords) -> BundleRows:
        time.sleep(pause)
        return whole(number, task, store_words)

    return read


def test_killed_at_a_hundred_moments(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home, dice = empty_home, random.Random(3)
    start_processes(monkeypatch)
    monkeypatch.setattr(words, "_AT_ONCE", 20_000)
    churn(home, dice)
    other = home.cache.with_name("other")
    asks: list[Callable[[Library], Any]] = [
        lambda library: keys(library, 3),
        keys,
        lambda library: sorted((hit.key, hit.message_id) for hit in library.search("weather report", limit=200).hits),
        lambda library: library.count(Filter(everything=True)),
        lambda library: [row.name for row in library.usage.stats(Grouping.AGENT).rows],
    ]
    for moment in range(100):
        churn(home, dice)
        process = FORK.Process(target=complete, args=(home,))
        process.start()
        time.sleep(dice.random() * 0.15)
        assert process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        ask = dice.choice(asks)
        assert ask(home.library()) == ask(home.library(other)), f"after moment {moment}"
    assert home.answers() == home.truth()


def test_it_lets_others_go_first(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bulk, small):
        monkeypatch.setattr(module, "read", slowly(0.05))
    process = FORK.Process(target=complete, args=(large,))
    process.start()
    while not large.library(fresh=False).index.info().sessions:
        time.sleep(0.02)
    monkeypatch.undo()
    start_processes(monkeypatch)
    assert keys(large.library(), 3) == ["gemini:s199", "gemini:s198", "gemini:s197"]
    assert process.is_alive(), "the answer waited for the other process"
    process.join()
    assert large.answers() == large.truth()


def test_it_ends_when_the_cache_is_cleared(large: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bulk, small):
        monkeypatch.setattr(module, "read", slowly(0.05))
    process = FORK.Process(target=complete, args=(large,))
    process.start()
    while not large.library(fresh=False).index.info().sessions:
        time.sleep(0.02)
    large.library().index.clear()
    process.join(20)
    assert process.exitcode == 0
    assert [file.name for file in large.cache.rglob("catalogue*")] == []
