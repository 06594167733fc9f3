"""Several loaders at once, killed at random moments."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

from pollux.lake.delta import Delta, rows_in
from pollux.lake.documents import Document
from pollux.lake.load import Loader
from pollux.lake.shown import known
from pollux.lake.store import Store
from pollux.lake.tables import MESSAGES, SESSIONS, USAGE
from tests.lake.making import document, put
from tests.lake.sessions import session

STATES = 3


def pieces(machines: int, sessions: int) -> list[list[Document]]:
    """Sessions of some machines in three states, each in two pieces of news, in any order."""
    made = []
    for machine in range(machines):
        names = [f"{machine}-{number}" for number in range(sessions)]
        for state in range(1, STATES + 1):
            documents = [document(session(name, 2 * state), "ada", f"m{machine}", state) for name in names]
            cut = random.randrange(1, sessions)
            made += [documents[:cut], documents[cut:], documents]
    random.shuffle(made)
    return made


def race(store: Store, news: list[list[Document]], loaders: int, kills: int) -> None:
    """Load with several processes while news come, and tidy up; and kill one of them now and then."""
    commands = ["load"] * loaders + ["tidy"]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for kill in range(kills):
            for number in range(kill, len(news), kills):
                put(store, news[number], number)
            assert {one.returncode for one in running if one.poll() is not None} <= {0}
            running = [one for one in running if one.returncode is None]
            while len(running) < loaders:
                command = [sys.executable, "-m", "pollux", "lake", random.choice(commands), store.url]
                running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            time.sleep(random.uniform(0.1, 1.2))
            victim = running.pop(random.randrange(loaders))
            victim.kill()
            victim.wait()
        assert {one.wait() for one in running} <= {0}
    finally:
        for one in running:
            one.kill()
            one.wait()
    Loader(store).load()


def check(store: Store, machines: int, sessions: int) -> None:
    """Each session is there once, in its last state, with all its rows."""
    delta = Delta(store)
    shown = known(delta.open(SESSIONS))
    places = sorted((one.machine, one.key) for one in shown)
    assert places == sorted((f"m{m}", f"claude:{m}-{n}") for m in range(machines) for n in range(sessions))
    assert {one.seq for one in shown} == {STATES}
    assert all(one.counts for one in shown)
    batches = {(one.machine, one.key, one.batch) for one in shown}
    for name, each in ((MESSAGES, 2 * STATES), (USAGE, STATES)):
        rows = rows_in(delta.open(name), ["machine", "key", "batch"])
        visible = [row for row in rows if (row["machine"], row["key"], row["batch"]) in batches]
        assert len(visible) == each * machines * sessions
    assert not list(store.paths("news"))


@pytest.mark.slow
def test_loaders_that_are_killed_lose_and_double_nothing(store: Store) -> None:
    race(store, pieces(machines=4, sessions=15), loaders=4, kills=30)
    check(store, machines=4, sessions=15)


@pytest.mark.slow
def test_the_same_in_a_bucket(bucket: Store) -> None:
    race(bucket, pieces(machines=3, sessions=6), loaders=3, kills=10)
    check(bucket, machines=3, sessions=6)
