"""Killed at any moment: nothing that was kept before is missing, and everything can be read."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from pollux.archive import transfer
from pollux.archive.archive import Archive
from pollux.archive.packs import State
from pollux.archive.verify import verify
from pollux.index.sync.sync import RootScan
from tests.archive.conftest import World

KILLS = 100
TOUCHING = {"write", "flush", "fsync", "replace", "rename", "link", "unlink", "truncate"}


def killed(work: Callable[[], None], after: float) -> None:
    """Do something in a process of its own, and kill it after a while."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def killed_at(work: Callable[[], None], step: int) -> None:
    """Do something in a process of its own, which is killed before or after the call that touches a file as the nth.

    How quick the machine is makes no difference: some of these calls are in the midst of a record.
    """
    child = os.fork()
    if not child:
        steps = itertools.count()

        def watch(_frame: FrameType, event: str, called: object) -> None:
            touches = event in {"c_call", "c_return"} and getattr(called, "__name__", "") in TOUCHING
            if touches and next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.setprofile(watch)
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def write(world: World, chance: random.Random) -> None:
    for _ in range(6):
        file = world.home / ".gemini/tmp/weather/chats" / f"session-2026-11-01T10-00-{chance.randint(0, 20):08}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = chance.randbytes(chance.randint(10, 30_000)).hex()
        with file.open("a" if chance.random() < 0.8 else "w") as out:
            out.write(f'{{"id": "{chance.random()}", "type": "user", "content": "{text}"}}\n')


def test_a_hundred_kills_lose_nothing(world: World) -> None:
    chance = random.Random(3)
    folder, index = world.folder / "archive", world.folder / "index.db"
    library = world.library()
    write(world, chance)
    with_other = Archive(world.folder / "other", world.folder / "other.db")
    with_other.keep([RootScan(source, root) for source, root in library.homes.roots()])
    carried = world.folder / "carried.pollux"
    transfer.export(with_other, carried)
    Archive(folder, index).keep([RootScan(source, root) for source, root in library.homes.roots()])
    hit = 0
    for number in range(KILLS):
        write(world, chance)
        before = set(Archive(folder, index).index.states())
        pruned = chance.choice(sorted(before, key=lambda state: (state.path, state.at)))
        scans = [RootScan(source, root) for source, root in library.homes.roots()]
        work: list[Callable[[], object]] = [
            lambda scans=scans: Archive(folder, index).keep(scans),  # type: ignore[misc]
            lambda: transfer.import_file(Archive(folder, index), carried),
            lambda gone=pruned: transfer.prune(Archive(folder, index), [place(gone)]),  # type: ignore[misc]
        ]
        if number % 2:
            killed(work[number % 3], chance.random() * 0.02)  # type: ignore[arg-type]
        else:
            killed_at(work[number % 3], chance.randrange(60))  # type: ignore[arg-type]
        archive = Archive(folder, world.folder / f"fresh-{number}.db")
        verdict = verify(archive)
        assert verdict.sound, verdict
        after = set(archive.index.states())
        missing = before - after
        if number % 3 == 2:
            assert all(place(state) == place(pruned) for state in missing)
            assert not missing or not any(place(state) == place(pruned) for state in after)
        else:
            assert not missing
        hit += any(folder.glob("*.making")) or torn(archive)
        archive.close()
    assert hit, "no kill came while something was being written"


def place(state: State) -> tuple[str, bytes, bytes]:
    return state.agent, state.home, state.path


def torn(archive: Archive) -> bool:
    """Does a pack end with a record that was cut off, or with contents that no state speaks of yet?"""
    spoken = {state.sha for state in archive.index.states()}
    return any(place.record.head.sha not in spoken for place in archive.index.contents())  # type: ignore[union-attr]
