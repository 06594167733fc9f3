"""Work shared out among processes.

A process is forked, so that it knows everything its maker knew. It is told a number, and answers with what came of
it; it waits until its answer is taken, so memory does not grow with the work.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing.connection import Connection, wait

from pollux.sources.base import Bundle, Source

_WORTH_IT = 4 << 20
_AHEAD = 2

Task = tuple[Source, Bundle]
Job = Callable[[int], bytes]
"""Does the work of a number."""


def helpers(sizes: Sequence[int], processes: int | None = None) -> int:
    """How many processes are worth it for pieces of work that read so many bytes each; below two, none."""
    wanted = processes if processes is not None else len(os.sched_getaffinity(0)) if _can_fork() else 1
    return min(wanted, len(sizes)) if sum(sizes) >= _WORTH_IT else 1


def weight(task: Task) -> int:
    """How many bytes a bundle is."""
    return sum(file.size for file in task[1].files)


def _can_fork() -> bool:
    return hasattr(os, "sched_getaffinity") and "fork" in multiprocessing.get_all_start_methods()


def answers(job: Job, count: int, processes: int) -> Generator[tuple[int, bytes | None]]:
    """What came of every number below `count`, in whatever order they end; None where the process died over it."""
    with contextlib.ExitStack() as held:
        yield from _Team(job, count, processes, held).work()


class _Team:
    """Some processes and what each of them is at."""

    def __init__(self, job: Job, count: int, size: int, held: contextlib.ExitStack) -> None:
        self._job = job
        self._left = iter(range(count))
        self._fork = multiprocessing.get_context("fork")
        self._at: dict[Connection, list[int]] = {}
        self._held = held
        for _ in range(size):
            self._hire()

    def _hire(self) -> None:
        ours, theirs = self._fork.Pipe()
        process = self._fork.Process(target=_work, args=(theirs, self._job), daemon=True)
        process.start()
        theirs.close()
        self._held.callback(process.join, 5)
        self._held.callback(process.terminate)
        self._held.callback(ours.close)
        self._at[ours] = []
        for _ in range(_AHEAD):
            self._hand_out(ours)

    def _hand_out(self, helper: Connection) -> None:
        number = next(self._left, None)
        if number is not None:
            self._at[helper].append(number)
            with contextlib.suppress(OSError):
                helper.send_bytes(number.to_bytes(8))

    def work(self) -> Iterator[tuple[int, bytes | None]]:
        while busy := [helper for helper, at in self._at.items() if at]:
            for ready in wait(busy):
                assert isinstance(ready, Connection)  # noqa: S101 (we asked for nothing else)
                try:
                    answer = ready.recv_bytes()
                except (EOFError, OSError):
                    yield self._replace(ready), None
                    continue
                number = self._at[ready].pop(0)
                self._hand_out(ready)
                yield number, answer

    def _replace(self, helper: Connection) -> int:
        """A process died, of hunger for memory perhaps: what it was at has failed, what it had yet to do goes on."""
        first, *rest = self._at.pop(helper)
        self._left = iter([*rest, *self._left])
        self._hire()
        return first


def _work(pipe: Connection, job: Job) -> None:
    """The life of a process: told a number, it works and answers, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _close_all_but({0, 1, 2, pipe.fileno()})
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send_bytes(job(int.from_bytes(pipe.recv_bytes())))


def _close_all_but(kept: set[int]) -> None:
    """Let go of what a fork brings along: locks would be held, and siblings' pipes kept open, as long as it lives."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
