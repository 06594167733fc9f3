"""Work shared out among processes.

A process is forked, so that it knows everything its maker knew. It is told a number, and answers with what came of
it; it waits until its answer is taken, so memory does not grow with the work. When nothing is left to do, it has a
last word.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from types import FrameType, TracebackType
from typing import NamedTuple, Protocol, Self

_WORTH_IT = 4 << 20
_AHEAD = 2
_LAST = (1 << 64) - 1


class Worker(Protocol):
    """What a process does all its life."""

    def work(self, number: int) -> bytes:
        """Do the work of a number."""
        ...

    def end(self) -> bytes:
        """Nothing is left to do: the last word."""
        ...


class Answer(NamedTuple):
    """What came of a number; of none, where it is a last word. `content` is None where the process died over it."""

    number: int | None
    content: bytes | None


def helpers(sizes: Sequence[int], processes: int | None = None) -> int:
    """How many processes are worth it for pieces of work that read so many bytes each; below two, none.

    Only the main thread makes processes to be quicker: what other threads are at just then would stay locked in them.
    """
    alone = threading.current_thread() is threading.main_thread()
    wanted = processes if processes is not None else len(os.sched_getaffinity(0)) if alone and can_fork() else 1
    return min(wanted, len(sizes)) if sum(sizes) >= _WORTH_IT else 1


def can_fork() -> bool:
    """Can work be done by processes that know what this one knows?"""
    return hasattr(os, "sched_getaffinity") and "fork" in multiprocessing.get_all_start_methods()


def answers(job: Callable[[int], bytes], count: int, processes: int) -> Generator[tuple[int, bytes | None]]:
    """What came of every number below `count`, in whatever order they end; None where the process died over it."""
    with Team(lambda _: _Hand(job), count, processes) as team:
        for number, content in team.answers():
            if number is not None:
                yield number, content


class _Hand:
    """Does a job, and has nothing to add."""

    def __init__(self, job: Callable[[int], bytes]) -> None:
        self.work = job
        _leave_with_maker()

    def end(self) -> bytes:
        return b""


class Team:
    """Some processes and what each of them is at. `hire` is called in a new process, with the process's place."""

    def __init__(self, hire: Callable[[int], Worker], count: int, size: int) -> None:
        self._make = hire
        self._left = iter(range(count))
        self._fork = multiprocessing.get_context("fork")
        self._at: dict[Connection, list[int]] = {}
        self._held = contextlib.ExitStack()
        self._hired = 0
        for _ in range(size):
            self._hire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def _hire(self) -> None:
        ours, theirs = self._fork.Pipe()
        process = self._fork.Process(target=_live, args=(theirs, self._make, self._hired), daemon=True)
        process.start()
        theirs.close()
        self._hired += 1
        self._held.callback(process.join, 5)
        self._held.callback(process.terminate)
        self._held.callback(ours.close)
        self._at[ours] = []
        for _ in range(_AHEAD):
            self._hand_out(ours)

    def _hand_out(self, helper: Connection) -> None:
        number = next(self._left, None)
        if number is None and self._at[helper]:
            return
        self._at[helper].append(_LAST if number is None else number)
        with contextlib.suppress(OSError):
            helper.send_bytes(self._at[helper][-1].to_bytes(8))

    def stop(self) -> None:
        """Hand out no more; what is being worked on is still answered, and last words are heard."""
        self._left = iter(())

    def answers(self) -> Iterator[Answer]:
        """What came of every number, in whatever order they end, and the last word of every process."""
        while busy := [helper for helper, at in self._at.items() if at]:
            for ready in wait(busy):
                assert isinstance(ready, Connection)  # noqa: S101 (we asked for nothing else)
                try:
                    content = ready.recv_bytes()
                except (EOFError, OSError):
                    yield Answer(self._replaced(ready), None)
                    continue
                number = self._at[ready].pop(0)
                if number == _LAST:
                    yield Answer(None, content)
                else:
                    self._hand_out(ready)
                    yield Answer(number, content)

    def _replaced(self, helper: Connection) -> int | None:
        """A process died, of hunger for memory perhaps: what it was at has failed, what it had yet to do goes on."""
        first, *rest = self._at.pop(helper)
        if first == _LAST:
            return None
        self._left = iter([*(number for number in rest if number != _LAST), *self._left])
        self._hire()
        return first


def _live(pipe: Connection, make: Callable[[int], Worker], place: int) -> None:
    """The life of a process: told a number, it works and answers, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # its maker may have something to take away first, it has not
        if callable(signal.getsignal(getattr(signal, name))):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    _close_all_but({0, 1, 2, pipe.fileno()})
    worker = make(place)
    with contextlib.suppress(EOFError, OSError):
        while True:
            number = int.from_bytes(pipe.recv_bytes())
            pipe.send_bytes(worker.end() if number == _LAST else worker.work(number))


def _leave_with_maker() -> None:
    """Who is lost in work, as in a pattern without end, does not notice that nobody waits: look up every second."""
    maker = os.getppid()

    def look_up(_signal: int, _frame: FrameType | None) -> None:
        if os.getppid() != maker:
            os._exit(1)

    signal.signal(signal.SIGALRM, look_up)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)


def _close_all_but(kept: set[int]) -> None:
    """Let go of what a fork brings along: locks would be held, and siblings' pipes kept open, as long as it lives."""
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
