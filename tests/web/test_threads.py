"""Threads that ask the library start when they are needed, and end when they are not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from pollux.web.threads import Threads

T = TypeVar("T")


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """In a thread of its own: in this one, the driver of the browser may have a loop."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(lambda: asyncio.run(work())).result()


def _names() -> str:
    return threading.current_thread().name


def _wait_for_one_that_waits(threads: Threads) -> None:
    """However busy the machine is."""
    while not threads._waiting:
        time.sleep(0.001)


def test_one_reader_needs_one_thread() -> None:
    async def ask() -> set[str]:
        threads, names = Threads(4), set()
        for _ in range(20):
            names.add(await threads.run(_names))
            await asyncio.to_thread(_wait_for_one_that_waits, threads)
        return names

    assert len(_run(ask)) == 1


def test_many_at_once_get_as_many_threads_as_there_may_be() -> None:
    everyone = threading.Barrier(3)

    async def ask() -> list[int]:
        threads = Threads(3)
        return await asyncio.gather(*(threads.run(everyone.wait, 10) for _ in range(9)))

    assert sorted(_run(ask)) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_thread_with_nothing_to_do_ends_and_another_one_takes_its_place() -> None:
    async def ask() -> bool:
        threads = Threads(2, patience=0.05)
        first = await threads.run(threading.current_thread)
        await asyncio.to_thread(first.join, 10)
        assert not first.is_alive()
        return await threads.run(threading.current_thread) is not first

    assert _run(ask)


def test_what_goes_wrong_reaches_whoever_asked() -> None:
    def fail() -> None:
        raise ValueError("no")

    async def ask() -> None:
        threads = Threads(1)
        with pytest.raises(ValueError, match="no"):
            await threads.run(fail)
        assert await threads.run(lambda: 1) == 1

    _run(ask)
