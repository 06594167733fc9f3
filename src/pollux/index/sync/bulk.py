"""A large load: several processes read at once, and each writes words into an index of its own."""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import msgspec

from pollux.errors import StoreError
from pollux.index.catalogue.catalogue import Catalogue, first_number
from pollux.index.catalogue.rows import BundleRows
from pollux.index.search.errors import NotWritten
from pollux.index.search.passages import Facts, passages
from pollux.index.search.word_index import WordIndex, Writer
from pollux.index.sync.readers import StoredWords, failed, read
from pollux.index.sync.tasks import Task
from pollux.model import Session
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough
from pollux.system.workers import WorkerPool

_AT_ONCE = 700 << 20
"""So many bytes are read in one step. Each process then makes few segments, and few must be merged."""

_HEAP = 300_000_000
"""The memory in which all processes together gather words."""

_LEAST = 32_000_000
_NOT_WRITTEN = b"\xc1"
"""No answer begins with this byte: msgpack has no use for it."""

Report = Callable[[Task, BundleRows], None]
"""Is called for every task that was read; may raise `Enough`."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(BundleRows).decode


class _ProcessDied(Exception):
    """A process died while it read the task of this number, or, with None, while it wrote."""

    def __init__(self, number: int | None) -> None:
        super().__init__(number)
        self.number = number


class Load:
    """Reads many tasks, and stores the results step by step."""

    def __init__(
        self, catalogue: Catalogue, text: WordIndex, size: int, report: Report, pulse: Callable[[], None]
    ) -> None:
        self._catalogue = catalogue
        self._text = text
        self._size = size
        self._report = report
        self._pulse = pulse
        self._pieces = text.folder.with_name("pieces")

    def run(self, tasks: Sequence[Task]) -> None:
        """Read and store all tasks. If interrupted, store what was read so far."""
        try:
            for step in _steps(tasks):
                self._step(step)
        finally:
            shutil.rmtree(self._pieces, ignore_errors=True)
        self._tidy()

    def _step(self, tasks: list[Task]) -> None:
        """Read some tasks. If a process dies, perhaps for lack of memory, its task fails; the rest is read again."""
        fatal: set[int] = set()
        self._reported: set[int] = set()
        while True:
            try:
                with interrupt_later() as interrupted:
                    self._read(tasks, fatal, interrupted)
            except _ProcessDied as death:
                if death.number is None or death.number in fatal:
                    raise NotWritten("The process that writes the index of words was killed.") from None
                fatal.add(death.number)
            else:
                return

    def _read(self, tasks: list[Task], fatal: set[int], interrupted: Callable[[], bool]) -> None:
        shutil.rmtree(self._pieces, ignore_errors=True)
        self._pieces.mkdir(0o700)
        stopped: Enough | None = None
        with self._catalogue.change():
            first = max(self._catalogue.generation, self._text.generation() or 0) + 1
            last = first + self._size - 1
            self._catalogue.begin(last)
            order = [number for number in range(len(tasks)) if number not in fatal]
            heap = max(_HEAP // self._size, _LEAST)
            for number in fatal:
                self._keep(tasks[number], failed(number, tasks[number].bundle, "the process died", []))

            def make_reader(place: int) -> _Reader:
                index = WordIndex.open(self._pieces / str(place))
                return _Reader(tasks, order, index.writer(heap), first_number(first + place), last)

            with WorkerPool(make_reader, len(order), self._size) as team:
                for place, content in team.answers():
                    if content is None:
                        raise _ProcessDied(None if place is None else order[place])
                    if content[:1] == _NOT_WRITTEN:
                        raise NotWritten(content[1:].decode())
                    if place is None:
                        self._pulse()
                        continue
                    try:
                        self._keep(tasks[order[place]], _decode(content))
                    except Enough as enough:
                        stopped = enough
                    if stopped is not None or interrupted():
                        team.stop()
            self._text.take_in(sorted(self._pieces.iterdir()))
        if stopped is not None:
            raise stopped
        if interrupted():
            raise KeyboardInterrupt

    def _keep(self, task: Task, reading: BundleRows) -> None:
        with self._catalogue.savepoint():
            if task.old is not None:
                self._catalogue.forget([task.old])
            self._catalogue.add(task.root, task.bundle.key, task.fingerprint, reading)
        if reading.number not in self._reported:
            self._reported.add(reading.number)
            self._report(task, reading)

    def _tidy(self) -> None:
        """Merge small segments, then drop what was replaced."""
        self._pulse()
        with self._text.writer() as writer:
            writer.join()
        self._pulse()
        garbage = self._catalogue.garbage()
        with self._text.writer() as writer:
            writer.forget(garbage)
            writer.commit(self._text.generation() or 0)
        with self._catalogue.change():
            self._catalogue.clear_garbage(garbage)


def _steps(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Groups of tasks that are stored together. In each the largest come first, so that processes end together."""
    step: list[Task] = []
    size = 0
    for task in tasks:
        if step and size + task.bundle.size > _AT_ONCE:
            yield sorted(step, key=lambda each: -each.bundle.size)
            step, size = [], 0
        step.append(task)
        size += task.bundle.size
    if step:
        yield sorted(step, key=lambda each: -each.bundle.size)


class _Reader:
    """One process of a load."""

    def __init__(self, tasks: list[Task], order: list[int], writer: Writer, number: int, generation: int) -> None:
        self._tasks = tasks
        self._order = order
        self._writer = writer
        self._no = number
        self._generation = generation

    def keep(self, session: Session) -> StoredWords:
        self._no += 1
        return StoredWords(self._no, self._writer.add(self._no, Facts.of(session), passages(session)))

    def work(self, number: int) -> bytes:
        task = self._tasks[self._order[number]]
        try:
            with gc_paused():
                return _encode(read(self._order[number], (task.source, task.bundle), self))
        except StoreError as error:
            return _NOT_WRITTEN + str(error).encode()

    def end(self) -> bytes:
        try:
            self._writer.commit(self._generation)
            self._writer.close()
        except StoreError as error:
            return _NOT_WRITTEN + str(error).encode()
        return b""


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
