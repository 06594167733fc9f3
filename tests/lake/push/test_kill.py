"""Machines that are killed again and again while they push: in the end everything is there, once."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from pollux.lake import send
from pollux.lake.documents import decode
from pollux.lake.settings import this_machine
from pollux.lake.store import Store
from pollux.library.library import Filter
from tests.lake.push.pushing import Machine, newest, told

pytestmark = pytest.mark.slow
NEW = multiprocessing.get_context("spawn")
"""A fork of a process that has spoken to a bucket could not do so itself."""
MACHINES = 8
SESSIONS, KILLS = (300, 40) if os.environ.get("POLLUX_EXHAUSTIVE") else (30, 24)


def push(machine: Machine, url: str) -> None:
    vars(send)["IN_A_NEWS"] = 7  # several news for each push
    machine.push(url)


def test_killed_anywhere_everything_is_there_once(tmp_path: Path, store: Store) -> None:
    dice = random.Random(11)
    machines = [Machine(tmp_path / f"m{number}", f"p{number}") for number in range(MACHINES)]
    expected: set[tuple[str, str, str]] = set()
    for machine in machines:
        for number in range(SESSIONS):
            machine.talk(f"a{number:x}", f"word {dice.random()}")
        machine.allow()
        name = this_machine(machine.places).id
        for entry in machine.library().list(Filter()):
            expected.add((machine.person, name, entry.summary.key))
    started = time.monotonic()
    _start(machines[0], store).join()
    whole = time.monotonic() - started
    running = [_start(machine, store) for machine in machines]
    for _ in range(KILLS):
        time.sleep(dice.random() * whole / 3)
        number = dice.randrange(MACHINES)
        with contextlib.suppress(ProcessLookupError):
            os.kill(running[number].pid or 0, signal.SIGKILL)
        running[number].join()
        running[number] = _start(machines[number], store)
    for process in running:
        process.join(120)
        assert process.exitcode == 0
    found = newest(store)
    assert {(one.person, machine, key) for (machine, key), one in found.items()} == expected
    documents = [decode(store.get(one.path)) for one in store.paths("sessions")]
    assert all(one.sealed() == one for one in documents)
    assert len(documents) == len(expected), "a document lies there twice"
    assert {entry.path for entry in told(store)} == {one.path for one in store.paths("sessions")}
    assert sum(machine.push(store.url).sessions for machine in machines) == 0


def _start(machine: Machine, store: Store) -> multiprocessing.context.SpawnProcess:
    process = NEW.Process(target=push, args=(machine, store.url))
    process.start()
    return process
