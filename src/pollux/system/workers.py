"""Work shared out among processes.

A process is forked, so that it has all data of its parent. It gets the number of a piece of work, and answers with the
result. It waits until its answer is read, so memory does not grow with the work. When nothing is left to do, it sends a
last answer.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WORTH_FORKING = 4 << 20
"""Less work (bytes) is done by one process, because starting others takes longer."""

TRIES = 2
"""A piece of work that cost so many processes their lives failed. One may have been killed by somebody else."""

_AHEAD = 2
_LAST = (1 << 64) - 1


class Worker(Protocol):
    """The work of a process."""

    def work(self, number: int) -> bytes:
        """Do the piece of work with this number."""
        ...

    def end(self) -> bytes:
        """The last answer, when nothing is left to do."""
        ...


class Answer(NamedTuple):
    """The result of a piece of work. `number` is None in a last answer; `content` is None where processes died."""

    number: int | None
    content: bytes | None


def process_count(sizes: Sequence[int], processes: int | None = None) -> int:
    """How many processes are worth their start for pieces of work of these sizes; 1 where none is.

    A process with several threads starts none for speed: locks that other threads hold would stay locked in them.
    """
    may_fork = can_fork() and is_single_threaded()
    count = processes if processes is not None else len(os.sched_getaffinity(0)) if may_fork else 1
    return min(count, len(sizes)) if sum(sizes) >= WORTH_FORKING else 1


def is_single_threaded() -> bool:
    """Has this process no other threads, which could hold locks?"""
    return threading.active_count() == 1


def can_fork() -> bool:
    """Can this system fork worker processes?"""
    return hasattr(os, "sched_getaffinity") and hasattr(os, "fork")


def run_jobs(job: Callable[[int], bytes], count: int, processes: int) -> Generator[tuple[int, bytes | None]]:
    """The result of each number below `count`, in the order in which they end; None where two processes died."""
    with WorkerPool(lambda _: _JobWorker(job), count, processes, tries=TRIES) as pool:
        for number, content in pool.answers():
            if number is not None:
                yield number, content


class _JobWorker:
    """Does a job, with an empty last answer."""

    def __init__(self, job: Callable[[int], bytes]) -> None:
        self.work = job
        _exit_with_parent()

    def end(self) -> bytes:
        return b""


class WorkerPool:
    """Worker processes, each with its numbers. A new process calls `hire` with its place in the pool.

    Where a process dies, its number is handed out again until it was tried so often. With a single try nothing is done
    twice: the dead process may have written something that is lost.
    """

    def __init__(self, hire: Callable[[int], Worker], count: int, size: int, *, tries: int = 1) -> None:
        import multiprocessing  # imported only if processes are started: without it, pollux ends at once

        self._new_worker = hire
        self._numbers = iter(range(count))
        self._fork = multiprocessing.get_context("fork")
        self._tasks: dict[Connection, list[int]] = {}
        self._cleanup = contextlib.ExitStack()
        self._started = 0
        self._tries = tries
        self._deaths: Counter[int] = Counter()
        for _ in range(size):
            self._hire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def _hire(self) -> None:
        ours, theirs = self._fork.Pipe()
        alone = is_single_threaded()
        process = self._fork.Process(
            target=_run, args=(theirs, self._new_worker, self._started), kwargs={"alone": alone}, daemon=True
        )
        process.start()
        theirs.close()
        self._started += 1
        self._cleanup.callback(process.join, 5)
        self._cleanup.callback(process.terminate)
        self._cleanup.callback(ours.close)
        self._tasks[ours] = []
        for _ in range(_AHEAD):
            self._hand_out(ours)

    def _hand_out(self, helper: Connection) -> None:
        number = next(self._numbers, None)
        if number is None and self._tasks[helper]:
            return
        self._tasks[helper].append(_LAST if number is None else number)
        with contextlib.suppress(OSError):
            helper.send_bytes(self._tasks[helper][-1].to_bytes(8))

    def stop(self) -> None:
        """Hand out no more numbers. Work that has begun is still answered, and last answers are sent."""
        self._numbers = iter(())

    def answers(self) -> Iterator[Answer]:
        """The results in the order in which they end, and the last answer of every process."""
        from multiprocessing.connection import Connection, wait

        while busy := [helper for helper, numbers in self._tasks.items() if numbers]:
            for ready in wait(busy):
                assert isinstance(ready, Connection)  # noqa: S101 (it waits for nothing else)
                try:
                    content = ready.recv_bytes()
                except (EOFError, OSError):
                    number = self._replace(ready)
                    if number is None or self._deaths[number] >= self._tries:
                        yield Answer(number, None)
                    continue
                number = self._tasks[ready].pop(0)
                if number == _LAST:
                    yield Answer(None, content)
                else:
                    self._hand_out(ready)
                    yield Answer(number, content)

    def _replace(self, helper: Connection) -> int | None:
        """Replace a process that died, perhaps without memory. Returns its current number; the others go on."""
        first, *rest = self._tasks.pop(helper)
        if first == _LAST:
            return None
        self._deaths[first] += 1
        again = [first] if self._deaths[first] < self._tries else []
        self._numbers = iter([*(number for number in rest if number != _LAST), *self._numbers, *again])
        self._hire()
        return first


def _run(pipe: Connection, make: Callable[[int], Worker], place: int, *, alone: bool) -> None:
    """Run a process: it gets a number, works and answers, until the pipe is closed."""
    if not alone:
        _renew_locks()
    settle(pipe)
    worker = make(place)
    with contextlib.suppress(EOFError, OSError):
        while True:
            number = int.from_bytes(pipe.recv_bytes())
            pipe.send_bytes(worker.end() if number == _LAST else worker.work(number))


def settle(pipe: Connection) -> None:
    """Make a forked process one that works for its parent alone, through a pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # the parent may have files to remove first; this process has none
        if callable(signal.getsignal(getattr(signal, name))):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    _close_all_but({0, 1, 2, pipe.fileno()})
    gc.freeze()  # a collection would write to every value of the parent, and so copy its memory


def _renew_locks() -> None:
    """Replace the locks of cached properties (Python 3.11): a thread of the parent may have held one in the fork."""
    for value in gc.get_objects():
        if type(value) is cached_property and hasattr(value, "lock"):
            value.lock = threading.RLock()


def _exit_with_parent() -> None:
    """Check every second whether the parent is gone: endless work, as of a slow pattern, would never notice."""
    parent = os.getppid()

    def look_up(_signal: int, _frame: FrameType | None) -> None:
        if os.getppid() != parent:
            os._exit(1)

    signal.signal(signal.SIGALRM, look_up)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)


def _close_all_but(handles: set[int]) -> None:
    """Close what the fork inherited: it would hold locks, and keep the pipes of its siblings open."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        if int(name) not in handles:
            with contextlib.suppress(OSError):
                os.close(int(name))
