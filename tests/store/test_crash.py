"""Killed at any moment, or with others at the same time: the next answer is that of a fresh cache."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from pollux.errors import PolluxError
from pollux.library import Filter
from pollux.store import sync, team
from tests.store.conftest import Shelf

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
FORK = multiprocessing.get_context("fork")


def churn(shelf: Shelf, dice: random.Random) -> None:
    """The agents go on working: sessions grow, appear and disappear."""
    for _ in range(6):
        name = f"c{dice.randrange(12)}"
        file = shelf.talk(name, f"weather {dice.random()} report", "x " * dice.randrange(2000))
        if dice.random() < 0.2:
            file.unlink()


def test_killed_at_fifty_moments(bare_shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = bare_shelf
    monkeypatch.setattr(team, "_WORTH_IT", 0)
    monkeypatch.setattr(sync, "_BATCH_SECONDS", 0.02)
    dice = random.Random(7)
    churn(shelf, dice)
    started = time.perf_counter()
    shelf.library(shelf.cache.with_name("first")).sync()
    whole = time.perf_counter() - started
    for moment in range(50):
        churn(shelf, dice)
        process = FORK.Process(target=shelf.library().sync)
        process.start()
        time.sleep(dice.random() * whole * (1.2 if moment % 5 == 0 else 0.3))
        assert process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert shelf.answers() == shelf.truth(), f"after moment {moment}"


def busy_user(shelf: Shelf, seed: int, until: float, told: Path) -> None:
    dice = random.Random(seed)
    while time.monotonic() < until:
        library = shelf.library()
        try:
            if dice.random() < 0.5:
                library.search("weather report")
            else:
                library.list(Filter(everything=True))
        except PolluxError as error:
            told.write_text(f"{type(error).__name__}: {error}")
            return


def test_four_at_once_while_files_change(shelf: Shelf, tmp_path: Path) -> None:
    shelf.library().sync()
    until = time.monotonic() + 6
    complaints = [tmp_path / f"complaint-{n}" for n in range(4)]
    users = [FORK.Process(target=busy_user, args=(shelf, n, until, told)) for n, told in enumerate(complaints)]
    for user in users:
        user.start()
    dice = random.Random(11)
    while time.monotonic() < until:
        churn(shelf, dice)
        time.sleep(0.05)
    for user in users:
        user.join(30)
        assert user.exitcode == 0
    assert [told.read_text() for told in complaints if told.exists()] == []
    assert shelf.answers() == shelf.truth()
