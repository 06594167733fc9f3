"""The index, brought up to date before anything is asked of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import TypeVar

from pollux.errors import NotFound, StoreError, Unreadable
from pollux.index.catalogue.queries import CatalogueQueries, Filter, ListEntry
from pollux.index.index import TROUBLE, CacheInfo, Index
from pollux.index.sync.sync import Outcome, RootScan, SyncInput
from pollux.library.keeper import Keeper, join_sentences
from pollux.library.session_files import SessionFiles
from pollux.projects.resolve import Resolver, hashes_in
from pollux.sources.base import File, Root, Source
from pollux.sources.walk import forbidden_files, unreadable_files
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough, Report
from pollux.wire import display_path, folder_at

T = TypeVar("T")


class FreshIndex:
    """What is known of all sessions. Threads may ask at once; one at a time brings it up to date.

    `busy` says that a sync was ended early: answers may be older than the files. `is_ready` says that the cache was
    brought up to date, or is used as it is. `unreadable_paths` are the agents' folders and files that the system did
    not let pollux look into at the last sync. `forbidden_files` are the files that pollux sees and may not read.
    """

    def __init__(  # noqa: PLR0913
        self,
        store: Index,
        session_files: SessionFiles,
        keeper: Keeper,
        *,
        resolver: Resolver,
        fresh: bool,
        report: Report,
    ) -> None:
        self.busy = False
        self.is_ready = False
        self.unreadable_paths: list[str] = []
        self.forbidden_files: list[File] = []
        self.store = store
        self._session_files = session_files
        self._homes = session_files.homes
        self._keeper = keeper
        self._resolver = resolver
        self._fresh = fresh
        self._report = report
        self._files = 0
        self._cache_problem: str | None = None
        self._synced_catalogues: set[str] = set()
        self._lock = store.lock
        self._syncs = 0
        self._mine = threading.local()

    @property
    def problem(self) -> str | None:
        """Why answers may lack something: what the cache does not hold, and what is wrong with the archive."""
        return join_sentences([self._cache_problem, self._keeper.problem])

    # ------------------------------------------------------------------ questions

    def entries(self, criteria: Filter | None = None, limit: int | None = None) -> list[ListEntry]:
        """Summaries, newest first."""
        selection = criteria or Filter()
        self._homes.require_agent(selection.agent)
        return self.ask(lambda current: current.list_sessions(selection, limit))

    def everything(self) -> list[ListEntry]:
        """Summaries of all sessions of every kind, newest first."""
        return self.entries(Filter(everything=True))

    def count(self, criteria: Filter | None = None) -> int:
        """The number of sessions that match."""
        selection = criteria or Filter()
        self._homes.require_agent(selection.agent)
        return self.ask(lambda current: current.count(selection))

    def absence(self, agent: str | None = None) -> type[NotFound | Unreadable]:
        """The error where nothing was found: `Unreadable` where no ordinary session of an agent could be read."""
        roots = [root for source, root in self._homes.roots() if agent in (None, source.name)]
        lacking = self.lacking() if agent is None else self.lacking() & {agent}
        if not lacking and all(self._homes.refused(root) is None for root in roots):
            return NotFound
        return NotFound if self.count(Filter(agent=agent)) else Unreadable

    def hint(self, criteria: Filter, otherwise: str = "") -> str:
        """A hint where nothing was found: what the person probably meant."""
        from pollux.index.search.suggestions import list_hints

        return " ".join(self.ask(lambda current: list_hints(current, criteria))) or otherwise

    def files_of(self, key: str) -> list[str]:
        """Every file a session was read from: the agent's, and those that are kept."""
        return self.ask(lambda current: current.files(key))

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return self.ask(lambda current: current.family(key))

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, newest first."""
        for entry in self.everything():
            if entry.summary.id.startswith(prefix):
                yield entry.summary.agent, entry.summary.id, entry.summary.title

    def resolve(self, digest: str) -> bool:
        """Look for the path of a project's hash. Returns whether more is known of it than before."""
        directories = self.ask(CatalogueQueries.directories)
        return bool(self._resolver.resolve({digest}, lambda: directories))

    def unread(self) -> int:
        """How many sessions may be missing from every list because their files could not be read."""
        return self.ask(CatalogueQueries.unread, synced=not self.is_ready)

    def lacking(self) -> set[str]:
        """The agents with files that could not be read: sessions of theirs may be missing from every list."""
        return self.ask(CatalogueQueries.agents_with_unread_files)

    def ask(self, question: Callable[[CatalogueQueries], T], *, synced: bool = True, frozen: bool = True) -> T:
        """Ask the catalogue. A cache in trouble is opened again, then thrown away; only then is it an error.

        A question is answered from one state of the catalogue. With `frozen=False`, the question itself sees to that.
        """

        def answer() -> T:
            current = self._current if synced else self._queries
            with current.catalogue.frozen() if frozen else nullcontext():
                return question(current)

        self.store.follow()
        for remedy in (self.store.close, self.store.start_anew):
            try:
                return answer()
            except TROUBLE:
                self._forget()
                remedy()
        try:
            return answer()
        except TROUBLE as error:
            raise StoreError(f"The cache cannot be used: {error}.", "Try: pollux cache clear") from error

    @property
    def _current(self) -> CatalogueQueries:
        """The catalogue. It is brought up to date once in a run, while other threads wait."""
        if self.store.catalogue.born not in self._synced_catalogues:
            with self._lock:
                if self.store.catalogue.born not in self._synced_catalogues:
                    self._begin()
                    self._synced_catalogues.add(self.store.catalogue.born)
        # Each thread looks up the roots again when they may have changed.
        state = (self.store.catalogue, self._syncs)
        if getattr(self._mine, "state", None) != state:
            self._mine.state, self._mine.queries = state, self._queries
        queries: CatalogueQueries = self._mine.queries
        return queries

    def _begin(self) -> None:
        if self._fresh:
            self._keep_up()
        else:
            self._cache_problem = self._incompleteness()
            self._keeper.check()
            self.unreadable_paths = self._queries.closed()
            self.is_ready = True

    def _forget(self) -> None:
        """The next question brings the catalogue up to date."""
        self._synced_catalogues.clear()

    def _incompleteness(self) -> str | None:
        """What to say where the cache never held everything. Raises `StoreError` where it is empty."""
        roots = [(source.name, display_path(root.path)) for source, root in self._homes.roots() if folder_at(root.path)]
        if all(self.store.catalogue.root(*root)[1] for root in roots):
            return None
        if not self._queries.newest()[1]:
            raise StoreError("The cache is empty, so nothing can be answered from it.", "Try it without --no-sync.")
        return "The cache does not hold everything yet. Without --no-sync, the rest is read first."

    @property
    def _queries(self) -> CatalogueQueries:
        return self._queries_about(self._session_files.every_root())

    def _queries_about(self, roots: Iterable[tuple[Source, Root]]) -> CatalogueQueries:
        return CatalogueQueries(
            self.store.catalogue, [(source.name, display_path(root.path)) for source, root in roots]
        )

    # ------------------------------------------------------------------ the cache

    def info(self) -> CacheInfo:
        """What the cache holds, as it is: nothing is brought up to date."""
        return self.store.info()

    def clear(self) -> None:
        """Throw the cache away. It is made anew when something is asked."""
        self.store.clear()
        self._forget()

    def close(self) -> None:
        """Let go of every file. The next question opens them again."""
        self._forget()
        self.store.close()

    # ------------------------------------------------------------------ keeping up

    def sync(self) -> Outcome:
        """Bring the cache up to date.

        If another pollux is doing so, this one waits for it, and `report` hears how far it is. If that one makes no
        progress, this run uses a copy. A `report` that raises `Enough` ends the sync early and sets `busy`: then
        answers may be older than the files.
        """
        with self._lock:
            before, own = self._keys(self._session_files.every_root()), self._keys(self._homes.roots())
            outcome = self._keep_up()
            # Without a cache each thread has its own catalogue: the others bring theirs up to date when they ask.
            self._synced_catalogues = {self.store.catalogue.born}
            after = self._keys(self._session_files.every_root())
            outcome.sessions = len(after)
            outcome.removed = len(before - after)
            outcome.kept = len((own & after) - self._keys(self._homes.roots()))
            return outcome

    def _keys(self, roots: Iterable[tuple[Source, Root]]) -> set[str]:
        """The sessions that are known under some roots, as the cache is."""
        return self.ask(lambda _: self._queries_about(roots).newest()[1], synced=False)

    def _keep_up(self) -> Outcome:
        """A sync that counts no sessions."""
        self.busy = False
        try:
            outcome = self._take_in()
            self._resolve(changed=bool(outcome.changed))
        except Enough:
            outcome = Outcome(busy=True)
            self.busy = True
        outcome.files = self._files
        self.is_ready = True
        self._syncs += 1
        return outcome

    def _take_in(self) -> Outcome:
        """Sync what changed. Agents that name projects by unknown hashes come last: others may know the paths."""
        scans = self._scan()
        unresolved = self._unresolved(scans)
        others = [scan for scan in scans if scan.source.name not in unresolved]
        first = self._sync(others) if unresolved and others else Outcome()
        if first.changed:
            self._resolver.resolve(set().union(*unresolved.values()), self._queries.directories)
        outcome = self._sync(scans)
        outcome.changed += first.changed
        outcome.removed += first.removed
        outcome.bytes += first.bytes
        outcome.seconds += first.seconds
        return outcome

    def _unresolved(self, scans: Iterable[RootScan]) -> dict[str, set[str]]:
        """For each agent whose files changed, the hashes in its folders' names whose paths are not known.

        A path that is known before a session is read need not be filled in later.
        """
        hashes: dict[str, set[str]] = {}
        for scan in scans:
            if not scan.is_known(self.store.catalogue):
                hashes.setdefault(scan.source.name, set()).update(hashes_in(file.path for file in scan.files))
        self._resolver.resolve(set().union(*hashes.values()), self._queries.directories)
        return {agent: rest for agent, names in hashes.items() if (rest := self._resolver.unresolved(names))}

    def _sync(self, scans: list[RootScan]) -> Outcome:
        """Sync these roots. They are scanned again if this run had to wait for another pollux."""
        first = iter([scans])
        names = {(scan.source.name, scan.root) for scan in scans}

        def scan_again() -> list[RootScan]:
            return [scan for scan in self._scan() if (scan.source.name, scan.root) in names]

        return self.store.sync(lambda: next(first, None) or scan_again(), SyncInput(self._report))

    def _resolve(self, *, changed: bool) -> None:
        """Find the paths of projects that are known by a hash, and read their sessions again."""
        if changed:
            self._resolver.learn(self._queries.proved())
        if resolved := self._resolver.resolve(self._queries.unsettled(), self._queries.directories):
            self.store.sync(self._scan, SyncInput(self._report, resolved))

    def _scan(self) -> list[RootScan]:
        """Scan all roots, and keep what changed in the archive."""
        with gc_paused():
            scans = [RootScan(source, root) for source, root in self._homes.roots()]
        self._files = sum(len(scan.files) for scan in scans)
        self.unreadable_paths = [display_path(file.path) for scan in scans for file in unreadable_files(scan.files)]
        self.forbidden_files = [file for scan in scans for file in forbidden_files(scan.files)]
        self._keeper.run(scans)
        scans += [RootScan(source, root) for source, root in self._session_files.kept_roots()]
        return scans
