"""Killed at any moment, or with others at the same time: the next answer is that of a fresh cache."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import PolluxError
from pollux.index.catalogue.rows import BundleRows
from pollux.index.sync import bulk as load, readers, words
from pollux.library.library import Filter
from pollux.sources.base import Bundle, Reading, Source
from pollux.system import workers as team
from tests.index.conftest import ChangingHome

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
FORK = multiprocessing.get_context("fork")
MOMENTS = 100 if os.environ.get("POLLUX_EXHAUSTIVE") else 12


def start_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even a small sync start processes, whatever threads other tests left."""
    monkeypatch.setattr(team, "WORTH_FORKING", 0)
    monkeypatch.setattr(team, "is_single_threaded", lambda: True)


def churn(home: ChangingHome, dice: random.Random) -> None:
    """The agents go on working: sessions grow, appear and disappear."""
    for _ in range(6):
        name = f"c{dice.randrange(12)}"
        file = home.talk(name, f"weather {dice.random()} report", "x " * dice.randrange(2000))
        if dice.random() < 0.2:
            file.unlink()


def test_killed_at_any_moment(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home = empty_home
    start_processes(monkeypatch)
    monkeypatch.setattr(load, "_AT_ONCE", 20_000)
    dice = random.Random(7)
    churn(home, dice)
    started = time.perf_counter()
    home.library(home.cache.with_name("first")).sync()
    whole = time.perf_counter() - started
    for moment in range(MOMENTS):
        churn(home, dice)
        process = FORK.Process(target=home.library().sync)
        process.start()
        time.sleep(dice.random() * whole * (1.2 if moment % 5 == 0 else 0.3))
        assert process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        truth = home.truth()
        assert any(truth["search"].values()), "nothing to be found"
        assert home.answers() == truth, f"after moment {moment}"


def busy_user(home: ChangingHome, seed: int, until: float, told: Path) -> None:
    dice = random.Random(seed)
    while time.monotonic() < until:
        library = home.library()
        try:
            if dice.random() < 0.5:
                library.search("weather report")
            else:
                library.list(Filter(everything=True))
        except PolluxError as error:
            told.write_text(f"{type(error).__name__}: {error}")
            return


def test_four_at_once_while_files_change(home: ChangingHome, tmp_path: Path) -> None:
    home.library().sync()
    until = time.monotonic() + 6
    complaints = [tmp_path / f"complaint-{n}" for n in range(4)]
    users = [FORK.Process(target=busy_user, args=(home, n, until, complaint)) for n, complaint in enumerate(complaints)]
    for user in users:
        user.start()
    dice = random.Random(11)
    while time.monotonic() < until:
        churn(home, dice)
        time.sleep(0.05)
    for user in users:
        user.join(30)
        assert user.exitcode == 0
    assert [complaint.read_text() for complaint in complaints if complaint.exists()] == []
    assert home.answers() == home.truth()


def test_a_process_that_dies_over_a_session_costs_that_session_alone(
    home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_processes(monkeypatch)
    home.talk("fatal", "weather of the last day", "x")
    whole = readers.read

    def dying(number: int, task: tuple[Source, Bundle], store_words: readers.StoreWords) -> BundleRows:
        if "fatal" in str(task[1].files[0].path):
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(number, task, store_words)

    monkeypatch.setattr(load, "read", dying)
    library = home.library()
    library.sync()
    doctor = library.doctor()
    assert [file.path for file in doctor.files if "process died" in (file.reason or "")] == [
        file.path for file in doctor.files if "fatal" in file.path
    ]
    monkeypatch.undo()
    others = [each.summary.key for each in library.list(Filter(everything=True))]
    fresh = [each.summary.key for each in home.library(home.cache.with_name("fresh")).list(Filter(everything=True))]
    assert len(others) == len(fresh) - 1 > 0
    assert set(others) < set(fresh)


@pytest.mark.parametrize("way", ["rows and words", "rows", "words"])
def test_a_process_that_is_killed_once_costs_nothing(
    way: str, home: ChangingHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_processes(monkeypatch)
    home.talk("fatal", "weather of the last day", "x")
    module, name = (words, "_index") if way == "words" else (load, "read")
    whole, killed = getattr(module, name), tmp_path / "killed"

    def killed_once(*arguments: Any, **options: Any) -> Any:
        if "fatal" in str(arguments) and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*arguments, **options)

    monkeypatch.setattr(module, name, killed_once)
    library = home.library()
    if way != "rows and words":
        library.list()
    library.sync()
    assert killed.exists()
    assert home.answers() == home.truth()


def test_words_of_a_session_that_cannot_be_read_now_stay_pending(
    home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a database cannot be copied, for want of room: its sessions are known already."""
    start_processes(monkeypatch)
    library = home.library()
    library.list()
    pending = library.index.pending()
    (source, _), *_ = library._index._homes.roots()
    monkeypatch.setattr(type(source), "read", lambda _self, _bundle: Reading(sessions=[], problem="no room"))
    library.sync()
    assert library.index.pending() == pending > 0
    monkeypatch.undo()
    home.library().sync()
    assert home.answers() == home.truth()


def test_ctrl_c_keeps_what_was_read(empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home = empty_home
    start_processes(monkeypatch)
    for name in range(12):
        home.talk(f"c{name}", "weather report", "x")
    heard: list[int] = []

    def press(_: object) -> None:
        heard.append(1)
        if len(heard) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        home.library(report=press).sync()
    rows = home.library(fresh=False).list(Filter(everything=True))
    assert 3 <= len(rows) < 12
    assert len(home.library(fresh=False).search("weather", limit=50).hits) >= len(rows)
    assert home.answers() == home.truth()
