"""The cache, brought up to date before anything is asked of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from pollux.errors import StoreError
from pollux.index.catalog.queries import CatalogQueries
from pollux.index.index import TROUBLE, CacheInfo
from pollux.index.sync.sync import Outcome, RootScan, SyncInput
from pollux.library.homes import Homes
from pollux.sources.base import File, Root, Source
from pollux.sources.walk import barred, closed
from pollux.system.gc_pause import gc_paused
from pollux.system.progress import Enough, Report
from pollux.wire import display_path, folder_at

T = TypeVar("T")


class Refresh(Homes):
    """The shelves with a catalogue of what stands on them.

    `problem` says why nothing could be kept, `busy` that a sync was ended early: answers may be behind the files.
    `looked` says that the cache was brought up to date, or taken as it is.
    `closed` are the agents' folders and files that the system does not let pollux look into, as the last sync saw them,
    whether or not that was now; `barred` the files that it sees and may not read.
    """

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        *,
        hunt: bool = True,
        fresh: bool = True,
        report: Report = lambda _: None,
    ) -> None:
        super().__init__(environ, cwd, hunt=hunt, report=report)
        self.problem: str | None = None
        self.busy = False
        self.looked = False
        self.closed: list[str] = []
        self.barred: list[File] = []
        self._fresh = fresh
        self._files = 0

    def sync(self) -> Outcome:
        """Bring the cache up to date. Another pollux that is at it is awaited, and `report` hears how far that one is.

        Where it does not get on, a copy serves for this run. A `report` that raises `Enough` ends it early, and `busy`
        is set: then answers may be behind the files.
        """
        before, own = self._keys(), self._keys(self.roots())
        outcome = self._keep_up()
        known = self._keys()
        outcome.sessions = len(known)
        outcome.removed = len(before - known)
        outcome.kept = len((own & known) - self._keys(self.roots()))
        return outcome

    def _keys(self, roots: list[tuple[Source, Root]] | None = None) -> set[str]:
        """The sessions that are known, or those under some roots, as the cache is."""
        chosen = self.every_root() if roots is None else roots
        return self._ask(lambda _: self._questions_about(chosen).newest()[1], synced=False)

    def _keep_up(self) -> Outcome:
        """A sync that does not count."""
        self.busy = False
        try:
            self._prove(lambda: [self.cwd, *self.cwd.parents])
            now = SyncInput(self._around(), self._report, self._learnt)
            outcome = self.store.sync(self._look, now)
            if outcome.changed and self._learnt(set()):
                self.store.sync(self._look, now)
        except Enough:
            outcome = Outcome(busy=True)
            self.busy = True
        outcome.files = self._files
        self.looked = True
        self.memory.save()
        return outcome

    def _look(self) -> list[RootScan]:
        """Everything as it is now, and what is known beside it."""
        self.memory.refresh()
        with gc_paused():
            looks = [RootScan(source, root) for source, root in self.roots()]
        self._files = sum(len(look.files) for look in looks)
        self.closed = [display_path(file.path) for look in looks for file in closed(look.files)]
        self.barred = [file for look in looks for file in barred(look.files)]
        self._keep(looks)
        return looks + [RootScan(source, root) for source, root in self._kept_roots()]

    def _keep(self, looks: list[RootScan]) -> None:
        """Keep what is there where the user wants that, and lay out what is there no more."""
        if not self._has_archive():
            return
        problems = [self._trouble(step, looks) for step in (self._keep_new, self._lay_out)]
        self.problem = _joined([*problems, self._loss()])

    def _loss(self) -> str | None:
        """What is said where part of what was kept is missing."""
        return self._trouble(lambda _: self.archive.loss, []) if self._has_archive() else None

    def _has_archive(self) -> bool:
        """Was anything kept? Where the system does not tell, the archive says why."""
        for place in (self.places.archive, self.places.archive_extents, self.places.archive_switch):
            try:
                place.stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return True
            return True
        return False

    @staticmethod
    def _trouble(step: Callable[[list[RootScan]], str | None], looks: list[RootScan]) -> str | None:
        """What goes wrong with the archive keeps nobody from having an answer, or from what is kept already."""
        try:
            return step(looks)
        except StoreError as error:
            return str(error)

    def _keep_new(self, looks: list[RootScan]) -> None:
        if self.archive.keeping:
            self.archive.keep(looks)

    def _lay_out(self, looks: list[RootScan]) -> str | None:
        if not self.archive.exists:
            return None
        self.trees.refresh(self.archive, looks, self._report)
        return self.trees.problem

    def _prove(self, folders: Callable[[], Iterable[Path]], hashes: Collection[str] = ()) -> bool:
        """Where pollux is started, or other agents worked, may be the folder whose hash is all that was known."""
        unsettled = {digest for digest in hashes if self.memory.path_of(digest) is None} | self._questions.unsettled()
        proved = (
            {digest: str(f) for f in folders() if (digest := project_hash(str(f))) in unsettled} if unsettled else {}
        )
        for digest, path in proved.items():
            self.memory.learn(digest, path)
        return bool(proved)

    def _learnt(self, hashes: set[str]) -> bool:
        """Do the directories of known sessions tell what some hashes stand for, or those of sessions without one?"""
        return self._prove(lambda: map(Path, self._questions.directories()), hashes)

    def unread(self) -> int:
        """How many sessions there may be whose files could not be read: no list has them."""
        return self._ask(CatalogQueries.unread, synced=not self.looked)

    def lacking(self) -> set[str]:
        """The agents of which something could not be read: there may be more sessions than any list has."""
        return self._ask(CatalogQueries.lacking)

    def cache(self) -> CacheInfo:
        """What the cache holds, as it is: nothing is brought up to date."""
        return self.store.held()

    def close(self) -> None:
        """Let go of every file. The next question opens them again."""
        self.__dict__.pop("_current", None)
        self.store.close()
        if "archive" in self.__dict__:
            self.archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def clear_cache(self) -> None:
        """Throw the cache away. It is made anew when something is asked."""
        self.store.clear()
        self.__dict__.pop("_current", None)

    @cached_property
    def _current(self) -> CatalogQueries:
        """The catalogue, once a run brought up to date."""
        if self._fresh:
            self._keep_up()
        else:
            self.problem = _joined([self._doubt(), self._loss()])
            self.closed = self._questions.closed()
            self.looked = True
        return self._questions

    def _doubt(self) -> str | None:
        """A cache that is taken as it is may never have held everything. Raises `StoreError` where it holds nothing."""
        roots = [(source.name, display_path(root.path)) for source, root in self.roots() if folder_at(root.path)]
        if all(self.store.catalogue.root(*root)[1] for root in roots):
            return None
        if not self._questions.newest()[1]:
            raise StoreError("The cache is empty, so nothing can be answered from it.", "Try it without --no-sync.")
        return "The cache does not hold everything yet. Without --no-sync, the rest is read first."

    def _ask(self, question: Callable[[CatalogQueries], T], *, synced: bool = True) -> T:
        """Ask the catalogue. A cache in trouble is opened again, then thrown away; only then the user hears of it."""
        for remedy in (self.store.close, self.store.start_anew):
            try:
                return question(self._current if synced else self._questions)
            except TROUBLE:
                self.__dict__.pop("_current", None)
                remedy()
        try:
            return question(self._current if synced else self._questions)
        except TROUBLE as error:
            raise StoreError(f"The cache cannot be used: {error}.", "Try: pollux cache clear") from error

    @property
    def _questions(self) -> CatalogQueries:
        return self._questions_about(self.every_root())

    def _questions_about(self, roots: list[tuple[Source, Root]]) -> CatalogQueries:
        return CatalogQueries(self.store.catalogue, [(source.name, display_path(root.path)) for source, root in roots])


def _joined(problems: Iterable[str | None]) -> str | None:
    """Sentences in a row, each once."""
    return " ".join(dict.fromkeys(filter(None, problems))) or None


def project_hash(path: str) -> str:
    """What some agents call a project by its path."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
