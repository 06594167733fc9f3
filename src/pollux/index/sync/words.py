"""Adds the words of sessions that are in the catalogue already, and the details that these lack.

The catalogue may change meanwhile: only the moment in which words are taken in needs the right to write to it. A bundle
whose files changed since it was catalogued is left alone. The next sync reads it anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.rows import Details, details_of
from pollux.index.search.passages import Facts, passages
from pollux.index.search.word_index import WordIndex, Writer
from pollux.index.sync.pieces import Pieces, as_failure, interrupt_later, outcomes, retry_without_fatal, steps
from pollux.index.sync.readers import failed
from pollux.index.sync.tasks import Task
from pollux.model import Session
from pollux.sources.base import Bundle, File
from pollux.sources.database import DATABASE, with_log
from pollux.sources.walk import stat_file
from pollux.system.decoders import msgpack_decoder
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough
from pollux.system.workers import WorkerPool
from pollux.text.surrogates import escape_surrogates

_AT_ONCE = 256 << 20
"""So many bytes are read in one step. Then these words can be found, and cannot be lost any more."""


class WordTask(msgspec.Struct):
    """A bundle whose words are pending: the keys and numbers of its sessions, and what its reading depended on."""

    task: Task
    numbers: Mapping[str, int]
    dependencies: bytes
    lacks_details: bool = False


class _Answer(msgspec.Struct, array_like=True):
    """What became of a task: whether it `changed` since it was catalogued, or why reading it failed.

    `details` are those of its sessions, by number.
    """

    changed: bool = False
    failure: str | None = None
    details: dict[int, Details] = {}


_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(_Answer).decode


class WordLoad:
    """Reads many tasks, and stores their words step by step. `may_write` waits for the right to write."""

    def __init__(
        self,
        catalogue: Catalogue,
        text: WordIndex,
        size: int,
        report: Callable[[Task], None],
        may_write: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._catalogue = catalogue
        self._text = text
        self._size = size
        self._report = report
        self._may_write = may_write
        self._pieces = Pieces(text, size)

    def run(self, tasks: Sequence[WordTask]) -> None:
        """Store the words of all tasks. If interrupted, store those that were read so far."""
        if self._size > 1:
            self._run_together(tasks)
        else:
            self._run_alone(tasks)

    def _run_alone(self, tasks: Sequence[WordTask]) -> None:
        """As `run`, by this process."""
        with self._text.writer() as writer:
            for step in steps(tasks, lambda each: each.task.bundle.size, _AT_ONCE):
                answers: list[tuple[WordTask, _Answer]] = []
                stopped: BaseException | None = None
                try:
                    for each in step:
                        answers.append((each, _index(each, writer)))
                        self._report(each.task)
                except (Enough, KeyboardInterrupt) as reason:
                    stopped = reason
                with self._may_write():
                    self._take_in(answers, writer.commit)
                if stopped is not None:
                    raise stopped

    def _run_together(self, tasks: Sequence[WordTask]) -> None:
        """As `run`, by several processes."""
        with self._pieces:
            for step in steps(tasks, lambda each: each.task.bundle.size, _AT_ONCE):
                self._reported: set[int] = set()
                with interrupt_later() as interrupted:
                    retry_without_fatal(lambda fatal: self._step(step, fatal, interrupted))  # noqa: B023
        self._pieces.join()
        with self._may_write():
            self._pieces.drop_garbage(self._catalogue)

    def _step(self, tasks: list[WordTask], fatal: set[int], interrupted: Callable[[], bool]) -> None:
        self._pieces.empty()
        order = [number for number in range(len(tasks)) if number not in fatal]
        answers = dict.fromkeys(fatal, _Answer(failure="the process died"))
        stopped: BaseException | None = None
        with WorkerPool(
            lambda place: _Reader(tasks, order, self._pieces.writer(place)), len(order), self._size
        ) as pool:
            for number, content in outcomes(pool, order):
                if number is None:
                    continue
                answers[number] = _decode(content)
                try:
                    self._tell(number, tasks[number].task)
                except Enough as enough:
                    stopped = enough
                if interrupted():
                    stopped = KeyboardInterrupt()
                if stopped is not None:
                    pool.stop()
        with self._may_write():
            self._take_in([(tasks[number], answer) for number, answer in answers.items()], self._pieces.take_in)
        if stopped is not None:
            raise stopped

    def _tell(self, number: int, task: Task) -> None:
        if number not in self._reported:
            self._reported.add(number)
            self._report(task)

    def _take_in(self, answers: Sequence[tuple[WordTask, _Answer]], write: Callable[[int], None]) -> None:
        """Make words visible by a function that gets their generation, and note that they are not pending any more."""
        reservation = self._catalogue.reserve(1)
        with self._catalogue.change():
            for each, answer in answers:
                if answer.failure is not None:
                    self._fail(each.task, answer.failure)
                for no, details in answer.details.items():
                    self._catalogue.complete(no, details)
            write(reservation.last)
            added = [no for each, answer in answers if not answer.changed for no in each.numbers.values()]
            self._catalogue.settle(reservation, added=added)

    def _fail(self, task: Task, reason: str) -> None:
        """Replace a bundle that cannot be read. If it was replaced meanwhile, leave it alone."""
        if task.old is not None and self._catalogue.has_bundle(task.old):
            self._catalogue.forget([task.old])
            place, files = (task.root, task.bundle.key, task.fingerprint), len(task.bundle.files)
            self._catalogue.add(*place, failed(0, task.bundle, reason, []), files=files)


def _index(each: WordTask, writer: Writer) -> _Answer:
    """Write the words of a bundle. Only words that cannot be written are an error."""
    try:
        sessions = each.task.source.read(each.task.bundle).sessions
        if not _is_unchanged(each.task.bundle) or not each.numbers.keys() <= {session.key for session in sessions}:
            return _Answer(changed=True)
        own = [(each.numbers[session.key], session) for session in sessions if session.key in each.numbers]
        words = [(number, Facts.of(session), list(passages(session))) for number, session in own]
        answer = _Answer(details=_details(own) if each.lacks_details else {})
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return _Answer(failure=f"{type(error).__name__}: {error}")
    for number, facts, items in words:
        writer.add(number, facts, items)
    return answer


def _details(sessions: Sequence[tuple[int, Session]]) -> dict[int, Details]:
    """The details of sessions. Lone surrogates, which cannot be stored, are escaped."""
    details = {number: details_of(session) for number, session in sessions}
    try:
        _encode(details)
    except UnicodeEncodeError:
        return {number: details_of(escape_surrogates(session, Session)) for number, session in sessions}
    return details


def _is_unchanged(bundle: Bundle) -> bool:
    """Are the files of a bundle the same as when it was found?"""
    return all(_is_same(file) or (file.role == DATABASE and _has_same_log(file, bundle)) for file in bundle.files)


def _is_same(file: File) -> bool:
    try:
        status = os.stat(file.path)  # noqa: PTH116 (it is called for every file of a history)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns, status.st_ino) == (file.size, file.mtime_ns, file.inode)


def _has_same_log(database: File, bundle: Bundle) -> bool:
    """Is a database the same together with its log, as one file?"""
    try:
        now = [stat_file(Path(file.path), DATABASE) for file in bundle.files if file.path.startswith(database.path)]
    except OSError:
        return False
    return any(with_log(file, now).stamp == database.stamp for file in now if file.path == database.path)


class _Reader:
    """One process that makes words."""

    def __init__(self, tasks: list[WordTask], order: list[int], writer: Writer) -> None:
        self._tasks = tasks
        self._order = order
        self._writer = writer

    @as_failure
    def work(self, number: int) -> bytes:
        with gc_paused():
            return _encode(_index(self._tasks[self._order[number]], self._writer))

    @as_failure
    def end(self) -> bytes:
        self._writer.commit(0)
        self._writer.close()
        return b""
