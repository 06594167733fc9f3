"""A small load: this process reads a few sessions and stores them in batches."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.rows import BundleRows
from pollux.index.search.passages import Facts, passages
from pollux.index.sync.readers import read, without_words
from pollux.index.sync.tasks import Task
from pollux.model import Session
from pollux.system.progress import Enough

if TYPE_CHECKING:
    from pollux.index.search.word_index import WordIndex

_BATCH_SECONDS = 20.0


class Batch:
    """Sessions that are stored together: first their words, then their rows. Without `text`, words stay pending."""

    def __init__(self, catalogue: Catalogue, text: WordIndex | None) -> None:
        self._catalogue = catalogue
        self._open_writer = ExitStack()
        self._writer = self._open_writer.enter_context(text.writer()) if text is not None else None
        self._begin()

    def _begin(self) -> None:
        self._since = time.monotonic()
        self._step = ExitStack()
        if self._writer is not None:
            self._reservation = self._catalogue.reserve(1)
            self._writer.forget(self._reservation.garbage)
        self._step.enter_context(self._catalogue.change())
        if self._writer is None:
            self._catalogue.begin()

    def _store_words(self, session: Session) -> int:
        """Store the words of a session. If the batch ends here, they belong to no row, and are ignored."""
        if self._writer is None:
            return without_words(session)
        number = self._catalogue.number()
        self._writer.add(number, Facts.of(session), passages(session))
        return number

    def add(self, task: Task) -> BundleRows:
        """Read a bundle, and replace what was known of it."""
        reading = read(0, (task.source, task.bundle), self._store_words)
        with self._catalogue.savepoint():
            if task.old is not None:
                self._catalogue.forget([task.old])
            place, pending = (task.root, task.bundle.key, task.fingerprint), self._writer is None
            self._catalogue.add(*place, reading, files=len(task.bundle.files), pending=pending)
        if time.monotonic() - self._since > _BATCH_SECONDS:
            self._commit()
            self._begin()
        return reading

    def _commit(self) -> None:
        with self._step:
            if self._writer is not None:
                self._writer.commit(self._reservation.last)
                self._catalogue.settle(self._reservation, dropped=self._reservation.garbage)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Store what was read, also if the user interrupted. If writing failed, drop the batch."""
        with self._open_writer:
            if error is None or isinstance(error, KeyboardInterrupt | Enough):
                self._commit()
            else:
                self._step.__exit__(kind, error, trace)
