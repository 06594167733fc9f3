"""The index, brought up to date before anything is asked of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import TypeVar

from pollux.errors import NotFound, StoreError, Unreadable
from pollux.index.catalog.queries import CatalogQueries, Filter, ListEntry
from pollux.index.index import TROUBLE, CacheInfo, Index
from pollux.index.sync.sync import Outcome, RootScan, SyncInput
from pollux.library.homes import Homes
from pollux.library.keeper import Keeper, joined
from pollux.projects.resolve import Resolver, hashes_in
from pollux.sources.base import File, Root, Source
from pollux.sources.walk import forbidden_files, unreadable_files
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough, Report
from pollux.wire import display_path, folder_at

T = TypeVar("T")


class FreshIndex:
    """What is known of all sessions. Threads may ask at once; one at a time brings it up to date.

    `busy` says that a sync was ended early: answers may be behind the files. `looked` says that the cache was brought
    up to date, or taken as it is. `unreadable_files` are the agents' folders and files that the system does not let
    pollux look into, as the last sync saw them, whether or not that was now; `forbidden_files` the files that it sees
    and may not read.
    """

    def __init__(  # noqa: PLR0913
        self,
        store: Index,
        homes: Homes,
        keeper: Keeper,
        *,
        resolver: Resolver,
        fresh: bool,
        report: Report,
    ) -> None:
        self.busy = False
        self.looked = False
        self.closed: list[str] = []
        self.barred: list[File] = []
        self.store = store
        self._homes = homes
        self._keeper = keeper
        self._resolver = resolver
        self._fresh = fresh
        self._report = report
        self._files = 0
        self._doubt: str | None = None
        self._fresh_ones: set[str] = set()
        self._lock = store.lock
        self._syncs = 0
        self._mine = threading.local()

    @property
    def problem(self) -> str | None:
        """Why answers may lack something: what the cache does not hold, and what is wrong with the archive."""
        return joined([self._doubt, self._keeper.problem])

    # ------------------------------------------------------------------ questions

    def entries(self, wanted: Filter | None = None, limit: int | None = None) -> list[ListEntry]:
        """Summaries, newest first."""
        asked = wanted or Filter()
        self._homes.require_agent(asked.agent)
        return self.ask(lambda current: current.list_sessions(asked, limit))

    def everything(self) -> list[ListEntry]:
        """Summaries of all sessions of every kind, newest first."""
        return self.entries(Filter(everything=True))

    def count(self, wanted: Filter | None = None) -> int:
        """How many sessions a list of them all would have."""
        asked = wanted or Filter()
        self._homes.require_agent(asked.agent)
        return self.ask(lambda current: current.count(asked))

    def absence(self, agent: str | None = None) -> type[NotFound | Unreadable]:
        """The error where nothing was found: `Unreadable` where an agent has no session that could be read."""
        roots = [root for source, root in self._homes.roots() if agent in (None, source.name)]
        lacking = self.lacking() if agent is None else self.lacking() & {agent}
        if not lacking and all(self._homes.refused(root) is None for root in roots):
            return NotFound
        return NotFound if self.count(Filter(agent=agent, everything=True)) else Unreadable

    def hint(self, wanted: Filter, otherwise: str = "") -> str:
        """A hint where nothing was found: what was probably meant by what no session has."""
        from pollux.index.search.suggestions import list_hints

        return " ".join(self.ask(lambda current: list_hints(current, wanted))) or otherwise

    def files_of(self, key: str) -> list[str]:
        """Every file a session was read from: the agent's, and those that are kept."""
        return self.ask(lambda current: current.files(key))

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return self.ask(lambda current: current.family(key))

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, those that were left last first."""
        for one in self.everything():
            if one.summary.id.startswith(prefix):
                yield one.summary.agent, one.summary.id, one.summary.title

    def resolve(self, digest: str) -> bool:
        """Is more known than before of a project that goes by this hash?"""
        directories = self.ask(CatalogQueries.directories)
        return bool(self._resolver.resolve({digest}, lambda: directories))

    def unread(self) -> int:
        """How many sessions there may be whose files could not be read: no list has them."""
        return self.ask(CatalogQueries.unread, synced=not self.looked)

    def lacking(self) -> set[str]:
        """The agents of which something could not be read: there may be more sessions than any list has."""
        return self.ask(CatalogQueries.lacking)

    def ask(self, question: Callable[[CatalogQueries], T], *, synced: bool = True, frozen: bool = True) -> T:
        """Ask the catalogue. A cache in trouble is opened again, then thrown away; only then the user hears of it.

        A question is answered from one state of the catalogue, unless it takes care of that itself: `frozen` is false.
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
    def _current(self) -> CatalogQueries:
        """The catalogue, once a run brought up to date. Threads that ask meanwhile wait for it."""
        if self.store.catalogue.born not in self._fresh_ones:
            with self._lock:
                if self.store.catalogue.born not in self._fresh_ones:
                    self._begin()
                    self._fresh_ones.add(self.store.catalogue.born)
        # Which roots there are is looked up when that may have changed, by each thread for itself.
        state = (self.store.catalogue, self._syncs)
        if getattr(self._mine, "state", None) != state:
            self._mine.state, self._mine.queries = state, self._queries
        queries: CatalogQueries = self._mine.queries
        return queries

    def _begin(self) -> None:
        if self._fresh:
            self._keep_up()
        else:
            self._doubt = self._doubted()
            self._keeper.check()
            self.closed = self._queries.closed()
            self.looked = True

    def _forget(self) -> None:
        """The next question brings the catalogue up to date."""
        self._fresh_ones.clear()

    def _doubted(self) -> str | None:
        """A cache that is taken as it is may never have held everything. Raises `StoreError` where it holds nothing."""
        roots = [(source.name, display_path(root.path)) for source, root in self._homes.roots() if folder_at(root.path)]
        if all(self.store.catalogue.root(*root)[1] for root in roots):
            return None
        if not self._queries.newest()[1]:
            raise StoreError("The cache is empty, so nothing can be answered from it.", "Try it without --no-sync.")
        return "The cache does not hold everything yet. Without --no-sync, the rest is read first."

    @property
    def _queries(self) -> CatalogQueries:
        return self._queries_about(self._homes.every_root())

    def _queries_about(self, roots: Iterable[tuple[Source, Root]]) -> CatalogQueries:
        return CatalogQueries(self.store.catalogue, [(source.name, display_path(root.path)) for source, root in roots])

    # ------------------------------------------------------------------ the cache

    def info(self) -> CacheInfo:
        """What the cache holds, as it is: nothing is brought up to date."""
        return self.store.held()

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
        """Bring the cache up to date. Another pollux that is at it is awaited, and `report` hears how far that one is.

        Where it does not get on, a copy serves for this run. A `report` that raises `Enough` ends it early, and `busy`
        is set: then answers may be behind the files.
        """
        with self._lock:
            before, own = self._keys(self._homes.every_root()), self._keys(self._homes.roots())
            outcome = self._keep_up()
            known = self._keys(self._homes.every_root())
            outcome.sessions = len(known)
            outcome.removed = len(before - known)
            outcome.kept = len((own & known) - self._keys(self._homes.roots()))
            return outcome

    def _keys(self, roots: Iterable[tuple[Source, Root]]) -> set[str]:
        """The sessions that are known under some roots, as the cache is."""
        return self.ask(lambda _: self._queries_about(roots).newest()[1], synced=False)

    def _keep_up(self) -> Outcome:
        """A sync that does not count."""
        self.busy = False
        try:
            outcome = self.store.sync(self._scan, SyncInput(self._report))
            self._resolve(changed=bool(outcome.changed))
        except Enough:
            outcome = Outcome(busy=True)
            self.busy = True
        outcome.files = self._files
        self.looked = True
        self._syncs += 1
        return outcome

    def _resolve(self, *, changed: bool) -> None:
        """Sessions of projects that are known by a hash are read again when their paths are known."""
        if changed:
            self._resolver.learn(self._queries.proved())
        if resolved := self._resolver.resolve(self._queries.unsettled(), self._queries.directories):
            self.store.sync(self._scan, SyncInput(self._report, resolved))

    def _scan(self) -> list[RootScan]:
        """Everything as it is now."""
        with gc_paused():
            scans = [RootScan(source, root) for source, root in self._homes.roots()]
        self._files = sum(len(scan.files) for scan in scans)
        self.closed = [display_path(file.path) for scan in scans for file in unreadable_files(scan.files)]
        self.barred = [file for scan in scans for file in forbidden_files(scan.files)]
        self._keeper.run(scans)
        scans += [RootScan(source, root) for source, root in self._homes.kept_roots()]
        # What is known before anything is read need not be read again for it.
        changed = [scan for scan in scans if not scan.known(self.store.catalogue)]
        names = hashes_in(file.path for scan in changed for file in scan.files)
        self._resolver.resolve(names, self._queries.directories)
        return scans
