"""Bringing the store up to date: find, compare, read what changed, replace.

One pollux at a time writes; another answers meanwhile from what is there. Sessions are written in batches, first their
words, then their rows. A batch that was cut off leaves words under numbers that no row has; they are ignored, and
dropped by the next one that writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pollux.sources.base import Bundle, File, Root, Source, Surroundings, sealed
from pollux.store.catalogue import Catalogue, first_number
from pollux.store.tasks import Progress, Report, Task
from pollux.wire import shown

if TYPE_CHECKING:
    from pollux.store.rows import Reading
    from pollux.store.text import TextIndex


_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


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


class Circumstances(NamedTuple):
    """What a sync may know, who hears how far it is, and who tells whether some hashes' directories are now known."""

    around: Surroundings
    report: Report
    learnt: Callable[[set[str]], bool]


class Sync:
    """One run, by the only one who writes."""

    def __init__(self, catalogue: Catalogue, text: TextIndex | None, now: Circumstances) -> None:
        self._catalogue = catalogue
        self._text = text
        self._around = now.around
        self._report = now.report
        self._learnt = now.learnt
        self._progress = Progress()
        self._removed = 0

    def run(self, looks: Iterable[Look]) -> Outcome:
        """Take all roots that changed in. Agents that wonder which project they worked on come last."""
        self._heal()
        seen = [(look, self._root(look)) for look in looks]
        first = self._tasks([pair for pair in seen if not pair[0].source.wonders])
        wondering = [pair for pair in seen if pair[0].source.wonders]
        last = self._tasks(wondering)
        for task in (*first, *last):
            self._progress.files += len(task.bundle.files)
            self._progress.bytes += task.size
        self._read(first)
        if first and last and self._learnt(_hashes(wondering)):
            last = self._tasks(wondering)
        self._read(last)
        with self._catalogue.change():
            for look, root in seen:
                self._catalogue.seen_whole(root, look.snapshot(self._around.memory.stamp))
        size = sum(task.size for task in (*first, *last))
        return Outcome(changed=self._progress.sessions, removed=self._removed, bytes=size)

    def _root(self, look: Look) -> int:
        with self._catalogue.change():
            return self._catalogue.add_root(look.source.name, look.name)

    def _tasks(self, seen: Iterable[tuple[Look, int]]) -> list[Task]:
        """What must be read under some roots, the newest first. What is no more is dropped."""
        gone: list[int] = []
        tasks = [task for look, root in seen for task in self._compare(look, root, gone)]
        self._removed += self._drop(gone)
        return sorted(tasks, key=lambda task: task.bundle.changed_ns, reverse=True)

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

    def _read(self, tasks: list[Task]) -> None:
        """Read the tasks and keep what came of them."""
        if not tasks:
            return
        # Imported by those alone who have something to read.
        from pollux.store.batch import Batch
        from pollux.store.load import Load
        from pollux.store.team import helpers

        def report(task: Task, reading: Reading) -> None:
            self._progress.sessions += len(reading.entries)
            self._progress.done_files += len(task.bundle.files)
            self._progress.done_bytes += task.size
            self._report(self._progress)

        size = helpers([task.size for task in tasks])
        if self._text is not None and size > 1:
            Load(self._catalogue, self._text, size, report).run(tasks)
            return
        with Batch(self._catalogue, self._text) as batch:
            for task in tasks:
                report(task, batch.add(task))


def _hashes(seen: Iterable[tuple[Look, int]]) -> set[str]:
    """The names of folders that may be hashes of directories."""
    return {part for look, _ in seen for path in look.stamps for part in _HASH.findall(path)}


def _stands(bundle: Bundle, leaning: bytes, stamps: dict[str, str]) -> bool:
    try:
        return bundle.stands(leaning, stamps)
    except msgspec.DecodeError:
        return False
