"""One library that several threads ask at once, as a server does."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pollux import Filter, Library
from pollux.system import workers
from pollux.system.gc_pause import gc_paused
from pollux.usage.service import Grouping

pytestmark = pytest.mark.slow

THREADS = 6
ROUNDS = 8
SESSIONS = 12
EVERYTHING = Filter(everything=True)
TIME = "2026-11-15T12:00:00.000Z"
SPENT = {"input": 100, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 110}
ANSWER = {"model": "gemini-2.5-pro", "tokens": SPENT}


class Home:
    """Sessions of Gemini CLI that grow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "home"
        self.chats = self.folder / ".gemini" / "tmp" / ("0" * 64) / "chats"
        self.chats.mkdir(parents=True)
        for number in range(SESSIONS):
            self.write(number, 1)

    def write(self, number: int, length: int) -> None:
        """A session with so many prompts, each with the word that all have and one of its own, and one answer."""
        said: list[dict[str, Any]] = [
            {"id": f"m{place}", "timestamp": TIME, "type": "user", "content": f"weather word{number}x{place}"}
            for place in range(length)
        ]
        said.append({"id": "answer", "timestamp": TIME, "type": "gemini", "content": "Fine.", **ANSWER})
        talk = {"sessionId": f"talk{number}", "projectHash": "0" * 64, "messages": said}
        place = self.chats / f"session-talk{number}.json"
        aside = place.with_suffix(".new")
        aside.write_text(json.dumps(talk), "utf-8")
        aside.rename(place)

    def library(self) -> Library:
        return Library({"HOME": str(self.folder)}, self.folder, hunt=False)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def library(home: Home) -> Iterator[Library]:
    with home.library() as library:
        yield library


def at_once(*jobs: Callable[[], object]) -> None:
    """Run each job in a thread of its own, all from the same moment on. Raises what one of them raises."""
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        start.wait(30)
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(run, job) for job in jobs]:
            done.result(120)


def test_the_first_question_may_come_from_several_threads(library: Library) -> None:
    counts: list[int] = []
    at_once(*[lambda: counts.append(len(library.list(EVERYTHING)))] * THREADS)
    assert counts == [SESSIONS] * THREADS
    assert library.index.cache_problem is None


def test_many_questions_while_the_files_change(home: Home, library: Library) -> None:
    over = threading.Event()

    def change() -> None:
        try:
            for length in range(2, ROUNDS):
                for number in range(SESSIONS):
                    home.write(number, length)
                library.sync()
        finally:
            over.set()

    def repeat(question: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            question()
            while not over.is_set():
                question()

        return run

    def listed() -> None:
        assert len(library.list(EVERYTHING)) == SESSIONS

    def searched() -> None:
        assert {hit.key for hit in library.search("weather", limit=1000).hits} == {
            f"gemini:talk{number}" for number in range(SESSIONS)
        }

    def read() -> None:
        for number in range(SESSIONS):
            session = library.session(f"gemini:talk{number}")
            assert [prompt.text for prompt in session.prompts] == [
                f"weather word{number}x{place}" for place in range(len(session.prompts))
            ]

    def added_up() -> None:
        total = library.usage.stats(Grouping.AGENT).total
        assert (total.sessions, total.usage.total) == (SESSIONS, SESSIONS * SPENT["total"])

    at_once(change, *map(repeat, (listed, searched, read, added_up)))
    assert library.index.cache_problem is None
    last = library.search(f"word3x{ROUNDS - 2}").hits
    assert [(hit.key, hit.message_id) for hit in last] == [("gemini:talk3", f"m{ROUNDS - 2}")]


def test_several_syncs_take_turns(home: Home, library: Library) -> None:
    library.sync()
    for number in range(SESSIONS):
        home.write(number, 2)
    changed: list[int] = []
    at_once(*[lambda: changed.append(library.sync().changed)] * THREADS)
    assert sorted(changed) == [0] * (THREADS - 1) + [SESSIONS]


def test_what_is_kept_can_be_asked_for_from_several_threads(home: Home, library: Library) -> None:
    library.archive.run()
    library.archive.on()
    (home.chats / "session-talk1.json").unlink()
    numbers = count(1)

    def ask() -> None:
        assert library.session("gemini:talk1").kept
        assert library.archive.status().files == SESSIONS
        history = library.archive.history(library.session("gemini:talk1"))
        assert [change.change for change in history] == ["new", "gone"]
        talk = f"gemini:talk{next(numbers)}"
        assert library.archive.as_of(library.session(talk), history[0].at).key == talk

    at_once(*[ask] * THREADS)


def test_a_library_that_one_thread_closes_opens_again_in_the_others(library: Library) -> None:
    def ask() -> None:
        for _ in range(ROUNDS):
            assert len(library.list(EVERYTHING)) == SESSIONS
            assert library.search("weather", limit=1).hits
            library.close()

    at_once(*[ask] * THREADS)
    assert library.index.cache_problem is None


def test_without_a_cache_each_thread_has_its_answers(home: Home) -> None:
    (home.folder / ".cache").write_text("in the way")
    library = home.library()
    counts: list[int] = []
    at_once(*[lambda: counts.append(len(library.list(EVERYTHING)))] * THREADS)
    assert counts == [SESSIONS] * THREADS


def asked_before_and_after_a_sync(home: Home, library: Library, between: Callable[[], object]) -> list[int]:
    """How many sessions another thread knows, before this one syncs something new and after that."""
    counts: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        counts.append(pool.submit(lambda: len(library.list(EVERYTHING))).result(60))
        between()
        home.write(SESSIONS, 1)
        library.sync()
        counts.append(pool.submit(lambda: len(library.list(EVERYTHING))).result(60))
    return counts


def test_without_a_cache_a_sync_reaches_the_other_threads(home: Home) -> None:
    (home.folder / ".cache").write_text("in the way")
    library = home.library()
    library.sync()
    assert asked_before_and_after_a_sync(home, library, lambda: None) == [SESSIONS, SESSIONS + 1]
    assert library.index.cache_problem is not None


def test_a_thread_that_had_no_cache_uses_the_one_that_there_is_now(home: Home) -> None:
    obstacle = home.folder / ".cache"
    obstacle.write_text("in the way")
    library = home.library()
    assert len(library.list(EVERYTHING)) == SESSIONS

    def mend() -> None:
        obstacle.unlink()
        with home.library() as other:
            other.sync()

    assert asked_before_and_after_a_sync(home, library, mend) == [SESSIONS, SESSIONS + 1]
    assert library.index.cache_problem is None
    assert library.search("weather", limit=1).hits


def test_a_process_with_several_threads_starts_no_others() -> None:
    counts: list[int] = []
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    counts.append(workers.process_count([1 << 30] * 8))
    done.set()
    other.join()
    at_once(lambda: counts.append(workers.process_count([1 << 30] * 8)))
    assert counts == [1, 1]


def test_the_garbage_collector_is_back_when_all_threads_are_done() -> None:
    def pause() -> None:
        for _ in range(2000):
            with gc_paused():
                assert not gc.isenabled()

    at_once(*[pause] * THREADS)
    assert gc.isenabled()
