"""Words that several processes write at once, each into an index of its own, which the index of words takes in."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

from pollux.errors import StoreError
from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.search.errors import NotWritten
from pollux.index.search.word_index import WordIndex, Writer
from pollux.system.workers import TRIES, WorkerPool

T = TypeVar("T")
Work = TypeVar("Work", bound=Callable[..., bytes])

PIECES = "pieces"
"""The names of all folders of pieces begin like this. Only one process writes words, so all others are left over."""

_HEAP = 128_000_000
"""The memory in which all processes together gather words. More would make larger segments, and is no quicker."""

_LEAST = 32_000_000
_NOT_WRITTEN = b"\xc1"
"""No answer begins with this byte: msgpack has no use for it."""


class ProcessDied(Exception):
    """A process died while it read the task of this number, or, with None, while it wrote."""

    def __init__(self, number: int | None) -> None:
        super().__init__(number)
        self.number = number


class Pieces:
    """The indexes of several processes, in a folder beside the index of words. The folder is removed at the end."""

    def __init__(self, text: WordIndex, size: int) -> None:
        self._text = text
        self._heap = max(_HEAP // size, _LEAST)
        self._folder = text.folder.with_name(f"{PIECES}-{os.getpid()}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def empty(self) -> None:
        """Make the folder anew, and remove those of processes that were killed."""
        for folder in self._folder.parent.glob(f"{PIECES}-*"):
            shutil.rmtree(folder, ignore_errors=True)
        self._folder.mkdir(0o700)

    def writer(self, place: int) -> Writer:
        """The writer of one process."""
        return WordIndex.open(self._folder / str(place)).writer(self._heap)

    def take_in(self, generation: int) -> None:
        """Add all pieces to the index of words, which has this generation then."""
        with self._text.writer() as writer:
            writer.commit(generation)
        self._text.take_in(sorted(self._folder.iterdir()))

    def join(self) -> None:
        """Merge small segments."""
        with self._text.writer() as writer:
            writer.join()

    def drop_garbage(self, catalogue: Catalogue) -> None:
        """Drop the words of sessions that were replaced."""
        reservation = catalogue.reserve(1)
        with self._text.writer() as writer:
            writer.forget(reservation.garbage)
            writer.commit(reservation.last)
        with catalogue.change():
            catalogue.settle(reservation, dropped=reservation.garbage)


def steps(tasks: Sequence[T], size_of: Callable[[T], int], at_once: int) -> Iterator[list[T]]:
    """Groups of tasks that are stored together. In each the largest come first, so that processes end together."""
    step: list[T] = []
    size = 0
    for task in tasks:
        if step and size + size_of(task) > at_once:
            yield sorted(step, key=size_of, reverse=True)
            step, size = [], 0
        step.append(task)
        size += size_of(task)
    if step:
        yield sorted(step, key=size_of, reverse=True)


def as_failure(work: Work) -> Work:
    """Answer that words could not be written, instead of raising the error."""

    @wraps(work)
    def answer(*arguments: Any) -> bytes:
        try:
            return work(*arguments)
        except StoreError as error:
            return _NOT_WRITTEN + str(error).encode()

    return answer  # type: ignore[return-value]


def outcomes(pool: WorkerPool, order: Sequence[int]) -> Iterator[tuple[int | None, bytes]]:
    """The answers of processes that write words, by the number of the task; None for a last answer.

    Raises `ProcessDied` where a process died, and `NotWritten` where words could not be written.
    """
    for place, content in pool.answers():
        if content is None:
            raise ProcessDied(None if place is None else order[place])
        if content[:1] == _NOT_WRITTEN:
            raise NotWritten(content[1:].decode())
        yield None if place is None else order[place], content


def retry_without_fatal(read: Callable[[set[int]], None]) -> None:
    """Call `read` until no process dies. A task in which one died twice, perhaps for lack of memory, is fatal.

    A process that died once may have been killed by somebody else.
    """
    deaths: Counter[int | None] = Counter()
    while True:
        try:
            return read({number for number, count in deaths.items() if number is not None and count >= TRIES})
        except ProcessDied as death:
            deaths[death.number] += 1
            if deaths[death.number] > (TRIES if death.number is not None else TRIES - 1):
                raise NotWritten("The process that writes the index of words was killed.") from None


@contextmanager
def interrupt_later() -> Iterator[Callable[[], bool]]:
    """Inside, a first Ctrl-C is only noted, so that what was read can be stored; a second one interrupts."""
    was_noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal was_noted
        if was_noted:
            signal.default_int_handler(number, frame)
        was_noted = True

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: was_noted
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: was_noted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
