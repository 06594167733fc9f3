"""The folder with the catalogue and the index of words. It is a cache.

Nothing in it is the user's own, so nothing is migrated or repaired. A damaged or outdated cache is thrown away, and
everything is read again from the agents' files. One pollux at a time writes to the catalogue, and others wait for it,
so that their answers are complete. If that one makes no progress, a run uses a copy of the cache. If no folder can be
written, it uses a catalogue in memory.

The index of words has a lock of its own. While one pollux writes words, others may write to the catalogue: the words of
what they read stay pending. Who needs both locks takes that of the words first, or does without it.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import StoreError
from pollux.index.catalogue.catalogue import Catalogue, Damage, Peeks
from pollux.index.search.errors import Damaged, Gone, NotWritten
from pollux.index.sync.sync import Goal, Outcome, RootScan, Sync, SyncInput, Unread, heal
from pollux.index.sync.tasks import Task
from pollux.model import Value
from pollux.system.files import make_private_folder
from pollux.system.locks import WriteLock, owner, try_lock, write_lock
from pollux.system.per_thread import PerThread
from pollux.system.progress import Enough, Progress, Report
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.index.search.word_index import WordIndex

_LOCK = "lock"
_WORDS_LOCK = "words.lock"
_CATALOGUE = ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm")


class CacheInfo(Value, frozen=True, kw_only=True):
    """What the cache holds, and how much room that takes."""

    folder: str
    catalogue_bytes: int = 0
    index_bytes: int = 0
    sessions: int = 0
    passages: int = 0
    generation: int = 0
    pending: int = 0


# With less free room than this, writing failed because the disk is full.
_LITTLE_ROOM = 1 << 20

_TRIES = 5

_CLEAR_SECONDS = 2.0
"""How long to wait for a process that lets others go first."""

TROUBLE = (Damaged, NotWritten, *Damage, OSError)
"""Exceptions that mean trouble with the files of a cache."""


class _OpenFiles:
    """The catalogue and the index of words that a thread has open."""

    def __init__(self) -> None:
        self.catalogue: Catalogue | None = None
        self.text: WordIndex | None = None

    def close(self) -> None:
        if self.catalogue is not None:
            self.catalogue.close()
        self.catalogue = self.text = None


class Index:
    """The cache in one folder. `report` hears of other processes that write to it while this one waits.

    A cache of another `edition` is thrown away when it is opened. Several threads may ask at once: each has its own
    connection. A thread that changes something, or syncs, holds the `lock`.
    """

    def __init__(self, folder: Path, edition: Callable[[], str], report: Report = lambda _: None) -> None:
        self.folder = folder
        self._edition = edition
        self._report = report
        self.lock = threading.RLock()
        self._open = PerThread(_OpenFiles, _OpenFiles.close)
        self._copy: Path | None = None
        self._copy_removal: weakref.finalize[..., Index] | None = None
        self.problem: str | None = None

    @property
    def _place(self) -> Path:
        """The folder that is in use: the cache, or this run's own copy of it."""
        return self._copy or self.folder

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue. Each thread opens it when it first asks."""
        open_files = self._open.get()
        if open_files.catalogue is not None:
            return open_files.catalogue
        if (catalogue := self._existing_catalogue()) is not None:
            return self._use(catalogue)
        with self.lock:
            return self._use(self._open_catalogue())

    def _use(self, catalogue: Catalogue) -> Catalogue:
        """Use a catalogue that was just opened in this thread."""
        self._open.get().catalogue = catalogue
        return catalogue

    @property
    def text(self) -> WordIndex:
        """The index of words; without a folder, it stays empty. Raises `Damaged` if words are missing."""
        in_memory = self.catalogue.path is None
        open_files = self._open.get()
        if open_files.text is None:
            # Imported only for a search or a sync.
            from pollux.index.search.word_index import WordIndex

            open_files.text = WordIndex.empty() if in_memory else WordIndex.open(self._place / "text")
        elif self._is_behind(open_files.text):
            open_files.text.refresh()
        if self._is_behind(open_files.text):
            raise Damaged("The index of words is older than the catalogue.")
        return open_files.text

    @contextlib.contextmanager
    def words(self) -> Iterator[WordIndex]:
        """The index of words. Inside, the catalogue does not change, and both hold the same sessions.

        The words of a session that was read again are dropped one generation after its row. So an index that is two
        generations ahead may lack some. Then the catalogue is frozen again.
        """
        for left in reversed(range(_TRIES)):
            with self.catalogue.frozen():
                text = self.text
                if not left or (text.generation() or 0) <= self.catalogue.generation + 1:
                    yield text
                    return

    def _is_behind(self, text: WordIndex) -> bool:
        return (text.generation() or 0) < self.catalogue.words_generation

    def _existing_catalogue(self) -> Catalogue | None:
        """The catalogue, if one can be opened at once."""
        try:
            make_private_folder(self.folder)
            return self._valid_catalogue()
        except OSError:
            return None

    def _open_catalogue(self) -> Catalogue:
        try:
            make_private_folder(self.folder)
            with write_lock(self.folder / _LOCK, self._report) as lock:
                if lock is None:
                    return self._make_copy()
                # Another pollux may just have made it.
                return self._valid_catalogue() or self._new_catalogue()
        except (OSError, sqlite3.OperationalError) as error:
            self.problem = _unusable(self.folder, error)
            return Catalogue(None, self._edition())

    def _valid_catalogue(self) -> Catalogue | None:
        """The catalogue, if there is one of this edition."""
        path, edition = self._place / _CATALOGUE[0], self._edition()
        try:
            catalogue = Catalogue(path, edition, make=False) if path.is_file() else None
        except Damage:
            return None
        if catalogue is None or catalogue.edition == edition:
            return catalogue
        catalogue.close()
        return None

    def _new_catalogue(self) -> Catalogue:
        """An empty catalogue, for the only process that writes. What was there is thrown away."""
        self._wipe()
        return Catalogue(self._place / _CATALOGUE[0], self._edition())

    def _wipe(self) -> None:
        import shutil

        for name in _CATALOGUE:
            (self._place / name).unlink(missing_ok=True)
        for folder in (self._place / "text", *self._place.glob("pieces-*")):
            shutil.rmtree(folder, ignore_errors=True)

    def open_existing(self) -> bool:
        """Open the catalogue, if there is one. If not, none is made."""
        catalogue = self._valid_catalogue()
        if catalogue is not None:
            self._use(catalogue)
        return catalogue is not None

    def require_current(self) -> None:
        """Raises `Gone` where the catalogue that is in use was thrown away."""
        if not self.catalogue.is_current():
            raise Gone("The cache was cleared.")

    def info(self) -> CacheInfo:
        """What the folder holds. If there is no cache yet, none is made."""
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
            pending=catalogue.count_pending(),
        )

    def clear(self) -> None:
        """Throw everything away. Raises `StoreError` while another pollux writes to the cache.

        A process in the background lets this one go first, and ends.
        """
        self.close()
        try:
            with self.lock, write_lock(self.folder / _LOCK, _patient(_CLEAR_SECONDS)) as lock:
                if lock is None:
                    raise self._busy()
                self._wipe()
        except Enough:
            raise self._busy() from None
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreError(_unusable(self.folder, error)) from error

    def _busy(self) -> StoreError:
        return StoreError(f"{owner(self.folder / _LOCK)} is writing to the cache.", "Try again when it is done.")

    def close(self) -> None:
        """Close all files, after a sync of another thread has ended."""
        with self.lock:
            self._release()
            if self._copy_removal is not None:
                self._copy_removal()
                self._copy = self._copy_removal = self.problem = None

    # ------------------------------------------------------------------ keeping up

    def sync(self, scan_all: Callable[[], list[RootScan]], now: SyncInput) -> Outcome:
        """Sync what changed; quick if nothing did. If another pollux is syncing, this one waits for it.

        If that one makes no progress, this run uses a copy. If nothing can be written, it uses memory.
        """
        began = time.perf_counter()
        scans = scan_all()
        is_known = self._copy is None and all(scan.is_known(self.catalogue) for scan in scans)
        if not is_known or now.resolved or (now.details and self.catalogue.without_details()):
            outcome = self._sync_changes(scans, scan_all, now)
        else:
            outcome = Outcome()
        outcome.seconds = time.perf_counter() - began
        return outcome

    def peeks_of(self, agent: str, root: str) -> Peeks:
        """What is known of the beginnings of the files under a root."""
        number, _ = self.catalogue.root(agent, root)
        return self.catalogue.peeks(number) if number else {}

    def _sync_changes(self, scans: list[RootScan], scan_all: Callable[[], list[RootScan]], now: SyncInput) -> Outcome:
        if self.catalogue.path is None and not self._return_to_folder():
            return self._run(None, scans, now)
        try:
            if now.yields:
                self.require_current()
            make_private_folder(self.folder)  # somebody may have removed it
        except OSError as error:
            return self._in_memory(_unusable(self.folder, error), scans, now)
        with write_lock(self.folder / _LOCK, self._report, None if self._copy is None else 0) as lock:
            if lock is None:
                if self._copy is None:
                    self._use(self._make_copy())
                outcome = self._sync_or_rebuild(scans, now)
                outcome.busy = True
                return outcome
            if now.yields:
                self.require_current()
            if self._copy is not None or not self.catalogue.is_current():
                self.close()
                self._use(self._valid_catalogue() or self._new_catalogue())

            return self._sync_or_rebuild(scan_all() if lock.waited else scans, self._with_pulse(lock, now))

    def _sync_or_rebuild(self, scans: list[RootScan], now: SyncInput) -> Outcome:
        """Sync as the only process that writes here. After trouble, make the cache anew; then use memory."""
        try:
            return self._sync_here(scans, now)
        except TROUBLE:
            if now.yields:
                self.require_current()
            full = _is_full(self._place)
            self._release()
            self._wipe()
            if full:
                return self._in_memory(f"There is no room left in {self._place}.", scans, now)
        try:
            make_private_folder(self._place)
            self._use(self._new_catalogue())
            return self._sync_here(scans, now)
        except TROUBLE as error:
            self._release()
            return self._in_memory(_unusable(self._place, error), scans, now)

    def _sync_here(self, scans: list[RootScan], now: SyncInput) -> Outcome:
        with try_lock(self._place / _WORDS_LOCK) as alone:
            return self._run(self.text if alone else None, scans, now)

    def _run(self, text: WordIndex | None, scans: list[RootScan], now: SyncInput) -> Outcome:
        with self.catalogue.change():
            self.catalogue.outdate(now.resolved)
            if now.details:
                self.catalogue.outdate_those_without_details()
        # Another pollux may just have synced. Sessions under one root of an agent may depend on its other roots.
        changed = {scan.source.name for scan in scans if not scan.is_known(self.catalogue)}
        return Sync(self.catalogue, text, now).run(scan for scan in scans if scan.source.name in changed)

    def reach(self, goal: Goal, scans: list[RootScan], now: SyncInput) -> Unread:
        """Read what an early answer needs. Returns what was left unread.

        Without a folder to write to, it is read into memory. After trouble with the cache, the goal is not reached: a
        sync knows the ways out.
        """
        if self.catalogue.path is None:
            return Sync(self.catalogue, None, now).reach(goal, scans)
        if self._copy is not None:
            return Unread()
        try:
            with write_lock(self.folder / _LOCK, self._report) as lock:
                if lock is None or not self.catalogue.is_current():
                    return Unread()
                return Sync(self.catalogue, None, self._with_pulse(lock, now)).reach(goal, scans)
        except TROUBLE:
            goal.reached = False
            return Unread()

    # ------------------------------------------------------------------ pending words

    def add_words(self, scan_all: Callable[[], list[RootScan]], report: Report, patience: float | None = None) -> bool:
        """Add the words that are pending. Returns False where another pollux is adding them.

        This one waits for it, as long as it makes progress, or for `patience` seconds without any.
        """
        if self.catalogue.path is None or not self.catalogue.count_pending():
            return True
        with write_lock(self._place / _WORDS_LOCK, report, patience) as lock:
            if lock is None:
                return False
            self._add_words(scan_all, report, lock.report)
            return True

    def _add_words(self, scan_all: Callable[[], list[RootScan]], report: Report, pulse: Report) -> None:
        from pollux.index.sync.words import WordLoad
        from pollux.system.workers import process_count

        with self._may_write():
            heal(self.catalogue, self.text)
        tasks = Sync(self.catalogue, None, SyncInput(report)).pending(scan_all())
        sizes = [each.task.bundle.size for each in tasks]
        progress = Progress(files=len(tasks), bytes=sum(sizes))

        def done(task: Task) -> None:
            self.require_current()
            progress.done_files += 1
            progress.done_bytes += task.bundle.size
            pulse(progress)
            report(progress)

        if tasks:
            WordLoad(self.catalogue, self.text, process_count(sizes), done, self._may_write).run(tasks)

    def _with_pulse(self, lock: WriteLock, now: SyncInput) -> SyncInput:
        """The input of a sync that shows its progress to waiting processes. If in no hurry, it heeds them, too."""

        def pulse(progress: Progress) -> None:
            lock.report(progress)
            if not now.yields:
                return
            self.require_current()
            if lock.is_wanted():
                raise Enough

        return now._replace(pulse=pulse)

    @contextlib.contextmanager
    def _may_write(self) -> Iterator[None]:
        """The right to write to the catalogue. Raises `Gone` where it was thrown away meanwhile."""
        with write_lock(self._place / _LOCK, self._report, math.inf):
            self.require_current()
            yield

    # ------------------------------------------------------------------ ways out

    def _in_memory(self, problem: str, scans: list[RootScan], now: SyncInput) -> Outcome:
        """Sync a catalogue in memory, for the answers of this run. One that others are to have is not made so."""
        self.problem = problem
        if now.yields:
            raise StoreError(problem)
        self._use(Catalogue(None, self._edition()))
        return self._run(None, scans, now)

    def _return_to_folder(self) -> bool:
        """Leave the memory if the trouble is over: another thread or process uses the folder, and it can be written."""
        try:
            with try_lock(self.folder / _LOCK):
                catalogue = self._existing_catalogue()
        except OSError:
            return False
        if catalogue is None:
            return False
        self._open.close()
        self._use(catalogue)
        self.problem = None
        return True

    def _make_copy(self) -> Catalogue:
        """A copy for this run alone, because another process has the cache and makes no progress.

        Words are written before rows. So a copy that was made during a change lacks words, and is recognized by that.
        """
        import shutil
        from tempfile import mkdtemp

        self._release()
        catalogue = self._valid_catalogue()
        self._copy = Path(mkdtemp(prefix="pollux-"))
        self._copy_removal = weakref.finalize(self, shutil.rmtree, self._copy, ignore_errors=True)
        other = owner(self.folder / _LOCK)
        self.problem = f"{other} holds the cache and makes no progress. The files were read without it."
        if catalogue is not None:
            with contextlib.suppress(*TROUBLE, shutil.Error), contextlib.closing(catalogue):
                shutil.copytree(self.folder / "text", self._place / "text")
                catalogue.copy(self._place / _CATALOGUE[0])
        return self._valid_catalogue() or self._new_catalogue()

    def rest(self) -> None:
        """Close the index of words in this thread: an open one looks twice a second whether it was changed."""
        self._open.get().text = None

    def follow(self) -> None:
        """Open the files again if another thread closed or replaced them."""
        self._open.follow()

    def _release(self) -> None:
        self._open.renew()

    def start_anew(self) -> None:
        """After damage: throw everything away, unless another process is writing to the cache."""
        self.close()
        with contextlib.suppress(StoreError):
            self.clear()


def _patient(seconds: float) -> Report:
    """Waits so long, and not longer, for another process."""
    end = time.monotonic() + seconds

    def wait(_progress: Progress) -> None:
        if time.monotonic() > end:
            raise Enough

    return wait


def _is_full(folder: Path) -> bool:
    """Is there no room left where a folder lies?"""
    import shutil

    try:
        return shutil.disk_usage(folder).free < _LITTLE_ROOM
    except OSError:
        return False


def _unusable(folder: Path, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).rstrip(".")
    return f"The cache in {folder} cannot be used: {reason}."


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # it was deleted meanwhile
        return 0
