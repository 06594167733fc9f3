"""Several loaders at once, killed at random moments."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest

from pollux.lake.delta import Delta, rows_in
from pollux.lake.documents import Document
from pollux.lake.load import Loader
from pollux.lake.shown import known
from pollux.lake.store import Store
from pollux.lake.tables import MESSAGES, USAGE
from pollux.lake.tidy import tidy
from tests.lake.making import document, put
from tests.lake.sessions import session

STATES = 3
LOADERS = ("load", "load", "load", "load", "tidy")
TIDIERS = ("load", "load", "tidy", "tidy")
GONE = "eve"
"""Whoever pushes while others erase what she pushed."""
KILLS = 30 if os.environ.get("POLLUX_EXHAUSTIVE") else 10
"""In a bucket, which is slow."""
ERASE = ("erase", "--person", GONE, "--yes")


def pieces(machines: int, sessions: int) -> list[list[Document]]:
    """Sessions of some machines in three states, each in two pieces of news, in any order."""
    made = []
    for machine in range(machines):
        names = [f"{machine}-{number}" for number in range(sessions)]
        for person in ("ada", GONE):
            for state in range(1, STATES + 1):
                documents = [document(session(name, 2 * state), person, f"m{machine}", state) for name in names]
                cut = random.randrange(1, sessions)
                made += [documents[:cut], documents[cut:], documents]
    random.shuffle(made)
    return made


def race(store: Store, news: list[list[Document]], commands: Sequence[str], kills: int) -> None:
    """Run these commands again and again, all at once, while news come; and kill one of them now and then.

    In the midst somebody is erased; an erasure before that is killed, too.
    """
    running: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> subprocess.Popen[bytes]:
        everything = [sys.executable, "-m", "pollux", "lake", command[0], store.url, *command[1:]]
        running.append(subprocess.Popen(everything, stdout=subprocess.DEVNULL))
        return running[-1]

    try:
        for kill in range(kills):
            for number in range(kill, len(news), kills):
                put(store, news[number], number)
            assert {one.returncode for one in running if one.poll() is not None} <= {0}
            running = [one for one in running if one.returncode is None]
            while len(running) < len(commands):
                start(random.choice(commands))
            victim = start(*ERASE) if kill == kills // 3 else random.choice(running)
            erasing = start(*ERASE) if kill == kills // 2 else None
            time.sleep(random.uniform(0.1, 1.2))
            victim.kill()
            victim.wait()
            running.remove(victim)
            assert erasing is None or erasing.wait() == 0
        assert {one.wait() for one in running} <= {0}
    finally:
        for one in running:
            one.kill()
            one.wait()
    Loader(store).load()
    tidy(store)


def check(store: Store, machines: int, sessions: int) -> None:
    """Each session is there once, in its last state, with all its rows; and nothing is in a table twice."""
    delta = Delta(store)
    shown = known(delta)
    places = sorted((one.person, one.machine, one.key) for one in shown)
    assert places == sorted(("ada", f"m{m}", f"claude:{m}-{n}") for m in range(machines) for n in range(sessions))
    assert {one.seq for one in shown} == {STATES}
    assert all(one.counts for one in shown)
    batches = {(one.person, one.machine, one.key, one.batch) for one in shown}
    for name, each in ((MESSAGES, 2 * STATES), (USAGE, STATES)):
        rows = [
            tuple(row.values()) for row in rows_in(delta.open(name), ["person", "machine", "key", "batch", "number"])
        ]
        assert len(rows) == len(set(rows))
        assert GONE not in {row[0] for row in rows}
        assert sum(row[:4] in batches for row in rows) == each * machines * sessions
    assert not list(store.paths("news"))


@pytest.mark.slow
def test_loaders_that_are_killed_lose_and_double_nothing(store: Store) -> None:
    race(store, pieces(machines=4, sessions=8), LOADERS, kills=30)
    check(store, machines=4, sessions=8)


@pytest.mark.slow
def test_nor_do_those_that_tidy_up_meanwhile(store: Store) -> None:
    race(store, pieces(machines=4, sessions=8), TIDIERS, kills=40)
    check(store, machines=4, sessions=8)


@pytest.mark.slow
@pytest.mark.parametrize("commands", [LOADERS, TIDIERS], ids=["load", "tidy"])
def test_the_same_in_a_bucket(bucket: Store, commands: Sequence[str]) -> None:
    race(bucket, pieces(machines=3, sessions=4), commands, KILLS)
    check(bucket, machines=3, sessions=4)
