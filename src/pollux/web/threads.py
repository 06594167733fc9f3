"""A few threads that ask the library: reading holds a thread up, and each has its own connection to the cache.

They end with the process, whatever they are at: Ctrl-C does not wait for them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
COUNT = 4


class Threads:
    """Runs functions apart from the loop."""

    def __init__(self, count: int = COUNT) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._count = count
        self._started = False

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """What a function gives, or raises."""
        if not self._started:
            self._started = True
            for _ in range(self._count):
                threading.Thread(target=self._work, daemon=True).start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(give: Callable[[], None]) -> None:
            if not future.done():
                give()

        def job() -> None:
            if future.cancelled():  # the browser has gone meanwhile
                return
            try:
                result = work(*arguments)
            except BaseException as error:  # noqa: BLE001 (whoever waits for it gets it)
                failure = error
                _tell(loop, lambda: settle(lambda: future.set_exception(failure)))
            else:
                _tell(loop, lambda: settle(lambda: future.set_result(result)))

        self._jobs.put(job)
        return await future

    def _work(self) -> None:
        while True:
            self._jobs.get()()


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:  # the loop has ended
        return
