"""The archive: every state of the agents' files that pollux saw. Each content is stored once, none is overwritten."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from pollux.archive.appender import Appender
from pollux.archive.contents import BaseContent, Damaged, Unread, digest, pack, pack_added, unpack
from pollux.archive.documents import document_files
from pollux.archive.index import RACY, Index, Location
from pollux.archive.pack_lengths import PackLengths, reading
from pollux.archive.packs import MAKING, SUFFIX, Content, State, payload_of
from pollux.errors import StoreError, Unreadable
from pollux.index.catalogue.catalogue import Peeks
from pollux.index.sync.sync import RootScan
from pollux.sources.base import File, Status
from pollux.sources.database import DATABASE, Document, is_database, is_document
from pollux.sources.walk import OTHER, unreadable_files
from pollux.system.clock import now
from pollux.system.files import HUGE, list_folder, make_private_folder, opened, read_within
from pollux.system.locks import try_lock
from pollux.system.per_thread import PerThread
from pollux.wire import display_path, folder_at

_LOCK = "lock"
_RAN = "ran"


class RunResult(msgspec.Struct, kw_only=True):
    """What a run kept. `unread` are files and folders that could not be read. `busy`: another pollux was writing."""

    files: int = 0
    changed: int = 0
    gone: int = 0
    bytes: int = 0
    stored: int = 0
    unread: list[str] = []
    busy: bool = False


class Archive:
    """The packs in one folder of the user's data, with an index of them in the cache."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder = folder
        self._index_file = index
        self._index = PerThread(self._opened_index, Index.close)

    @property
    def index(self) -> Index:
        """What the packs hold now."""
        return self._index.get()

    def _opened_index(self) -> Index:
        index = Index(self._index_file, self.folder)
        try:
            index.refresh()
        except BaseException:
            index.close()
            raise
        return index

    @property
    def exists(self) -> bool:
        """Is anything archived? Raises `StoreError` if the system does not say."""
        with reading(self.folder):
            return bool(list_folder(self.folder, SUFFIX))

    @property
    def loss(self) -> str | None:
        """A sentence for the user if archived contents are missing or damaged."""
        has_packs = self.exists
        if not has_packs and not PackLengths(self.folder).read():
            return None
        self.index.refresh()
        if self.index.gaps():
            what = "Part" if has_packs else "All"
            return f"{what} of what was kept in {display_path(self.folder)} is missing: see pollux archive verify."
        return "Part of what is kept is damaged: see pollux archive verify." if self.index.damaged() else None

    @property
    def enabled(self) -> bool:
        """Does every sync archive changes? Raises `StoreError` if the system does not say."""
        return any(self._has(note) for note in self._switches)

    @property
    def _switches(self) -> tuple[Path, Path]:
        """The files that switch the archive on: the old place, and one beside the folder that survives its deletion."""
        return self.folder / "keeping", self.folder.with_name(f"{self.folder.name}.keeping")

    def _has(self, note: Path) -> bool:
        """Does this file exist? Raises `StoreError` if the system does not say."""
        with reading(self.folder):
            try:
                note.stat()
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    @property
    def last_run(self) -> datetime | None:
        """The time of the last complete run."""
        try:
            return datetime.fromtimestamp((self.folder / _RAN).stat().st_mtime, UTC)
        except OSError:
            return None

    def _note_run(self) -> None:
        moment = now().timestamp()
        with contextlib.suppress(OSError):
            make_private_folder(self.folder)
            (self.folder / _RAN).touch(0o600)
            os.utime(self.folder / _RAN, (moment, moment))

    @property
    def busy(self) -> bool:
        """Is another pollux writing to it?"""
        try:
            with try_lock(self.folder / _LOCK) as locked:
                return not locked
        except OSError:  # there is none yet, or only others may write to it
            return False

    def set_enabled(self, *, on: bool) -> None:
        """Switch the archive on or off. What was archived stays."""
        try:
            make_private_folder(self.folder)
            (self.folder / "offered").touch(0o600)
            if on:
                self._switches[1].touch(0o600)
            else:
                for note in self._switches:
                    note.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def should_suggest(self) -> bool:
        """Should pollux suggest the archive? It does so once, and not to a user who decided."""
        with contextlib.suppress(OSError, StoreError):
            if not self.enabled and not self._has(self.folder / "offered"):
                make_private_folder(self.folder)
                (self.folder / "offered").touch(0o600)
                return True
        return False

    # ------------------------------------------------------------------ reading

    def read(self, sha: bytes) -> bytes:
        """A content, proved by its hash. Raises `Damaged`."""
        chain: list[Location] = []
        seen: set[bytes] = set()
        next_sha: bytes | None = sha
        while next_sha is not None:
            place = self.index.content(next_sha)
            if place is None or next_sha in seen:
                raise Damaged("a content is missing")
            chain.append(place)
            seen.add(next_sha)
            next_sha = head_of(place).base
        content = b""
        for place in reversed(chain):
            content = unpack(head_of(place), self.payload(place), content, proved=place is chain[0])
        return content

    def payload(self, place: Location) -> bytes:
        """A content as it is packed. Raises `Damaged`, and `Unread` where the system does not give it."""
        try:
            with opened(self.folder / place.pack, buffer=0) as file:
                payload = payload_of(file, place.record)
        except FileNotFoundError as error:
            raise Damaged("its pack is missing") from error
        except OSError as error:
            raise Unread(error.strerror or str(error)) from error
        if payload is None:
            raise Damaged("the checksum differs")
        return payload

    def close(self) -> None:
        """Close all files."""
        self._index.close()

    # ------------------------------------------------------------------ writing

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock for writing. Raises `StoreError` if another process holds it, or nothing can be written."""
        try:
            make_private_folder(self.folder)
            with try_lock(self.folder / _LOCK) as locked:
                if not locked:
                    raise Busy("Another pollux is writing to the archive.", "Try again when it is done.")
                self.index.refresh()
                self.index.drop_replaced()
                self._tidy()
                yield
        except (OSError, sqlite3.OperationalError) as error:
            raise cannot_write(self.folder, error) from error

    @contextlib.contextmanager
    def appending(self) -> Iterator[Appender]:
        """Hold the lock, and append. Raises as `exclusive` does."""
        with self.exclusive():
            appender = Appender(self)
            try:
                yield appender
            finally:
                appender.close()

    def _tidy(self) -> None:
        """Remove half-made packs, and packs whose whole content another one holds."""
        for path in (*list_folder(self.folder, MAKING), *(self.folder / name for name in self.index.spare)):
            path.unlink(missing_ok=True)

    def keep(self, scans: Iterable[RootScan]) -> RunResult:
        """Keep what changed under the agents' roots."""
        homes: dict[tuple[str, Path], list[RootScan]] = {}
        for scan in scans:
            homes.setdefault((scan.source.name, scan.root.path.parent), []).append(scan)
        known = {pair: self._known(*pair) for pair in homes} if self.exists else {}
        files = [file for scans in homes.values() for scan in scans for file in scan.files]
        result = RunResult(
            files=len(session_files(files)),
            unread=[f"{display_path(one.path)}: {one.reason}" for one in unreadable_files(files)],
        )
        stale = [pair for pair, scans in homes.items() if known.get(pair) != _snapshot(scans)]
        if stale:
            try:
                with self.appending() as appender:
                    for agent, home in stale:
                        HomeRun(self, appender, result, agent, home).run(homes[agent, home])
            except Busy:
                result.busy = True
                return result
        self._note_run()
        return result

    def keep_files(
        self, agent: str, home: Path, files: Iterable[File], documents: Iterable[Document] = ()
    ) -> RunResult:
        """Keep some files of one home as they are now, and documents of sessions in its databases.

        Raises `StoreError`, also where another pollux is writing.
        """
        result = RunResult()
        with self.appending() as appender:
            run = HomeRun(self, appender, result, agent, home)
            run.keep(session_files(files))
            run.keep_documents(documents)
        return result

    def peeks(self, agent: str, root: str) -> Peeks:
        """What is known of the databases under a root since they were last kept."""
        return self.index.peeks(agent, root) if self.exists else {}

    def _known(self, agent: str, home: Path) -> str | None:
        self.index.refresh()
        return self.index.seen(agent, os.fsencode(home))


class Busy(StoreError):
    """Another process is writing to the archive."""


class HomeRun:
    """Keeps one home of one agent."""

    def __init__(self, archive: Archive, appender: Appender, result: RunResult, agent: str, home: Path) -> None:
        self._archive = archive
        self._appender = appender
        self._result = result
        self._agent = agent
        self._home = os.fsencode(home)
        self._last = archive.index.last(agent, self._home)
        self._unsure = archive.index.unsure(agent, self._home)
        self._at = int(now().timestamp() * 1_000_000)
        self._documents: dict[str, Document] = {}

    def run(self, scans: list[RootScan]) -> None:
        """Keep every file that is about sessions, then note which are gone."""
        unread = len(self._result.unread)
        hidden = [self._path(f) for scan in scans for f in scan.files if f.status is Status.UNREADABLE]
        files = self.keep(file for scan in scans for file in session_files(scan.files))
        for scan in scans:
            try:
                self._documents |= scan.documents
                files |= self.keep(file for _, file in document_files(scan, self._home, self._last))
            except Unreadable as error:
                self._result.unread.append(str(error))
                hidden += [path for path in self._last if is_document(os.fsdecode(path))]
            else:
                self._archive.index.put_peeks(self._agent, scan.name, scan.peeked)
        if any(folder_at(scan.root.path) or scan.files for scan in scans):
            for path, last in self._last.items():
                if path not in files and last.sha is not None and not any(_within(path, place) for place in hidden):
                    self._state(path, "gone", None, None)
                    self._result.gone += 1
        recent = any(self._at - file.mtime_ns // 1000 <= RACY for file in files.values())
        if not recent and unread == len(self._result.unread):
            self._archive.index.see(self._agent, self._home, _snapshot(scans))

    def keep(self, files: Iterable[File]) -> dict[bytes, File]:
        """Keep some files. Returns them by their paths below the home."""
        by_path = {self._path(file): file for file in files}
        for path, file in by_path.items():
            self._keep(path, file)
        return by_path

    def keep_documents(self, documents: Iterable[Document]) -> None:
        """Keep some sessions of databases."""
        for made in documents:
            self._documents[made.file.path] = made
            self.keep([made.file])

    def _path(self, file: File) -> bytes:
        return os.path.relpath(os.fsencode(file.path), self._home)

    def _keep(self, path: bytes, file: File) -> None:
        last = self._last.get(path)
        before = self._known(last)
        if before is not None and _unchanged(last, file) and path not in self._unsure:
            return
        try:
            if (made := self._documents.get(file.path)) is not None:
                raw, mode = made.content(), file.mode
            else:
                with opened(file.path, buffer=0) as stream:
                    raw, mode = read_within(stream, HUGE), os.fstat(stream.fileno()).st_mode & 0o777
        except (FileNotFoundError, NotADirectoryError):  # the agent deleted it just now: the next run says so
            return
        except OSError as error:
            self._result.unread.append(f"{display_path(file.path)}: {error.strerror}")
            return
        if is_database(raw):  # of an unknown name: a copy that somebody made
            return
        sha, added = digest(raw, before)
        if self._archive.index.content(sha) is None:
            head, payload = (
                pack_added(raw, sha, before)
                if added and before is not None
                else pack(raw, sha, before, self._archive.read)
            )
            self._appender.write(head, payload)
            self._result.stored += len(payload)
            self._result.bytes += len(raw) - head.copied
        if last is not None and sha == last.sha and last.mode in (None, mode):
            self._archive.index.assure(last)
            return
        change = "mode" if last is not None and sha == last.sha else _change(last, len(raw), added=added)
        self._state(path, change, sha, file, len(raw), mode)
        self._result.changed += 1

    def _known(self, last: State | None) -> BaseContent | None:
        """The last content of a file, if a new one can be packed against it."""
        if last is None or last.sha is None or (place := self._archive.index.content(last.sha)) is None:
            return None
        return BaseContent(last.sha, last.size, place.depth)

    def _state(  # noqa: PLR0913, PLR0917
        self,
        path: bytes,
        change: str,
        sha: bytes | None,
        file: File | None,
        size: int = 0,
        mode: int | None = None,
    ) -> None:
        last = self._last.get(path)
        self._appender.write(
            State(
                agent=self._agent,
                home=self._home,
                path=path,
                # A clock that was put back does not put the states of a file out of order.
                at=max(self._at, last.at + 1) if last is not None else self._at,
                change=change,
                sha=sha,
                size=size,
                # A time beyond the year 2262 becomes the last one that a record holds.
                mtime_ns=file.mtime_ns if file is not None else 0,
                mode=mode,
            )
        )


def _change(last: State | None, size: int, *, added: bool) -> str:
    if last is None or last.sha is None:
        return "new" if last is None else "back"
    return "cut" if size < last.size else "grown" if added else "rewritten"


def _unchanged(last: State | None, file: File) -> bool:
    if last is None or last.mode not in (None, file.mode):
        return False
    return (last.size, last.mtime_ns) == (file.size, file.mtime_ns)


def _within(path: bytes, place: bytes) -> bool:
    return path == place or path.startswith(place + b"/")


def session_files(files: Iterable[File]) -> list[File]:
    """Files that are about sessions, and files of an unknown kind; no database, which holds keys besides sessions."""
    return [
        f
        for f in files
        if f.status is not Status.UNREADABLE and f.role != DATABASE and (f.role != OTHER or f.status is Status.UNKNOWN)
    ]


def _snapshot(scans: list[RootScan]) -> str:
    return " ".join(scan.snapshot for scan in scans)


def head_of(place: Location) -> Content:
    """The head of a content."""
    assert isinstance(place.record.head, Content)  # noqa: S101 (the index holds no other under a hash)
    return place.record.head


def cannot_read(folder: Path, error: Exception) -> StoreError:
    """The error as one sentence."""
    return StoreError(f"The archive in {display_path(folder)} cannot be read: {error}.")


def cannot_write(folder: Path, error: OSError | sqlite3.Error) -> StoreError:
    """The error as one sentence."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(f"The archive in {display_path(folder)} cannot be written: {reason}.")
