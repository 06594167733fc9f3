"""A few threads that ask the library: reading holds a thread up, and each has its own connection to the cache.

They start when they are needed, and end when nothing was to be done for a while: a connection takes megabytes. They
also end with the process, whatever they are at: Ctrl-C does not wait for them.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from pollux.system.memory import give_back

T = TypeVar("T")
COUNT = 4
PATIENCE = 30.0
"""Seconds after which a thread ends that has nothing to do."""


class Threads:
    """Runs functions apart from the loop."""

    def __init__(self, count: int = COUNT, patience: float = PATIENCE) -> None:
        self._count = count
        self._patience = patience
        self._jobs: deque[Callable[[], None]] = deque()
        self._some = threading.Condition()
        self._running = self._waiting = 0

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """What a function gives, or raises."""
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

        self._take(job)
        return await future

    def _take(self, job: Callable[[], None]) -> None:
        """Let a thread that waits do a job, or another one."""
        with self._some:
            self._jobs.append(job)
            self._some.notify()
            if len(self._jobs) <= self._waiting or self._running == self._count:
                return
            self._running += 1
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()
            del job  # it holds what it worked on
        give_back()

    def _next(self) -> Callable[[], None] | None:
        """The next job; None where none came for a while."""
        with self._some:
            self._waiting += 1
            came = self._some.wait_for(lambda: self._jobs, self._patience)
            self._waiting -= 1
            if came:
                return self._jobs.popleft()
            self._running -= 1
            return None


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:  # the loop has ended
        return
