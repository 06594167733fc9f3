"""A large load: several processes read at once. They make rows, or rows and words.

Rows come first where somebody waits for an answer: they take a fraction of the time. `words.py` adds the words later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

import msgspec

from pollux.index.catalogue.catalogue import Catalogue, first_number
from pollux.index.catalogue.rows import BundleRows
from pollux.index.search.passages import Facts, passages
from pollux.index.search.word_index import WordIndex, Writer
from pollux.index.sync.pieces import Pieces, as_failure, interrupt_later, outcomes, retry_without_fatal, steps
from pollux.index.sync.readers import failed, read, without_words
from pollux.index.sync.tasks import Task
from pollux.model import Session
from pollux.system.decoders import msgpack_decoder
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough
from pollux.system.workers import TRIES, WorkerPool

_AT_ONCE = 700 << 20
"""So many bytes are read in one step. Each process then makes few segments, and few must be merged."""

_COMMIT_SECONDS = 1.0
"""How often rows are committed, so that other processes see them."""

Report = Callable[[Task, BundleRows], None]
"""Is called for every task that was read; may raise `Enough`."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(BundleRows).decode


class Visitor(Protocol):
    """Looks at sessions in the moment when they are read."""

    def look(self, sessions: Sequence[Session]) -> bytes:
        """What is to be known of the sessions of a bundle. This is asked in the process that reads them."""
        ...

    def note(self, sessions: Sequence[tuple[str, int]], seen: bytes) -> None:
        """Take what was seen in sessions that are now in the catalogue, with these keys and numbers."""
        ...


class _Seen(msgspec.Struct, array_like=True):
    """The rows of a bundle, and what a visitor saw in its sessions."""

    rows: BundleRows
    seen: bytes | None = None


_decode_seen = msgpack_decoder(_Seen).decode


class RowLoad:
    """Reads many tasks, and stores their rows. Their words stay pending, and so do `details` that nobody waits for.

    A `visitor` sees all sessions.
    """

    def __init__(
        self, catalogue: Catalogue, size: int, report: Report, visitor: Visitor | None = None, *, details: bool
    ) -> None:
        self._catalogue = catalogue
        self._size = size
        self._report = report
        self._visitor = visitor
        self._details = details

    def run(self, tasks: Sequence[Task]) -> None:
        """Read and store all tasks. If interrupted, store what was read so far."""
        with interrupt_later() as interrupted, ExitStack() as change:
            since = self._begin(change)
            stopped: BaseException | None = None

            def make_reader(_: int) -> _RowReader:
                return _RowReader(tasks, self._visitor, details=self._details)

            with WorkerPool(make_reader, len(tasks), self._size, tries=TRIES) as pool:
                for number, content in pool.answers():
                    if number is None:
                        continue
                    try:
                        self._store(tasks[number], number, content)
                    except Enough as enough:
                        stopped = enough
                    if interrupted():
                        stopped = KeyboardInterrupt()
                    if stopped is not None:
                        pool.stop()
                    if time.monotonic() - since > _COMMIT_SECONDS:
                        change.close()
                        since = self._begin(change)
        if stopped is not None:
            raise stopped

    def _store(self, task: Task, number: int, content: bytes | None) -> None:
        """Store the rows of a bundle, then hand on what the visitor saw: now its sessions have numbers."""
        if content is None:
            answer = _Seen(failed(number, task.bundle, "the process died", []))
        else:
            answer = _decode_seen(content)
        _replace(self._catalogue, task, answer.rows, pending=True)
        if self._visitor is not None and answer.seen is not None:
            self._visitor.note([(entry.key, entry.no) for entry in answer.rows.entries], answer.seen)
        self._report(task, answer.rows)

    def _begin(self, change: ExitStack) -> float:
        change.enter_context(self._catalogue.change())
        self._catalogue.begin()
        return time.monotonic()


class _RowReader:
    """One process that makes rows, and shows the sessions to a visitor."""

    def __init__(self, tasks: Sequence[Task], visitor: Visitor | None, *, details: bool) -> None:
        self._tasks = tasks
        self._visitor = visitor
        self._details = details

    def work(self, number: int) -> bytes:
        task = self._tasks[number]
        sessions: list[Session] = []

        def keep(session: Session) -> int:
            sessions.append(session)
            return without_words(session)

        with gc_paused():
            rows = read(number, (task.source, task.bundle), keep, details=self._details)
            return _encode(_Seen(rows, self._look(sessions) if rows.entries else None))

    def _look(self, sessions: Sequence[Session]) -> bytes | None:
        try:
            return None if self._visitor is None else self._visitor.look(sessions)
        except Exception:  # noqa: BLE001 (a visitor's fault must not cost the rows)
            return None

    def end(self) -> bytes:
        return b""


def _replace(catalogue: Catalogue, task: Task, rows: BundleRows, *, pending: bool) -> None:
    """Replace what was known of a bundle. Nothing interrupts this: an error takes the whole change back."""
    if task.old is not None:
        catalogue.forget([task.old])
    files = len(task.bundle.files)
    catalogue.add(task.root, task.bundle.key, task.fingerprint, rows, files=files, pending=pending)


class Load:
    """Reads many tasks, and stores their words and rows step by step."""

    def __init__(
        self, catalogue: Catalogue, text: WordIndex, size: int, report: Report, pulse: Callable[[], None]
    ) -> None:
        self._catalogue = catalogue
        self._size = size
        self._report = report
        self._pulse = pulse
        self._pieces = Pieces(text, size)

    def run(self, tasks: Sequence[Task]) -> None:
        """Read and store all tasks. If interrupted, store what was read so far."""
        with self._pieces:
            for step in steps(tasks, lambda task: task.bundle.size, _AT_ONCE):
                self._step(step)
        self._pulse()
        self._pieces.join()
        self._pulse()
        self._pieces.drop_garbage(self._catalogue)

    def _step(self, tasks: list[Task]) -> None:
        """Read some tasks. If a process dies, its task fails; the rest is read again."""
        self._reported: set[int] = set()
        with interrupt_later() as interrupted:
            retry_without_fatal(lambda fatal: self._read(tasks, fatal, interrupted))

    def _read(self, tasks: list[Task], fatal: set[int], interrupted: Callable[[], bool]) -> None:
        self._pieces.empty()
        stopped: BaseException | None = None
        reservation = self._catalogue.reserve(self._size)
        with self._catalogue.change():
            order = [number for number in range(len(tasks)) if number not in fatal]
            for number in fatal:
                self._store(tasks[number], failed(number, tasks[number].bundle, "the process died", []))

            def make_reader(place: int) -> _Reader:
                return _Reader(tasks, order, self._pieces.writer(place), first_number(reservation.first + place))

            with WorkerPool(make_reader, len(order), self._size) as pool:
                for place, content in outcomes(pool, order):
                    if place is None:
                        self._pulse()
                        continue
                    try:
                        self._store(tasks[place], _decode(content))
                    except Enough as enough:
                        stopped = enough
                    if interrupted():
                        stopped = KeyboardInterrupt()
                    if stopped is not None:
                        pool.stop()
            self._pieces.take_in(reservation.last)
            self._catalogue.settle(reservation)
        if stopped is not None:
            raise stopped

    def _store(self, task: Task, rows: BundleRows) -> None:
        _replace(self._catalogue, task, rows, pending=False)
        if rows.number not in self._reported:
            self._reported.add(rows.number)
            self._report(task, rows)


class _Reader:
    """One process that makes rows and words."""

    def __init__(self, tasks: list[Task], order: list[int], writer: Writer, number: int) -> None:
        self._tasks = tasks
        self._order = order
        self._writer = writer
        self._no = number

    def _store_words(self, session: Session) -> int:
        self._no += 1
        self._writer.add(self._no, Facts.of(session), passages(session))
        return self._no

    @as_failure
    def work(self, number: int) -> bytes:
        task = self._tasks[self._order[number]]
        with gc_paused():
            return _encode(read(self._order[number], (task.source, task.bundle), self._store_words))

    @as_failure
    def end(self) -> bytes:
        self._writer.commit(0)
        self._writer.close()
        return b""
