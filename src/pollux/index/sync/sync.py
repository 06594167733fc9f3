"""Brings the catalogue up to date: find, compare, read what changed, replace.

One pollux at a time writes to the catalogue, and others wait for it. If there is little to read, the words of sessions
are written first, then their rows. An interrupted batch leaves words under numbers that no row has. They are ignored,
and the next sync drops them. If there is much to read, rows are written alone, and the words stay pending.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from pollux.index.catalogue.catalogue import Catalogue, KnownBundle, Peeks, first_number
from pollux.index.sync.groups import EncodedLayout, Part, encode_layout
from pollux.index.sync.parts import give_rest, known_part, part_peeks
from pollux.index.sync.tasks import Task
from pollux.sources.base import (
    Bundle,
    File,
    OtherFiles,
    Root,
    Source,
    SourceContext,
    distinct,
    fingerprint_of,
    other_files,
)
from pollux.sources.capabilities import documents_of
from pollux.sources.walk import unreadable_files
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Progress, Report
from pollux.wire import display_path
from pollux.wire.passing import troubles

if TYPE_CHECKING:
    from pollux.index.catalogue.rows import BundleRows
    from pollux.index.search.word_index import WordIndex
    from pollux.index.sync.bulk import Visitor
    from pollux.index.sync.words import WordTask
    from pollux.sources.database.documents import Document

_MANY = 400
"""Several processes peek into so many files."""

_FEW = 5
"""After so many of the newest bundles it is checked whether they are enough."""

_MOST_EARLY = 400
"""More bundles are not read by one process for an early answer: several processes then read everything."""


class Outcome(msgspec.Struct, kw_only=True):
    """What a sync did. `busy`: it could not finish, or another pollux has the cache and makes no progress.

    `removed` counts the sessions that are gone, `kept` those that the agents deleted and the archive has.
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
    """The stamps of files by their display paths, made when first asked for."""

    def __init__(self, files: list[File]) -> None:
        self._all_files = files

    @cached_property
    def _files(self) -> dict[str, File]:
        return {display_path(file.path): file for file in self._all_files}

    def __getitem__(self, path: str) -> str:
        return self._files[path].stamp

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class RootScan:
    """One root as it is now. `peeks_of` gives what is known of the files under an agent's root."""

    def __init__(
        self, source: Source, root: Root, peeks_of: Callable[[str, str], Peeks] = lambda _agent, _root: {}
    ) -> None:
        self._peeks_of = peeks_of
        self.source = source
        self.root = root
        self.name = display_path(root.path)
        self.files: list[File] = list(source.find(root.path))

    @cached_property
    def stamps(self) -> Stamps:
        """The stamps of all files by their display paths."""
        return Stamps(self.files)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The sessions in the agent's databases, by the paths of their documents. Raises `Unreadable`."""
        found = documents_of(self.source, self.root.path, self.files, self._context)
        return {made.file.path: made for made in found}

    @cached_property
    def _context(self) -> SourceContext:
        return SourceContext(peeks=self._peeks_of(self.source.name, self.name))

    @property
    def peeked(self) -> Peeks:
        """What the documents were made by: with it, those of the next time cost what has changed by then."""
        return {place: peek for place, peek in self._context.peeks.items() if place in self._context.peeked}

    @cached_property
    def snapshot(self) -> str:
        """A value that changes with any file."""
        try:
            return hashlib.sha256(msgspec.msgpack.encode(self.files)).hexdigest()
        except UnicodeEncodeError:  # names that are no text
            return fingerprint_of(f"{display_path(file.path)}\n{file.stamp}\n{file.mode}" for file in self.files)

    def is_known(self, catalogue: Catalogue) -> bool:
        """Does a catalogue hold this root as it is now?"""
        return catalogue.root(self.source.name, self.name)[1] == self.snapshot


class Goal(Protocol):
    """What an early answer needs. `reached` says that what is left to read cannot change it."""

    reached: bool

    @property
    def newest(self) -> int:
        """How many of the newest files are probably enough for it; 0 where their times do not matter."""
        ...

    def wants(self, agent: str, id: str) -> bool:
        """Must this session be read before the answer?"""
        ...

    def is_reached(self, unread_since: int) -> bool:
        """Is it reached now? No unread file changed after that time (nanoseconds)."""
        ...

    def note(self, bundle: Bundle, rows: BundleRows) -> None:
        """Note what was read."""
        ...


class _Candidate(NamedTuple):
    """A bundle that may have to be read, when it last changed, and what is known of it."""

    scan: RootScan
    root: int
    bundle: Bundle
    changed_ns: int
    before: KnownBundle | None


class Unread(NamedTuple):
    """What an early answer did not wait for: the number of files, and the ids of sessions."""

    files: int = 0
    ids: tuple[str, ...] = ()


class SyncInput(NamedTuple):
    """Who hears how far a sync is, and the hashes of projects of which more is known than before.

    `words`: words are written together with rows, however long that takes. `pulse` shows waiting processes that this
    one makes progress. A sync that `yields` raises `Enough` when another process waits. `visitor` makes somebody who
    sees the sessions of a large load while they are read. Without `details`, a large load leaves edits and friction to
    those who add the words.
    """

    report: Report
    resolved: Collection[str] = ()
    words: bool = False
    pulse: Report = lambda _: None
    yields: bool = False
    visitor: Callable[[], Visitor | None] = lambda: None
    details: bool = False


class Sync:
    """One sync, by the only process that writes. Without `text`, all words stay pending."""

    def __init__(self, catalogue: Catalogue, text: WordIndex | None, now: SyncInput) -> None:
        self._catalogue = catalogue
        self._text = text
        self._report = now.report
        self._words = now.words
        self._visitor = now.visitor
        self._details = now.details
        self._progress = Progress()
        self._pulse = partial(now.pulse, self._progress)
        self._removed = 0
        self._layouts: dict[int, EncodedLayout] = {}
        self._changed_alone: set[int] = set()
        self._unsettled: set[int] = set()
        self._roots: list[tuple[RootScan, int]] = []
        self._peeks: Peeks = {}

    def run(self, scans: Iterable[RootScan]) -> Outcome:
        """Sync these roots. Raises `Enough` where this was ended before everything was read."""
        if self._text is not None:
            heal(self._catalogue, self._text)
        roots = self._roots = self._begin(list(scans))
        tasks = self._tasks(roots)
        self._note_due((task.root, task.bundle) for task in tasks)
        size = sum(task.bundle.size for task in tasks)
        self._progress.files, self._progress.bytes = sum(len(task.bundle.files) for task in tasks), size
        self._pulse()
        self._read(tasks)
        with self._catalogue.change():
            for scan, root in roots:
                if root not in self._unsettled:
                    self._catalogue.mark_synced(root, scan.snapshot, *self._layouts[root])
                self._catalogue.put_closed(root, (display_path(file.path) for file in unreadable_files(scan.files)))
        return Outcome(changed=self._progress.sessions, removed=self._removed, bytes=size)

    def _begin(self, scans: list[RootScan]) -> list[tuple[RootScan, int]]:
        """The roots and their numbers. Notes which roots are the only changed one of their agent."""
        changed = [scan for scan in scans if not scan.is_known(self._catalogue)]
        agents = [scan.source.name for scan in changed]
        roots: list[tuple[RootScan, int]] = []
        with self._catalogue.change():
            for scan in scans:
                is_complete = self._catalogue.root(scan.source.name, scan.name)[1] != ""
                root = self._catalogue.add_root(scan.source.name, scan.name)
                # What lies under one root of an agent may depend on another of its roots.
                if is_complete and scan in changed and agents.count(scan.source.name) == 1:
                    self._changed_alone.add(root)
                self._catalogue.mark_changing(root)
                roots.append((scan, root))
        return roots

    def _tasks(self, roots: Iterable[tuple[RootScan, int]]) -> list[Task]:
        """What must be read under some roots, the newest first. Bundles that are gone are dropped."""
        gone: list[int] = []
        with gc_paused():
            tasks = [task for scan, root in roots for task in self._compare(scan, root, gone)]
        self._removed += self._drop(gone)
        return sorted(tasks, key=lambda task: task.bundle.changed_ns, reverse=True)

    def _note_due(self, unread: Iterable[tuple[int, Bundle]]) -> None:
        """Store how many files of each root are to be read: whoever asks meanwhile can say how far this is."""
        due = dict.fromkeys((root for _, root in self._roots), 0)
        for root, bundle in unread:
            due[root] += len(bundle.files)
        with self._catalogue.change():
            for root, files in due.items():
                self._catalogue.put_due(root, files)

    def _compare(self, scan: RootScan, root: int, gone: list[int]) -> list[Task]:
        """The bundles of a root that must be read. The ids of those that are gone are added to `gone`."""
        self._pulse()
        part = self._part(scan, root)
        tasks = self._compare_part(scan, root, part) if part is not None else None
        if tasks is not None:
            return tasks
        known = self._catalogue.peeks(root)
        with self._peeking(scan, root, scan.files, known) as context:
            if len(scan.files) - len(known) > _MANY:
                from pollux.index.sync.peeks import peek_ahead

                context.peeks |= peek_ahead(scan.source, scan.root, scan.files, known)
            bundles = distinct(scan.source.bundles(scan.root.path, scan.files, context))
            old = self._catalogue.known_bundles(root)
            tasks = self._outdated(scan, root, bundles, old)
        gone += [before.id for before in old.values()]
        self._layouts[root] = encode_layout(scan.files, bundles)
        return tasks

    def _part(self, scan: RootScan, root: int) -> Part | None:
        """The part of a root that changed; None if everything must be compared."""
        return known_part(self._catalogue, root, scan.files) if root in self._changed_alone else None

    def _compare_part(self, scan: RootScan, root: int, part: Part) -> list[Task] | None:
        """As `_compare`, for a part of the root; None if the part turns out to depend on the rest."""
        with self._peeking(scan, root, part.files, part_peeks(self._catalogue, root, part)) as context:
            give_rest(context, self._catalogue, root, scan.files)
            bundles = part.bundles(distinct(scan.source.bundles(scan.root.path, part.files, context)))
            match part.complete(bundles):
                case None:
                    return None
                case Part() as wider:
                    return self._compare_part(scan, root, wider)
                case layout:
                    self._layouts[root] = layout
            return self._outdated(
                scan, root, bundles, self._catalogue.known_bundles(root, (bundle.key for bundle in bundles))
            )

    @contextmanager
    def _peeking(self, scan: RootScan, root: int, files: list[File], known: Peeks) -> Iterator[SourceContext]:
        """A context with what is known of the beginnings of these files; what a source adds is stored at the end."""
        context, before = self._context(scan, known), troubles()
        yield context
        self._peeks |= context.peeks
        if troubles() != before:  # what was not seen for now is looked at again
            self._unsettled.add(root)
            return
        stamps = {display_path(file.path): file.stamp for file in files}
        peeks = {
            place: peek
            for place, peek in context.peeks.items()
            if place[1] in stamps and (place in context.peeked or stamps[place[1]] == peek[0])
        }
        with self._catalogue.change():
            self._catalogue.put_peeks(root, known, peeks)

    def _context(self, scan: RootScan, known: Peeks) -> SourceContext:
        peeks = dict(known)

        def others() -> OtherFiles:
            for _, number in self._others(scan):
                peeks.update(self._catalogue.peeks(number))
            peeks.update(self._peeks)
            return other_files(scan.root, scan.files, ((other.root, other.files) for other, _ in self._others(scan)))

        # What `others` does not refer to goes when it is done, and with it the sync and the index of words.
        return SourceContext(peeks=peeks, other_files=others)

    def _others(self, scan: RootScan) -> list[tuple[RootScan, int]]:
        """The agent's other roots, and their numbers."""
        return [pair for pair in self._roots if pair[0].source.name == scan.source.name and pair[0] is not scan]

    def _outdated(self, scan: RootScan, root: int, bundles: list[Bundle], old: dict[str, KnownBundle]) -> list[Task]:
        """Those of some bundles that must be read. All of these bundles are removed from `old`."""
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
        """Read the tasks and store the results."""
        if not tasks:
            return
        # Imported only if there is something to read.
        from pollux.index.sync.bulk import Load, RowLoad
        from pollux.index.sync.small import Batch
        from pollux.system.workers import WORTH_FORKING, process_count

        def report(task: Task, reading: BundleRows) -> None:
            if reading.passing:
                self._unsettled.add(task.root)
            self._progress.sessions += len(reading.entries)
            self._progress.done_files += len(task.bundle.files)
            self._progress.done_bytes += task.bundle.size
            self._pulse()
            self._report(self._progress)

        sizes = [task.bundle.size for task in tasks]
        size = process_count(sizes)
        # If other words are pending, a search looks through sessions: the index does not change under its hands.
        is_little = sum(sizes) < WORTH_FORKING and not self._catalogue.count_pending()
        text = self._text if self._words or is_little else None
        if size == 1:
            with Batch(self._catalogue, text) as batch:
                for task in tasks:
                    report(task, batch.add(task))
        elif text is None:
            RowLoad(self._catalogue, size, report, self._visitor(), details=self._details).run(tasks)
        else:
            Load(self._catalogue, text, size, report, self._pulse).run(tasks)

    # ------------------------------------------------------------------ early answers

    def reach(self, goal: Goal, scans: list[RootScan]) -> Unread:
        """Read what a goal wants, then the newest sessions, until it is reached. Returns what is unread.

        All files are grouped, but only those that have to do with these sessions are looked into. If the newest files
        are not enough, more of them are taken.
        """
        self._roots = self._begin(scans)
        times = sorted((file.mtime_ns for scan in scans for file in scan.files), reverse=True)
        newest = goal.newest
        while True:
            since = times[newest] if newest < len(times) else 0
            unread = self._reach(goal, since if newest else math.inf)
            if goal.reached or not newest or not since or newest > _MOST_EARLY:
                return unread
            newest *= 4

    def _reach(self, goal: Goal, since: float) -> Unread:
        """As `reach`, with those sessions that the goal wants, or that changed since a time (nanoseconds)."""
        from pollux.index.sync.small import Batch

        def needs(agent: str, id: str, changed_ns: int) -> bool:
            return changed_ns > since or goal.wants(agent, id)

        def is_wanted(candidate: _Candidate) -> bool:
            return goal.wants(candidate.bundle.agent, candidate.bundle.id)

        with gc_paused():
            needed, others = self._candidates(needs)
        needed.sort(key=lambda each: (is_wanted(each), each.changed_ns), reverse=True)
        wanted = sum(map(is_wanted, needed))
        if wanted > _MOST_EARLY:
            return Unread()
        self._note_due((each.root, each.bundle) for each in (*needed, *others) if each.before is None)
        newest_other = max((each.changed_ns for each in others), default=0)
        done = 0
        with Batch(self._catalogue, None) as batch:
            for candidate in needed[:_MOST_EARLY]:
                is_time = done >= wanted and not (done - wanted) % _FEW
                if is_time and goal.is_reached(max(candidate.changed_ns, newest_other)):
                    break
                known = {} if candidate.before is None else {candidate.bundle.key: candidate.before}
                for task in self._outdated(candidate.scan, candidate.root, [candidate.bundle], known):
                    goal.note(task.bundle, batch.add(task))
                self._pulse()
                done += 1
            else:
                goal.is_reached(max((each.changed_ns for each in needed[done:]), default=newest_other))
        unread = [each.bundle for each in (*others, *needed[done:]) if each.before is None]
        return Unread(sum(len(bundle.files) for bundle in unread), tuple(bundle.id for bundle in unread))

    def _candidates(self, needs: Callable[[str, str, int], bool]) -> tuple[list[_Candidate], list[_Candidate]]:
        """The bundles that are needed, and all others."""
        gone: list[int] = []
        needed: list[_Candidate] = []
        others: list[_Candidate] = []
        for scan, root in self._roots:
            self._pulse()
            with self._peeking(scan, root, scan.files, self._catalogue.peeks(root)) as context:
                context.needs = partial(needs, scan.source.name)
                bundles = distinct(scan.source.bundles(scan.root.path, scan.files, context))
            old = self._catalogue.known_bundles(root)
            for bundle in bundles:
                changed_ns, before = bundle.changed_ns, old.pop(bundle.key, None)
                is_needed = needs(bundle.agent, bundle.id, changed_ns)
                (needed if is_needed else others).append(_Candidate(scan, root, bundle, changed_ns, before))
            gone += [before.id for before in old.values()]
        self._removed += self._drop(gone)
        return needed, others

    # ------------------------------------------------------------------ pending words

    def pending(self, scans: Iterable[RootScan]) -> list[WordTask]:
        """The bundles under these roots whose words are pending, the newest first. Outdated ones are left out."""
        from pollux.index.sync.words import WordTask

        tasks: list[WordTask] = []
        without_details = self._catalogue.without_details()
        self._roots = [(scan, self._catalogue.root(scan.source.name, scan.name)[0]) for scan in scans]
        for scan, root in self._roots:
            if numbers := self._catalogue.pending(root):
                known = self._catalogue.known_bundles(root)
                for bundle in self._bundles(scan, root):
                    before = known.get(bundle.key)
                    if bundle.key in numbers and before is not None and before.fingerprint == bundle.fingerprint():
                        task = Task(root, bundle, scan.source, before.fingerprint, before.id)
                        own = numbers[bundle.key]
                        lacks_details = not without_details.isdisjoint(own.values())
                        tasks.append(WordTask(task, own, before.dependencies, lacks_details))
        return sorted(tasks, key=lambda each: each.task.bundle.changed_ns, reverse=True)

    def _bundles(self, scan: RootScan, root: int) -> list[Bundle]:
        """The bundles of a root. What peeks give is not stored."""
        context = self._context(scan, self._catalogue.peeks(root))
        return distinct(scan.source.bundles(scan.root.path, scan.files, context))


def heal(catalogue: Catalogue, text: WordIndex) -> None:
    """Drop the words that an interrupted process wrote without their rows."""
    if catalogue.interrupted:
        with text.writer() as writer:
            writer.forget_from(first_number(catalogue.interrupted))
            writer.forget(catalogue.pending_numbers())
            writer.commit(text.generation() or 0)
        with catalogue.change():
            catalogue.heal()


def _is_current(bundle: Bundle, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
    try:
        return bundle.is_current(dependencies, stamps)
    except msgspec.DecodeError:
        return False
