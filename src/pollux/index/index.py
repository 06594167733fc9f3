"""The folder with catalogue and text index: opened, found damaged or outdated, made anew. It is a cache.

Nothing in it is the user's own, so nothing is migrated or repaired: what cannot be trusted is thrown away and read
again from the agents' files. One pollux at a time writes, and others wait for it: what they answer is complete.
Where that one does not get on, a copy of the cache serves for one run; where no folder can be written to, a catalogue
in memory does.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import StoreError
from pollux.index.catalog.catalog import Catalog, Damage, Peeks
from pollux.index.search.trouble import Damaged, NotWritten
from pollux.index.sync.sync import Outcome, RootScan, Sync, SyncInput
from pollux.model import Value
from pollux.system.files import make_private_folder
from pollux.system.locks import owner, try_lock, write_lock
from pollux.system.per_thread import PerThread
from pollux.system.progress import Report
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.index.search.word_index import WordIndex

_LOCK = "lock"
_CATALOGUE = ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm")


class CacheInfo(Value, frozen=True, kw_only=True):
    """What the cache holds, and how much room that takes."""

    folder: str
    catalogue_bytes: int = 0
    index_bytes: int = 0
    sessions: int = 0
    passages: int = 0
    generation: int = 0


# With less room than this, it is the want of room that made writing fail.
_LITTLE = 1 << 20

_TRIES = 5

TROUBLE = (Damaged, NotWritten, *Damage, OSError)
"""What goes wrong with the files of a cache."""


class _Open:
    """What a thread has open."""

    def __init__(self) -> None:
        self.catalogue: Catalog | None = None
        self.text: WordIndex | None = None

    def close(self) -> None:
        if self.catalogue is not None:
            self.catalogue.close()
        self.catalogue = self.text = None


class Index:
    """The cache in one folder. `report` hears of others who write to it, and are awaited.

    One of another `edition` than the present one is thrown away when it is opened. Threads may ask at once, for each
    has a connection of its own. Who changes something, or syncs, has the `lock`.
    """

    def __init__(self, folder: Path, edition: Callable[[], str], report: Report = lambda _: None) -> None:
        self.folder = folder
        self._edition = edition
        self._report = report
        self.lock = threading.RLock()
        self._open = PerThread(_Open, _Open.close)
        self._aside: Path | None = None
        self._removal: weakref.finalize[..., Index] | None = None
        self.problem: str | None = None

    @property
    def _place(self) -> Path:
        """Where catalogue and words are: in the folder, or in a copy of this run's own."""
        return self._aside or self.folder

    @property
    def catalogue(self) -> Catalog:
        """Opened when first asked for, by each thread for itself."""
        mine = self._open.get()
        if mine.catalogue is not None:
            return mine.catalogue
        if (catalogue := self._existing()) is not None:
            return self._use(catalogue)
        with self.lock:
            return self._use(self._opened())

    def _use(self, catalogue: Catalog) -> Catalog:
        """Go on with a catalogue that was just opened, in this thread."""
        self._open.get().catalogue = catalogue
        return catalogue

    @property
    def text(self) -> WordIndex:
        """The index of words. Raises `StoreError` where there is none, and `Damaged` where words are missing."""
        if self.catalogue.path is None:
            hint = "Set XDG_CACHE_HOME to a folder with room, or use --regex."
            raise StoreError("Words cannot be searched without a cache.", hint)
        mine = self._open.get()
        if mine.text is None:
            # Imported by those alone who search or write.
            from pollux.index.search.word_index import WordIndex

            mine.text = WordIndex.open(self._place / "text")
        elif self._behind(mine.text):
            mine.text.refresh()
        if self._behind(mine.text):
            raise Damaged("The index of words is older than the catalogue.")
        return mine.text

    @contextlib.contextmanager
    def words(self) -> Iterator[WordIndex]:
        """The index of words. Inside, the catalogue stands still, and no session is missing in either.

        The words of a session that was read again go one generation after its row. So an index that is two generations
        ahead may lack some, and the catalogue is looked at again.
        """
        for left in reversed(range(_TRIES)):
            with self.catalogue.frozen():
                text = self.text
                if not left or (text.generation() or 0) <= self.catalogue.generation + 1:
                    yield text
                    return

    def _behind(self, text: WordIndex) -> bool:
        return (text.generation() or 0) < self.catalogue.generation

    def _existing(self) -> Catalog | None:
        """The catalogue, where there is one that can be opened at once."""
        try:
            make_private_folder(self.folder)
            return self._fitting()
        except OSError:
            return None

    def _opened(self) -> Catalog:
        try:
            make_private_folder(self.folder)
            with write_lock(self.folder / _LOCK, self._report) as mine:
                if mine is None:
                    return self._step_aside()
                # Another pollux may just have made it.
                return self._fitting() or self._made()
        except (OSError, sqlite3.OperationalError) as error:
            self.problem = _unusable(self.folder, error)
            return Catalog(None, self._edition())

    def _fitting(self) -> Catalog | None:
        """The catalogue, where there is one of this edition."""
        path = self._place / _CATALOGUE[0]
        try:
            catalogue = Catalog(path, self._edition(), make=False) if path.is_file() else None
        except Damage:
            return None
        if catalogue is None or catalogue.edition == self._edition():
            return catalogue
        catalogue.close()
        return None

    def _made(self) -> Catalog:
        """An empty catalogue, for the only one who writes. What was there is thrown away."""
        self._wipe()
        return Catalog(self._place / _CATALOGUE[0], self._edition())

    def _wipe(self) -> None:
        import shutil

        for name in _CATALOGUE:
            (self._place / name).unlink(missing_ok=True)
        shutil.rmtree(self._place / "text", ignore_errors=True)

    def info(self) -> CacheInfo:
        """What is in the folder as it is. Nothing is made where there is nothing yet."""
        if self._open.get().catalogue is None and not (self.folder / _CATALOGUE[0]).is_file():
            return CacheInfo(folder=display_path(self.folder))
        catalogue = self.catalogue  # one of another edition is wiped when it is opened
        return CacheInfo(
            folder=display_path(self.folder),
            catalogue_bytes=sum(_size(self.folder / name) for name in _CATALOGUE),
            index_bytes=sum(_size(file) for file in (self.folder / "text").glob("*")),
            sessions=catalogue.rows("SELECT COUNT(DISTINCT key) FROM sessions")[0][0],
            passages=self.text.size() if catalogue.path is not None else 0,
            generation=catalogue.generation,
        )

    def clear(self) -> None:
        """Throw everything away. Raises `StoreError` where another pollux writes to it."""
        self.close()
        try:
            with self.lock, try_lock(self.folder / _LOCK) as alone:
                if not alone:
                    other = owner(self.folder / _LOCK)
                    raise StoreError(f"{other} is writing to the cache.", "Try again when it is done.")
                self._wipe()
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(_unusable(self.folder, error)) from error

    def close(self) -> None:
        """Let go of all files. A sync of another thread is awaited."""
        with self.lock:
            self._let_go()
            if self._removal is not None:
                self._removal()
                self._aside = self._removal = self.problem = None

    # ------------------------------------------------------------------ keeping up

    def sync(self, scan_all: Callable[[], list[RootScan]], now: SyncInput) -> Outcome:
        """Take in what changed; quick where nothing did. Another pollux that is at it is awaited.

        Where that one does not get on, a copy serves for this run, and where nothing can be written, memory does.
        """
        began = time.perf_counter()
        scans = scan_all()
        known = self._aside is None and all(scan.known(self.catalogue) for scan in scans)
        outcome = Outcome() if known and not now.resolved else self._synced(scans, scan_all, now)
        outcome.seconds = time.perf_counter() - began
        return outcome

    def peeks_of(self, agent: str, root: str) -> Peeks:
        """What is known of the files under a root."""
        number, _ = self.catalogue.root(agent, root)
        return self.catalogue.peeks(number) if number else {}

    def _synced(self, scans: list[RootScan], scan_all: Callable[[], list[RootScan]], now: SyncInput) -> Outcome:
        if self.catalogue.path is None:
            return self._run(None, scans, now)
        try:
            make_private_folder(self.folder)  # somebody may have removed it
        except OSError as error:
            return self._in_memory(_unusable(self.folder, error), scans, now)
        with write_lock(self.folder / _LOCK, self._report, None if self._aside is None else 0) as mine:
            if mine is None:
                if self._aside is None:
                    self._use(self._step_aside())
                outcome = self._renewed(scans, now)
                outcome.busy = True
                return outcome
            if self._aside is not None or not self.catalogue.is_current():
                self.close()
                self._use(self._fitting() or self._made())

            return self._renewed(scan_all() if mine.waited else scans, now._replace(pulse=mine.report))

    def _renewed(self, scans: list[RootScan], now: SyncInput) -> Outcome:
        """Take in what changed, by the only one who writes here."""
        try:
            return self._written(scans, now)
        except TROUBLE:
            full = _is_full(self._place)
            self._let_go()
            self._wipe()
            if full:
                return self._in_memory(f"There is no room left in {self._place}.", scans, now)
        try:
            make_private_folder(self._place)
            self._use(self._made())
            return self._written(scans, now)
        except TROUBLE as error:
            self._let_go()
            return self._in_memory(_unusable(self._place, error), scans, now)

    def _written(self, scans: list[RootScan], now: SyncInput) -> Outcome:
        return self._run(self.text, scans, now)

    def _run(self, text: WordIndex | None, scans: list[RootScan], now: SyncInput) -> Outcome:
        with self.catalogue.change():
            self.catalogue.outdate(now.resolved)
        # Another pollux may just have done it. What lies under one root of an agent may depend on another of its roots.
        changed = {scan.source.name for scan in scans if not scan.known(self.catalogue)}
        return Sync(self.catalogue, text, now).run(scan for scan in scans if scan.source.name in changed)

    def _in_memory(self, problem: str, scans: list[RootScan], now: SyncInput) -> Outcome:
        self.problem = problem
        self._use(Catalog(None, self._edition()))
        return self._run(None, scans, now)

    def _step_aside(self) -> Catalog:
        """A copy for this run alone, where somebody has the cache who does not get on.

        Words are written before rows. So a copy that was made while something changed lacks words, and is found out.
        """
        import shutil
        from tempfile import mkdtemp

        self._let_go()
        there = self._fitting()
        self._aside = Path(mkdtemp(prefix="pollux-"))
        self._removal = weakref.finalize(self, shutil.rmtree, self._aside, ignore_errors=True)
        other = owner(self.folder / _LOCK)
        self.problem = f"{other} holds the cache and makes no progress. The files were read without it."
        if there is not None:
            with contextlib.suppress(*TROUBLE, shutil.Error), contextlib.closing(there):
                shutil.copytree(self.folder / "text", self._place / "text")
                there.copy(self._place / _CATALOGUE[0])
        return self._fitting() or self._made()

    def follow(self) -> None:
        """Where another thread closed all files, or put others in their place, this one opens them again as well."""
        self._open.follow()

    def _let_go(self) -> None:
        self._open.renew()

    def start_anew(self) -> None:
        """After damage was met while asking: throw everything away, unless somebody is writing to it just now."""
        self.close()
        with contextlib.suppress(StoreError):
            self.clear()


def _is_full(folder: Path) -> bool:
    """Is there no room left where a folder lies?"""
    import shutil

    try:
        return shutil.disk_usage(folder).free < _LITTLE
    except OSError:
        return False


def _unusable(folder: Path, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).rstrip(".")
    return f"The cache in {folder} cannot be used: {reason}."


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # it went while we looked
        return 0
