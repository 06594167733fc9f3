"""Bringing the store up to date: find, compare, read what changed, replace.

One pollux at a time writes, and others wait for it. Sessions are written in batches, first their
words, then their rows. A batch that was cut off leaves words under numbers that no row has; they are ignored, and
dropped by the next one that writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pollux.index.catalog.catalog import Catalog, KnownBundle, Peeks, first_number
from pollux.index.sync.groups import Layout, Part
from pollux.index.sync.tasks import Task
from pollux.sources.base import Bundle, File, OtherFiles, Root, Source, SourceContext, fingerprint_of, other_files
from pollux.sources.walk import unreadable_files
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Progress, Report
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.index.catalog.rows import BundleRows
    from pollux.index.search.word_index import WordIndex


class Outcome(msgspec.Struct, kw_only=True):
    """What a sync did. `busy`: the cache is as it was, for another pollux has it and does not get on; or not all is in.

    `removed` sessions are known no more; `kept` ones are gone from the agents' files, and still there.
    """

    sessions: int = 0
    files: int = 0
    changed: int = 0
    removed: int = 0
    kept: int = 0
    bytes: int = 0
    seconds: float = 0.0
    busy: bool = False


class Stamps(Mapping[str, str]):
    """The stamps of files by their shown paths. Mostly few are asked for."""

    def __init__(self, files: list[File]) -> None:
        self._listed = files

    @cached_property
    def _files(self) -> dict[str, File]:
        return {display_path(file.path): file for file in self._listed}

    def __getitem__(self, path: str) -> str:
        return self._files[path].stamp

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class RootScan:
    """One root as it is now."""

    def __init__(self, source: Source, root: Root) -> None:
        self.source = source
        self.root = root
        self.name = display_path(root.path)
        self.files: list[File] = list(source.find(root.path))

    @cached_property
    def stamps(self) -> Stamps:
        """Those of all files by their shown paths."""
        return Stamps(self.files)

    @cached_property
    def snapshot(self) -> str:
        """Stands for all files."""
        try:
            return hashlib.sha256(msgspec.msgpack.encode(self.files)).hexdigest()
        except UnicodeEncodeError:  # names that are no text
            return fingerprint_of(f"{display_path(file.path)}\n{file.stamp}\n{file.mode}" for file in self.files)

    def known(self, catalogue: Catalog) -> bool:
        """Does a catalogue hold all that is under this root?"""
        return catalogue.root(self.source.name, self.name)[1] == self.snapshot


class SyncInput(NamedTuple):
    """Who hears how far a sync is, and the hashes of projects of which more is known than before.

    `pulse` shows others who wait that it gets on, also while nothing is ready.
    """

    report: Report
    resolved: Collection[str] = ()
    pulse: Report = lambda _: None


class Sync:
    """One run, by the only one who writes."""

    def __init__(self, catalogue: Catalog, text: WordIndex | None, now: SyncInput) -> None:
        self._catalogue = catalogue
        self._text = text
        self._report = now.report
        self._progress = Progress()
        self._pulse = partial(now.pulse, self._progress)
        self._removed = 0
        self._layouts: dict[int, Layout] = {}
        self._sole: set[int] = set()
        self._seen: list[tuple[RootScan, int]] = []
        self._glanced: Peeks = {}

    def run(self, scans: Iterable[RootScan]) -> Outcome:
        """Take all roots that changed in."""
        self._heal()
        seen = self._seen = self._begin(list(scans))
        tasks = self._tasks(seen)
        size = sum(task.bundle.size for task in tasks)
        self._progress.files, self._progress.bytes = sum(len(task.bundle.files) for task in tasks), size
        self._pulse()
        self._read(tasks)
        with self._catalogue.change():
            for scan, root in seen:
                self._catalogue.mark_synced(root, scan.snapshot, *self._layouts[root].written())
                self._catalogue.put_closed(root, (display_path(file.path) for file in unreadable_files(scan.files)))
        return Outcome(changed=self._progress.sessions, removed=self._removed, bytes=size)

    def _begin(self, scans: list[RootScan]) -> list[tuple[RootScan, int]]:
        """The roots and their numbers. One that changed alone is perhaps not looked at whole."""
        changed = [scan for scan in scans if not scan.known(self._catalogue)]
        agents = [scan.source.name for scan in changed]
        seen: list[tuple[RootScan, int]] = []
        with self._catalogue.change():
            for scan in scans:
                whole = self._catalogue.root(scan.source.name, scan.name)[1] != ""
                root = self._catalogue.add_root(scan.source.name, scan.name)
                # What lies under one root of an agent may depend on another of its roots.
                if whole and scan in changed and agents.count(scan.source.name) == 1:
                    self._sole.add(root)
                self._catalogue.mark_changing(root)
                seen.append((scan, root))
        return seen

    def _tasks(self, seen: Iterable[tuple[RootScan, int]]) -> list[Task]:
        """What must be read under some roots, the newest first. What is no more is dropped."""
        gone: list[int] = []
        with gc_paused():
            tasks = [task for scan, root in seen for task in self._compare(scan, root, gone)]
        self._removed += self._drop(gone)
        return sorted(tasks, key=lambda task: task.bundle.changed_ns, reverse=True)

    def _heal(self) -> None:
        """Words of a batch whose rows were never written are dropped."""
        ahead = self._text.generation() or 0 if self._text is not None else 0
        if self._text is not None and ahead > self._catalogue.generation:
            with self._text.writer() as writer:
                writer.forget_from(first_number(self._catalogue.generation + 1))
                writer.commit(ahead)

    def _compare(self, scan: RootScan, root: int, gone: list[int]) -> list[Task]:
        """The bundles of a root that must be read; those that are no more go to `gone`."""
        self._pulse()
        part = self._part(scan, root)
        tasks = self._partly(scan, root, part) if part is not None else None
        if tasks is not None:
            return tasks
        with self._glancing(scan, root, scan.files, self._catalogue.peeks(root)) as around:
            bundles = scan.source.bundles(scan.root.path, scan.files, around)
            old = self._catalogue.known_bundles(root)
            tasks = self._outdated(scan, root, bundles, old)
        gone += [before.id for before in old.values()]
        self._layouts[root] = Layout.of(scan.files, bundles)
        return tasks

    def _part(self, scan: RootScan, root: int) -> Part | None:
        """What must be looked at, where that is not everything."""
        kept, news = self._catalogue.layout(root) if root in self._sole else (None, None)
        if kept is None:
            return None
        return Layout.read(kept, news).part(scan.files)

    def _partly(self, scan: RootScan, root: int, part: Part) -> list[Task] | None:
        """As `_compare`, for a part of the root; None where that turns out to be tied to the rest."""
        heads = self._catalogue.peeks(root, (display_path(file.path) for file in part.files))
        with self._glancing(scan, root, part.files, heads) as around:
            bundles = scan.source.bundles(scan.root.path, part.files, around)
            layout = part.whole(bundles)
            if layout is None:
                return None
            self._layouts[root] = layout
            return self._outdated(
                scan, root, bundles, self._catalogue.known_bundles(root, (one.key for one in bundles))
            )

    @contextmanager
    def _glancing(self, scan: RootScan, root: int, files: list[File], known: Peeks) -> Iterator[SourceContext]:
        """The context in which glances at these files are remembered, those before and those to come."""
        around = SourceContext(peeks=dict(known))

        def others() -> OtherFiles:
            for _, number in self._others(scan):
                around.peeks |= self._catalogue.peeks(number)
            around.peeks |= self._glanced
            return other_files(scan.root, scan.files, ((other.root, other.files) for other, _ in self._others(scan)))

        around.other_files = others
        yield around
        self._glanced |= around.peeks
        stamps = {display_path(file.path): file.stamp for file in files}
        heads = {place: told for place, told in around.peeks.items() if stamps.get(place[1]) == told[0]}
        with self._catalogue.change():
            self._catalogue.put_peeks(root, known, heads)

    def _others(self, scan: RootScan) -> list[tuple[RootScan, int]]:
        """The agent's other roots, and their numbers."""
        return [pair for pair in self._seen if pair[0].source.name == scan.source.name and pair[0] is not scan]

    def _outdated(self, scan: RootScan, root: int, bundles: list[Bundle], old: dict[str, KnownBundle]) -> list[Task]:
        """Those of some bundles that must be read. What is known of them is taken from `old`."""
        tasks: list[Task] = []
        stamps = Stamps([*scan.files, *(file for other, _ in self._others(scan) for file in other.files)])
        for bundle in bundles:
            fingerprint = bundle.fingerprint()
            before = old.pop(bundle.key, None)
            if (
                before is None
                or before.fingerprint != fingerprint
                or not _is_current(bundle, before.dependencies, stamps)
            ):
                tasks.append(Task(root, bundle, scan.source, fingerprint, before.id if before is not None else None))
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
        from pollux.index.sync.bulk import Load
        from pollux.index.sync.small import Batch
        from pollux.system.workers import process_count

        def report(task: Task, reading: BundleRows) -> None:
            self._progress.sessions += len(reading.entries)
            self._progress.done_files += len(task.bundle.files)
            self._progress.done_bytes += task.bundle.size
            self._pulse()
            self._report(self._progress)

        size = process_count([task.bundle.size for task in tasks])
        if self._text is not None and size > 1:
            Load(self._catalogue, self._text, size, report, self._pulse).run(tasks)
            return
        with Batch(self._catalogue, self._text) as batch:
            for task in tasks:
                report(task, batch.add(task))


def _is_current(bundle: Bundle, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
    try:
        return bundle.is_current(dependencies, stamps)
    except msgspec.DecodeError:
        return False
