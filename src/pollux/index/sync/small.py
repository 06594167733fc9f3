"""A few sessions on their way into the store, read by this process."""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pollux.index.catalog.catalog import Catalog
from pollux.index.catalog.rows import BundleRows
from pollux.index.search.passages import Facts, passages
from pollux.index.sync.readers import Kept, read
from pollux.index.sync.tasks import Task
from pollux.model import Session
from pollux.system.progress import Enough

if TYPE_CHECKING:
    from pollux.index.search.word_index import WordIndex

_BATCH_SECONDS = 20.0


class Batch:
    """Sessions on their way into the store. Ended in two steps: their words are there first, then their rows."""

    def __init__(self, catalogue: Catalog, text: WordIndex | None) -> None:
        self._catalogue = catalogue
        self._held = ExitStack()
        self._writer = self._held.enter_context(text.writer()) if text is not None else None
        self._text = text
        self._begin()

    def _begin(self) -> None:
        self._since = time.monotonic()
        self._step = ExitStack()
        self._step.enter_context(self._catalogue.change())
        behind = self._text.generation() or 0 if self._text is not None else 0
        self._generation = max(self._catalogue.generation, behind) + 1
        self._catalogue.begin(self._generation)
        self._garbage = self._catalogue.garbage()
        if self._writer is not None:
            self._writer.forget(self._garbage)

    def keep(self, session: Session) -> Kept:
        """Keep the words of a session. Interrupted after this, they belong to no row, and count for nothing."""
        number = self._catalogue.number()
        if self._writer is None:
            return Kept(number, 0)
        return Kept(number, self._writer.add(number, Facts.of(session), passages(session)))

    def add(self, task: Task) -> BundleRows:
        """Read a bundle, and replace what was known of it."""
        reading = read(0, (task.source, task.bundle), self)
        with self._catalogue.savepoint():
            if task.old is not None:
                self._catalogue.forget([task.old])
            self._catalogue.add(task.root, task.bundle.key, task.fingerprint, reading)
        if time.monotonic() - self._since > _BATCH_SECONDS:
            self._commit()
            self._begin()
        return reading

    def _commit(self) -> None:
        with self._step:
            if self._writer is not None:
                self._writer.commit(self._generation)
                self._catalogue.clear_garbage(self._garbage)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What was read is kept, also where the user interrupted; where writing itself failed, nothing of the step."""
        with self._held:
            if error is None or isinstance(error, KeyboardInterrupt | Enough):
                self._commit()
            else:
                self._step.__exit__(kind, error, trace)
