"""Bringing the store up to date: find, compare, read what changed, replace.

One pollux at a time writes; another answers meanwhile from what is there. Sessions are written in batches, first their
words, then their rows. A batch that was cut off leaves words under numbers that no row has; they are ignored, and
dropped by the next one that writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from pollux.sources.base import Bundle, File, Root, Source, Surroundings, sealed
from pollux.store.catalogue import Catalogue, first_number
from pollux.store.passages import Facts
from pollux.store.readers import readings
from pollux.store.rows import Reading
from pollux.wire import shown

if TYPE_CHECKING:
    from pollux.store.text import TextIndex

_BATCH_SECONDS = 20.0


class Progress(msgspec.Struct):
    """How far a sync is."""

    files: int = 0
    bytes: int = 0
    done_files: int = 0
    done_bytes: int = 0
    sessions: int = 0


Report = Callable[[Progress], None]
"""Hears of progress after every bundle; may raise `Enough`."""


class Enough(Exception):
    """Stop here: what was read so far is kept."""


class Outcome(msgspec.Struct, kw_only=True):
    """What a sync did. `busy`: another pollux was at it, so nothing was done."""

    sessions: int = 0
    files: int = 0
    changed: int = 0
    removed: int = 0
    bytes: int = 0
    seconds: float = 0.0
    busy: bool = False


class Look:
    """One root as it is now."""

    def __init__(self, source: Source, root: Root) -> None:
        self.source = source
        self.root = root
        self.name = shown(root.path)
        self.files: list[File] = list(source.find(root.path))
        self.stamps = {shown(file.path): file.stamp for file in self.files}

    def snapshot(self, knowledge: str) -> str:
        """Stands for all files, and for what is known beside them."""
        return sealed([knowledge, *(f"{path}\n{stamp}" for path, stamp in self.stamps.items())])


class Task(msgspec.Struct):
    """A bundle to be read, and what it was known as before."""

    root: int
    bundle: Bundle
    source: Source
    seal: str
    old: int | None


class Sync:
    """One run, by the only one who writes."""

    def __init__(self, catalogue: Catalogue, text: TextIndex | None, around: Surroundings, report: Report) -> None:
        self._catalogue = catalogue
        self._text = text
        self._around = around
        self._report = report

    def run(self, looks: Iterable[Look]) -> Outcome:
        """Take all roots that changed in."""
        outcome = Outcome()
        self._heal()
        tasks: list[Task] = []
        gone: list[int] = []
        seen: list[tuple[Look, int]] = []
        for look in looks:
            with self._catalogue.change():
                root = self._catalogue.add_root(look.source.name, look.name)
            seen.append((look, root))
            tasks += self._compare(look, root, gone)
        tasks.sort(key=lambda task: task.bundle.changed_ns, reverse=True)
        outcome.removed = self._drop(gone)
        outcome.changed = self._read(tasks)
        with self._catalogue.change():
            for look, root in seen:
                self._catalogue.seen_whole(root, look.snapshot(self._around.memory.stamp))
        outcome.bytes = sum(file.size for task in tasks for file in task.bundle.files)
        return outcome

    def _heal(self) -> None:
        """Words of a batch whose rows were never written are dropped."""
        ahead = self._text.generation() or 0 if self._text is not None else 0
        if self._text is not None and ahead > self._catalogue.generation:
            with self._text.writer() as writer:
                writer.forget_from(first_number(self._catalogue.generation + 1))
                writer.commit(ahead)

    def _compare(self, look: Look, root: int, gone: list[int]) -> list[Task]:
        """The bundles of a root that must be read; those that are no more go to `gone`."""
        known = self._catalogue.heads(root)
        around = msgspec.structs.replace(self._around, heads=dict(known))
        bundles = look.source.bundles(look.root.path, look.files, around)
        old = self._catalogue.bundled(root)
        tasks: list[Task] = []
        for bundle in bundles:
            seal = bundle.seal()
            before = old.pop(bundle.key, None)
            if before is None or before.seal != seal or not _stands(bundle, before.leaning, look.stamps):
                tasks.append(Task(root, bundle, look.source, seal, before.id if before is not None else None))
        gone += [before.id for before in old.values()]
        heads = {place: told for place, told in around.heads.items() if look.stamps.get(place[1]) == told[0]}
        with self._catalogue.change():
            self._catalogue.put_heads(root, known, heads)
        return tasks

    def _drop(self, gone: list[int]) -> int:
        if not gone:
            return 0
        with self._catalogue.change():
            return self._catalogue.forget(gone)

    def _read(self, tasks: list[Task]) -> int:
        """Read the tasks and keep what came of them, batch by batch."""
        progress = Progress(
            files=sum(len(task.bundle.files) for task in tasks),
            bytes=sum(file.size for task in tasks for file in task.bundle.files),
        )
        with closing(readings([(task.source, task.bundle) for task in tasks])) as stream:
            # The index writes in threads, and a process with threads should not be forked: so the readers come first.
            first = next(stream, None)
            if first is None:
                return 0
            with Batch(self._catalogue, self._text) as batch:
                for reading in chain([first], stream):
                    task = tasks[reading.number]
                    batch.add(task, reading)
                    progress.sessions += len(reading.entries)
                    progress.done_files += len(task.bundle.files)
                    progress.done_bytes += sum(file.size for file in task.bundle.files)
                    self._report(progress)
        return progress.sessions


def _stands(bundle: Bundle, leaning: bytes, stamps: dict[str, str]) -> bool:
    try:
        return bundle.stands(leaning, stamps)
    except msgspec.DecodeError:
        return False


class Batch:
    """Sessions on their way into the store. Ended in two steps: their words are there first, then their rows."""

    def __init__(self, catalogue: Catalogue, text: TextIndex | None) -> None:
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

    def add(self, task: Task, reading: Reading) -> None:
        """Replace what was known of a bundle. Interrupted here, the words belong to no row, and count for nothing."""
        numbers = self._catalogue.numbers(len(reading.entries))
        if self._writer is not None:
            for number, entry in zip(numbers, reading.entries, strict=True):
                self._writer.add(number, Facts.of(entry.summary), entry.passages)
        with self._catalogue.whole():
            if task.old is not None:
                self._catalogue.forget([task.old])
            self._catalogue.add(task.root, task.bundle.key, task.seal, reading, numbers)
        if time.monotonic() - self._since > _BATCH_SECONDS:
            self._commit()
            self._begin()

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
