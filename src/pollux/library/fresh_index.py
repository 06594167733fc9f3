"""The index, brought up to date before anything is asked of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

from pollux.errors import EmptyCache, NotFound, StoreError, Unreadable
from pollux.index.catalogue.columns import Columns
from pollux.index.catalogue.follow_marks import follow_marks
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Cursor, Filter, ListEntry, SessionLocation
from pollux.index.index import TROUBLE, CacheInfo, Index
from pollux.index.sync.sync import Outcome, RootScan, SyncInput
from pollux.library.early.goals import MOST_NEWEST, Lookup, Newest
from pollux.library.early.unread import count_unread_files, incomplete_sentence
from pollux.library.keeper import Keeper, join_sentences
from pollux.library.session_files import SessionFiles
from pollux.marks.store import MarkStore
from pollux.projects.resolve import Resolver, hashes_in
from pollux.sources.base import File, Root, Source
from pollux.sources.walk import forbidden_files, unreadable_files
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough, Report
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.index.search.outline import OutlineEntry
    from pollux.index.sync.bulk import Visitor
    from pollux.index.sync.pending import PendingSessions

T = TypeVar("T")
EarlyGoal = Newest | Lookup
MakeVisitor = Callable[[], "Visitor | None"]

_LET_OTHERS_GO = 0.2
"""How long (seconds) a process in no hurry pauses when another one waits."""


def _nobody() -> None:
    """No visitor."""


class FreshIndex:
    """What is known of all sessions. Threads may ask at once; one at a time brings it up to date.

    `busy` says that a sync was ended early: answers may be older than the files. `unread_files` says how many files are
    not in the answers: those that an early answer did not wait for, as a list of the newest sessions is complete
    without them, or those that a sync which was ended early, or a cache that is used as it is, has not read yet; 0 also
    where nobody knows. `is_ready` says that the cache was brought up to date, or is used as it is. `unreadable_paths`
    are the agents' folders and files that the system did not let pollux look into at the last sync. `forbidden_files`
    are the files that pollux sees and may not read.
    """

    def __init__(  # noqa: PLR0913
        self,
        store: Index,
        session_files: SessionFiles,
        keeper: Keeper,
        *,
        resolver: Resolver,
        marks: MarkStore,
        fresh: bool,
        early: bool,
        report: Report,
    ) -> None:
        self.busy = False
        self.unread_files = 0
        self.is_ready = False
        self.unreadable_paths: list[str] = []
        self.forbidden_files: list[File] = []
        self.store = store
        self._session_files = session_files
        self._homes = session_files.homes
        self._keeper = keeper
        self._resolver = resolver
        self._marks = marks
        self._fresh = fresh
        self._early = early
        self._report = report
        self._files = 0
        self._unread_ids: list[str] = []
        self._is_complete = False
        self._scans: list[RootScan] = []
        self._cache_problem: str | None = None
        self._synced_catalogues: dict[str, set[int]] = {}  # by their births: the sessions left without details
        self._lock = store.lock
        self._columns = Columns()
        self._syncs = 0
        self._mine = threading.local()

    @property
    def problem(self) -> str | None:
        """Why answers may lack something: what the cache does not hold, and what is wrong with archive and marks."""
        return join_sentences([self._cache_problem, self._keeper.problem, self._marks.unreadable])

    @property
    def is_complete(self) -> bool:
        """Does the catalogue hold every session that can be read, as far as this run knows?"""
        return self.is_ready and not self.busy and not self.unread_files and self._cache_problem is None

    @property
    def is_early(self) -> bool:
        """Did the answers of this run wait for no more than they need?"""
        return self._fresh and not self.busy and self.unread_files > 0

    # ------------------------------------------------------------------ questions

    def entries(self, criteria: Filter | None = None, limit: int | None = None) -> list[ListEntry]:
        """Summaries, newest first."""
        selection = criteria or Filter()
        self._homes.require_agent(selection.agent)
        may_be_early = self._early and Newest.can_answer(selection, limit)
        goal = Newest(lambda: self.queries, selection, limit or 0) if may_be_early else None
        return self.ask(lambda current: current.list_sessions(selection, limit), goal=goal)

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

    def kept_paths(self, key: str) -> list[str]:
        """The files of a session, and the documents under which the archive keeps it if it is in a database."""
        from pollux.sources.database import document_path  # only needed where the archive is asked

        files = self.files_of(key)
        return [*files, *(document_path(file, key.partition(":")[2]) for file in files)]

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return self.ask(lambda current: current.family(key))

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, newest first."""
        for entry in self.everything():
            if entry.summary.id.startswith(prefix):
                yield entry.summary.agent, entry.summary.id, entry.title

    def resolve(self, digest: str) -> bool:
        """Look for the path of a project's hash. Returns whether more is known of it than before."""
        directories = self.ask(CatalogueQueries.directories)
        return bool(self._resolver.resolve({digest}, lambda: directories))

    def find(self, prefix: str, agent: str | None = None) -> list[SessionLocation]:
        """Where the sessions lie whose id starts like this, the last used first."""
        goal = Lookup(lambda: self.queries, prefix, agent) if self._early else None
        return self.ask(lambda current: current.with_prefix(prefix, agent), goal=goal)

    def wait_for_all(self, *, details: bool = False) -> None:
        """Read every session, unless that was done: from now on no answer is early. With `details`, of any kind."""
        self.ask(lambda _: None, details=details)

    def find_known(self, key: str) -> list[SessionLocation]:
        """Where a session lies that was listed just now."""
        agent, _, id = key.partition(":")
        return [place for place in self.ask_known(lambda c: c.with_prefix(id, agent)) if place.key == key]

    def unread(self) -> int:
        """How many sessions may be missing from every list because their files could not be read."""
        return self.ask_known(CatalogueQueries.unread)

    def lacking(self) -> set[str]:
        """The agents with files that could not be read: sessions of theirs may be missing from every list."""
        return self.ask_known(CatalogueQueries.agents_with_unread_files)

    def pending(self) -> int:
        """How many sessions have words that are not in the index yet."""
        return self.ask_known(lambda current: current.catalogue.count_pending())

    def ask_known(self, question: Callable[[CatalogueQueries], T]) -> T:
        """Ask about what was read already. If anything was read in this run, this does not wait for the rest."""
        return self.ask(question, synced=not self.is_ready)

    def ask(  # noqa: PLR0913
        self,
        question: Callable[[CatalogueQueries], T],
        *,
        synced: bool = True,
        frozen: bool = True,
        goal: EarlyGoal | None = None,
        visitor: MakeVisitor = _nobody,
        details: bool = False,
    ) -> T:
        """Ask the catalogue. A cache in trouble is opened again, then thrown away; only then is it an error.

        A question is answered from one state of the catalogue. With `frozen=False`, the question itself sees to that.
        With a `goal`, the answer does not wait for more than it needs. If much must be read, a `visitor` sees it. With
        `details`, the question is about edits or friction.
        """

        def answer() -> T:
            current = self._current(goal, visitor, details=details) if synced else self.queries
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

    def _current(self, goal: EarlyGoal | None, visitor: MakeVisitor, *, details: bool) -> CatalogueQueries:
        """The catalogue. It is brought up to date once in a run, while others wait, or as far as a goal needs."""
        if not self._is_up_to_date(details=details):
            with self._lock:
                if not self._is_up_to_date(details=details) and self._begin(goal, visitor, details=details):
                    catalogue = self.store.catalogue
                    self._synced_catalogues[catalogue.born] = catalogue.without_details() if details else set()
        # Each thread looks up the roots again when they may have changed: another process may have read a new one.
        state, before = (self.store.catalogue, self._syncs, self.store.catalogue.version), self._state()
        if before != state:
            if before is not None and not self._fresh:
                self._take_as_it_is(details=details)
            self._mine.state, self._mine.queries = state, self.queries
        queries: CatalogueQueries = self._mine.queries
        return queries

    def _is_up_to_date(self, *, details: bool) -> bool:
        """Was the catalogue brought up to date in this run, also with details if they matter?

        Another pollux may have read sessions without details since then.
        """
        left = self._synced_catalogues.get(self.store.catalogue.born)
        return left is not None and (not details or self.store.catalogue.without_details() <= left)

    def state(self) -> object:
        """Another value whenever sessions or words were stored, or dropped, by any process."""

        def question(current: CatalogueQueries) -> object:
            if getattr(self._mine, "noted", None) is not current:
                self._mine.noted, self._mine.value = current, (current.is_complete, *current.contents())
            return self._mine.value

        return self.ask(question)

    def _state(self) -> object:
        """What this thread's queries are about; None before its first question."""
        return getattr(self._mine, "state", None)

    def _begin(self, goal: EarlyGoal | None, visitor: MakeVisitor, *, details: bool) -> bool:
        """Bring the catalogue up to date, or as far as a goal needs. Returns whether it is complete."""
        if not self._fresh:
            self._take_as_it_is(details=details)
            self._syncs += 1
            self._keeper.check()
            return True
        scans = self._scan()
        if goal is not None and self._reach(goal, scans):
            return False
        self._keep_up(SyncInput(self._report, visitor=visitor, details=details), scans)
        return True

    def _take_as_it_is(self, *, details: bool = False) -> None:
        """Find out what the cache lacks. Raises `StoreError` where it is empty."""
        self._session_files.forget()
        self.unread_files, self._cache_problem = self._incompleteness(details=details)
        self._is_complete = self._cache_problem is None
        self.unreadable_paths = self.queries.closed()
        self.is_ready = True

    def _reach(self, goal: EarlyGoal, scans: list[RootScan]) -> bool:
        """Read as much as a goal needs, if there is much to read. Returns whether some is left for later."""
        unknown = [scan for scan in scans if not scan.is_known(self.store.catalogue)]
        incomplete = [scan for scan in unknown if not self.store.catalogue.root(scan.source.name, scan.name)[1]]
        if not any(scan.files for scan in incomplete):
            return False
        from pollux.system.workers import WORTH_FORKING  # imported only if there is something to read

        if sum(file.size for scan in incomplete for file in scan.files) < WORTH_FORKING:
            return False
        self._is_complete = False
        unread = self.store.reach(goal, unknown, SyncInput(self._report))
        self._syncs += 1
        if not goal.reached or not unread.files:  # what another pollux has read meanwhile need not be waited for
            return False
        self.unread_files, self._unread_ids, self.is_ready = unread.files, sorted(unread.ids), True
        return True

    def look_again(self) -> None:
        """Let the next question look for what changed since the last one."""
        self._forget()

    def _forget(self) -> None:
        """The next question brings the catalogue up to date."""
        self._synced_catalogues.clear()

    def _incompleteness(self, *, details: bool) -> tuple[int, str | None]:
        """How many files the cache lacks, and what to say of it. Raises `StoreError` where it is empty."""
        roots = [(source, root) for source, root in self._homes.roots() if folder_at(root.path)]
        catalogue = self.store.catalogue
        unread = catalogue.count_files_without_details() if details else 0
        if all(catalogue.root(source.name, display_path(root.path))[1] for source, root in roots):
            return unread, incomplete_sentence(unread) if unread else None
        unread += count_unread_files(catalogue, roots)
        if not self.queries.newest()[1]:
            self.unread_files = unread
            raise EmptyCache("The cache is empty, so nothing can be answered from it.", "Try it without --no-sync.")
        return unread, incomplete_sentence(unread)

    @property
    def queries(self) -> CatalogueQueries:
        """The catalogue as it is."""
        return self._queries_about(self._session_files.every_root())

    def _queries_about(self, roots: Iterable[tuple[Source, Root]]) -> CatalogueQueries:
        names = [(source.name, display_path(root.path)) for source, root in roots]
        return CatalogueQueries(
            self.store.catalogue,
            names,
            self._marks.state,
            unread_ids=self._unread_ids,
            is_complete=self._is_complete,
            columns=self._columns,
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

    def sync(self, *, settles: bool = False) -> Outcome:
        """Bring the cache up to date, with all words. The next question looks again, unless this one `settles` it.

        If another pollux is doing so, this one waits for it, and `report` hears how far it is. If that one makes no
        progress, this run uses a copy. A `report` that raises `Enough` ends the sync early and sets `busy`: then
        answers may be older than the files.
        """
        with self._lock:
            contents, before = self._contents(), self._keys(self._session_files.every_root())
            own = self._keys(self._homes.roots()) if self._session_files.kept_roots() else before
            outcome = self._keep_up(SyncInput(self._report, words=True))
            self.add_words()
            # Without a cache each thread has its own catalogue: all bring theirs up to date when they ask.
            self._forget()
            if settles and self.store.catalogue.path is not None and not self.busy:
                self._synced_catalogues[self.store.catalogue.born] = set()
            if self._contents() == contents:
                outcome.sessions, outcome.removed, outcome.kept = len(before), 0, 0
                return outcome
            after = self._keys(self._session_files.every_root())
            outcome.sessions = len(after)
            outcome.removed = len(before - after)
            outcome.kept = len((own & after) - self._keys(self._homes.roots()))
            return outcome

    def catch_up(self) -> None:
        """Bring the catalogue up to date for a view that shows it meanwhile: the newest sessions first, then all."""
        with self._lock:
            scans, criteria = self._scan(), Filter()
            self._reach(Newest(lambda: self.queries, criteria, MOST_NEWEST), scans)
            self._keep_up(SyncInput(self._report), scans)

    def _contents(self) -> tuple[object, ...]:
        return self.ask(lambda _: self.queries.contents(), synced=False)

    def _keys(self, roots: Iterable[tuple[Source, Root]]) -> set[str]:
        """The sessions that are known under some roots, as the cache is."""
        return self.ask(lambda _: self._queries_about(roots).newest()[1], synced=False)

    def add_words(self, patience: float | None = None) -> bool:
        """Add the words that are pending. Returns False where another pollux is adding them, and makes no progress.

        `patience` is the time (seconds) to wait for progress.
        """
        try:
            with self._lock:
                return self.store.add_words(self._scan, self._report, patience)
        except Enough:
            self.busy = True
            return False

    def outline(self, key: str, most: int | None = None) -> list[OutlineEntry] | None:
        """The prompts of a session, or the first of them.

        None where its words are not in the index yet, or there is no such session.
        """

        def question(current: CatalogueQueries) -> list[OutlineEntry] | None:
            with self.store.words() as words:
                place = current.indexed(key)
                index = current.message_index(key) if place else None
                return words.outline(place, index.ids, most) if place and index else None

        return self.ask(question, frozen=False)

    def pending_sessions(self, current: CatalogueQueries) -> PendingSessions | None:
        """The sessions whose words are not in the index yet; None where there are none.

        Another pollux may know newer files than this one, which then scans them again.
        """
        if not current.catalogue.count_pending():
            return None
        from pollux.index.sync.pending import pending_sessions  # only needed where words are pending

        sessions = pending_sessions(current, self._scans)
        if not sessions.changed:
            return sessions
        with self._lock:
            return pending_sessions(current, self._scan())

    def has_work_left(self) -> bool:
        """Did the answers of this run leave something to read, or words to add, that can be stored?"""
        if not (self._fresh and self.is_ready) or self.store.problem is not None:
            return False
        return self.unread_files > 0 or self.pending() > 0

    def has_begun(self) -> bool:
        """Does the cache hold anything? If there is none, none is made."""
        return self.store.open_existing() and self.store.catalogue.generation > 0

    def complete(self) -> None:
        """Read everything, and add all words, while other processes go first. Raises `Gone` if the cache is cleared."""
        while self._keep_up(SyncInput(self._report, yields=True)).busy:
            time.sleep(_LET_OTHERS_GO)
        self.add_words(patience=0)

    def _keep_up(self, mode: SyncInput, scans: list[RootScan] | None = None) -> Outcome:
        """A sync that counts no sessions. The roots need not be scanned again if `scans` has them."""
        self.busy = False
        self.unread_files, self._unread_ids = 0, []
        try:
            before = self.queries.position()
            outcome = self._take_in(mode, self._scan() if scans is None else scans)
            self._resolve(mode, before if outcome.changed else None)
            if outcome.changed or outcome.removed or self._marks.state().moved:
                follow_marks(self._marks, self.queries, before)
        except Enough:
            outcome = Outcome(busy=True)
            self.busy = True
            self.unread_files = count_unread_files(self.store.catalogue, self._homes.roots())
        outcome.files = self._files
        self._is_complete, self.is_ready = not self.busy, True
        self._syncs += 1
        return outcome

    def _take_in(self, mode: SyncInput, scans: list[RootScan]) -> Outcome:
        """Sync what changed. Agents that name projects by unknown hashes come last: others may know the paths."""
        unresolved = self._unresolved(scans)
        others = [scan for scan in scans if scan.source.name not in unresolved]
        first = self._sync(others, mode) if unresolved and others else Outcome()
        if first.changed:
            self._resolver.resolve(set().union(*unresolved.values()), self.queries.directories)
        outcome = self._sync(scans, mode)
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
        self._resolver.resolve(set().union(*hashes.values()), self.queries.directories)
        return {agent: rest for agent, names in hashes.items() if (rest := self._resolver.unresolved(names))}

    def _sync(self, scans: list[RootScan], mode: SyncInput) -> Outcome:
        """Sync these roots. They are scanned again if this run had to wait for another pollux."""
        first = iter([scans])
        names = {(scan.source.name, scan.root) for scan in scans}

        def scan_again() -> list[RootScan]:
            return [scan for scan in self._scan() if (scan.source.name, scan.root) in names]

        return self.store.sync(lambda: next(first, None) or scan_again(), mode)

    def _resolve(self, mode: SyncInput, before: Cursor | None) -> None:
        """Find the paths of projects that are known by a hash, and read their sessions again.

        `before` is the position before sessions were read; None where none was.
        """
        if before is not None:
            self._resolver.learn(self.queries.proved(before))
        if resolved := self._resolver.resolve(self.queries.unsettled(), self.queries.directories):
            self.store.sync(self._scan, mode._replace(resolved=resolved))

    def _scan(self) -> list[RootScan]:
        """Scan all roots, and keep what changed in the archive."""
        with gc_paused():
            scans = [RootScan(source, root, self._keeper.peeks_of) for source, root in self._homes.roots()]
        self._files = sum(len(scan.files) for scan in scans)
        self.unreadable_paths = [display_path(file.path) for scan in scans for file in unreadable_files(scan.files)]
        self.forbidden_files = [file for scan in scans for file in forbidden_files(scan.files)]
        self._keeper.run(scans)
        scans += [RootScan(source, root) for source, root in self._session_files.kept_roots()]
        self._scans = scans
        return scans
