"""Sessions that the agents' own files hold only in part: all that is left of them, joined, or as files to resume."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from pollux.archive.archive import Archive
from pollux.archive.check_rebuilt import UnrestoredMessages, compare_rebuilt
from pollux.archive.checkout import with_complete_sessions
from pollux.archive.contents import Damaged
from pollux.archive.history import Change, Past, all_changes
from pollux.archive.join_readings import JoinedSession, join_readings
from pollux.archive.merge import rewrite_points
from pollux.archive.restore import FileToWrite, Restored, in_place, plan, within
from pollux.errors import NotFound, OutputError, UnknownName, Unreadable
from pollux.index.sync.sync import RootScan
from pollux.library.archive import ArchiveService
from pollux.library.fresh_index import FreshIndex
from pollux.library.reader import SessionReader
from pollux.library.refresh import kept_alive
from pollux.library.session_files import SessionFiles
from pollux.model import Kind, Message, Session, Summary, Value, summarize
from pollux.sources.base import Root
from pollux.sources.capabilities import resume_files_of
from pollux.sources.database import DATABASE
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions
from pollux.system.directories import Places
from pollux.system.files import HUGE, read, write_file
from pollux.wire import display_path
from pollux.wire.join_versions import close_cut_file as closed_at_end


class Rebuilt(Value, frozen=True, kw_only=True):
    """Files that an agent can resume: how many messages pollux read back from them, and which it did not."""

    session: Session
    home: Path
    files: tuple[ResumeFile, ...]
    messages: int
    left: tuple[UnrestoredMessages, ...]

    @property
    def key(self) -> str:
        """The name of the session."""
        return self.session.key


class _DatedVersion(NamedTuple):
    """A version of a file: when it was written, when pollux saw it, and in which home."""

    mtime_ns: int
    at: int
    home: Path
    file: FileVersion


class RecoverService:
    """Puts sessions together again."""

    def __init__(  # noqa: PLR0913
        self,
        places: Places,
        files: SessionFiles,
        index: FreshIndex,
        reader: SessionReader,
        *,
        archive: ArchiveService,
        store: Archive,
    ) -> None:
        self._places = places
        self._homes = files.homes
        self._files = files
        self._index = index
        self._reader = reader
        self._archive = archive
        self._store = store

    def session(self, name: str) -> Session:
        """As `Library.session`; also finds a session whose files were cut so short that no list has it."""
        try:
            return self._reader.session(name)
        except (UnknownName, Unreadable):
            places = {display_path(os.path.realpath(name)), display_path(os.path.abspath(name))}  # noqa: PTH100
            matches = [
                session
                for session in self._cut_off()
                if name == session.key or session.id.startswith(name) or places & set(session.files)
            ]
            if len(matches) != 1:
                raise
            return matches[0]

    def _cut_off(self) -> Iterator[Session]:
        """Sessions of which only records are left that were cut off."""
        keys = {entry.summary.key for entry in self._index.everything()}
        for source, root in self._homes.roots():
            for bundle in self._files.bundles_of(source, root):
                if bundle.key not in keys:
                    live = [
                        version
                        for file in bundle.files
                        if file.role != DATABASE
                        for version in _version_now(file.path, root.path.parent)
                    ]
                    yield from (
                        session for session in self._with_cut_records(source.name, live) if session.key not in keys
                    )

    def all(self) -> list[tuple[Summary, str]]:
        """Sessions that the agents' files hold only in part, and what else is left of them."""
        rows = []
        for entry in self._index.everything():
            summary = entry.summary
            if summary.kept:
                rows.append((summary, "kept"))
            elif summary.kind is Kind.PROMPTS:
                rows.append((summary, "typed lines"))
            elif any(change.change == "cut" for change in self._histories.get(summary.key, ())):
                rows.append((summary, "earlier states"))
        return rows + [(summarize(session), "a record that was cut off") for session in self._cut_off()]

    @cached_property
    def _histories(self) -> dict[str, list[Change]]:
        """What happened to the files of each session; empty where nothing is kept."""
        if not self._store.exists:
            return {}
        by_file: dict[str, list[Change]] = {}
        for change in all_changes(self._store):
            by_file.setdefault(change.file, []).append(change)
        entries = self._index.everything()
        return {
            entry.summary.key: [change for file in entry.summary.files for change in by_file.get(file, ())]
            for entry in entries
        }

    def join(self, session: Session) -> JoinedSession:
        """Join a session from the agent's files, all copies of them, and all their kept states."""
        readings = self._reader.versions(session)
        own = [reading for reading in readings if self._is_own(reading)]
        if (kept_readings := [reading for reading in readings if reading.kept]) and self._is_beginning(session):
            readings = kept_readings
        else:
            completed = self._with_cut_records(
                session.agent, list(self._live_versions(session.agent, self._index.kept_paths(session.key)))
            )
            # Messages that the agent has are taken from its own files; the others add what is missing there.
            others = [reading for reading in readings if not self._is_own(reading)]
            readings = [*others, *(reading for reading in completed if reading.key == session.key), *own]
        if self._store.exists:
            for at in sorted(_losses(self._archive.history(session)), reverse=True):
                with contextlib.suppress(NotFound):
                    readings.insert(0, self._archive.as_of(session, at - timedelta(microseconds=1)))
        if not readings:  # only a record is left that was cut off
            return join_readings(session, [session])
        return join_readings(own[0] if own else None, readings)

    def _is_own(self, session: Session) -> bool:
        """Was a session read from the agent's files alone, not from files that pollux laid out?"""
        checkouts = f"{display_path(self._places.kept)}{os.sep}"
        return not any(file.startswith(checkouts) for file in session.files)

    def _with_cut_records(self, agent: str, live: list[_DatedVersion]) -> list[Session]:
        """The sessions of some files, including their cut records; none where no record was cut off."""
        contents = [closed_at_end(version.file.content) for version in live]
        if not any(content is not None for content in contents):
            return []
        files = [
            (version.file.path, content or version.file.content)
            for version, content in zip(live, contents, strict=True)
        ]
        with self._sessions_in(agent, files) as (folder, readings):
            return [_at_home(session, folder, live[0].home) for session in readings]

    def _is_beginning(self, session: Session) -> bool:
        """Are the agent's own files only beginnings of their kept states? Then the kept states suffice."""
        files = self._index.kept_paths(session.key)
        states: dict[str, list[bytes]] = {}
        for version in self._kept_versions(session, files):
            states.setdefault(version.file.path, []).append(version.file.content)
        is_beginning = False
        for version in self._live_versions(session.agent, files):
            fuller = [state for state in states.get(version.file.path, ()) if len(state) > len(version.file.content)]
            begins = any(state.startswith(version.file.content) for state in fuller)
            if fuller and not begins:
                return False
            is_beginning = is_beginning or begins
        return is_beginning

    # ------------------------------------------------------------------ files to resume

    def rebuild(self, session: Session) -> Rebuilt:
        """Make files from which the agent resumes the session and its sub-agents, then read them back and compare.

        Raises `NotFound` where nothing is left that could be resumed.
        """
        descendants = [key for key in self._index.family(session.key) if key != session.key]
        family = [self.join(member).session for member in (session, *map(self._reader.session, descendants))]
        paths = {path for member in family for path in (*member.files, *self._index.kept_paths(member.key))}
        home, all_versions = self._versions(session, paths)
        best, best_score = None, -sys.maxsize
        # Versions that hold the same messages in different records would double them.
        # Then only the largest version of each file is used.
        for versions in (
            all_versions,
            [FileVersion(path=path, content=content) for path, content in largest_versions(all_versions).items()],
        ):
            files = self._resumable(family[0], versions, home)
            with self._sessions_in(session.agent, [(file.path, file.content) for file in files]) as (_, readings):
                count, missing, doubled = compare_rebuilt(family, readings, files)
            if count and count - doubled > best_score:
                best_score = count - doubled
                best = Rebuilt(session=family[0], home=home, files=tuple(files), messages=count, left=missing)
            if not doubled:
                break
        if best is None:
            remains = "Only typed prompts are" if family[0].kind is Kind.PROMPTS else "Too little is"
            hint = "Try: pollux recover KEY -o FILE.json, which only pollux can read."
            raise NotFound(f"{remains} left of {session.key}; its agent could not resume the session.", hint)
        return best

    def _resumable(self, session: Session, versions: list[FileVersion], home: Path) -> list[ResumeFile]:
        source = with_complete_sessions(self._homes.source(session.agent))
        roots = [root.path for owner, root in self._homes.roots() if owner.name == source.name]
        root = next((path for path in roots if path.parent == home), roots[0] if roots else home)
        return resume_files_of(source, session, versions, root)

    def _versions(self, session: Session, files: Collection[str]) -> tuple[Path, list[FileVersion]]:
        """All versions of some files, the one that was written last at the end; and the home of that one."""
        versions = sorted(
            [*self._live_versions(session.agent, files), *self._kept_versions(session, files)],
            key=lambda version: version[:2],
        )
        home = versions[-1].home if versions else self._places.home
        return home, list(dict.fromkeys(version.file for version in versions))

    def _live_versions(self, agent: str, files: Collection[str]) -> Iterator[_DatedVersion]:
        """Those of some files that the agent still has. The files are given by their display paths."""
        for source, root in self._homes.roots():
            if source.name != agent:
                continue
            home, inside = root.path.parent, os.path.join(display_path(root.path), "")  # noqa: PTH118
            paths = [file for file in files if file.startswith(inside) or os.path.dirname(file) == display_path(home)]  # noqa: PTH120
            if any("\\" in file for file in paths):  # a display path writes a byte that is no text in this way
                paths = [file.path for file in source.find(root.path) if display_path(file.path) in files]
            scan = self._files.scan(source, root)
            databases = {display_path(file.path) for file in scan.files if file.role == DATABASE}
            for path in paths:
                if path not in databases:
                    yield from _version_now(path, home)
            if databases:
                yield from _documents_now(scan, files)

    def _kept_versions(self, session: Session, files: Collection[str]) -> Iterator[_DatedVersion]:
        """The kept versions of some files."""
        if not self._store.exists:
            return
        past = Past(self._store, self._places.kept, session.agent)
        for state in rewrite_points(past.states(files)):
            with contextlib.suppress(Damaged):
                version = FileVersion(path=os.fsdecode(state.path), content=self._store.read(state.sha or b""))
                yield _DatedVersion(state.mtime_ns, state.at, Path(os.fsdecode(state.home)), version)

    @contextlib.contextmanager
    def _sessions_in(self, agent: str, files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[Path, list[Session]]]:
        """Write some files into a folder as the agent would, and read the sessions in them."""
        source = with_complete_sessions(self._homes.source(agent))
        try:
            with tempfile.TemporaryDirectory(prefix="pollux-") as name:
                folder = Path(name)
                for path, content in files:
                    write_file(folder / path, content)
                roots = [Root(path=path, reason="made anew") for path in sorted(folder.iterdir()) if path.is_dir()]
                bundles = [bundle for root in roots for bundle in self._files.bundles_of(source, root)]
                yield folder, [session for bundle in bundles for session in source.read(bundle).sessions]
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error

    def plan(self, rebuilt: Rebuilt, folder: Path | None) -> list[tuple[Restored, FileToWrite]]:
        """What would be written below a folder, or without one, where the agent keeps such files."""
        roots = [root.path for source, root in self._homes.roots() if source.name == rebuilt.session.agent]
        files = kept_alive(list(_files_to_write(rebuilt, folder, roots)), rebuilt.session, self._homes.roots())
        if folder is not None:
            self._homes.protect(*(file.place for file in files))
        return plan(files)


def _version_now(path: str, home: Path) -> Iterator[_DatedVersion]:
    """A file as it is now, where it can be read."""
    with contextlib.suppress(OSError):
        version = FileVersion(path=os.path.relpath(path, home), content=read(path, HUGE))
        yield _DatedVersion(os.stat(path).st_mtime_ns, sys.maxsize, home, version)  # noqa: PTH116


def _documents_now(scan: RootScan, files: Collection[str]) -> Iterator[_DatedVersion]:
    """Those of some documents that the agent's databases hold now."""
    home = scan.root.path.parent
    with contextlib.suppress(Unreadable):
        for path, made in scan.documents.items():
            if display_path(path) in files:
                version = FileVersion(path=os.path.relpath(path, home), content=made.content())
                yield _DatedVersion(made.file.mtime_ns, sys.maxsize, home, version)


def _losses(changes: list[Change]) -> set[datetime]:
    """When files lost a content that they do not have now; for each content, only the last time."""
    now = {change.file: change.sha256 for change in changes}
    before: dict[str, str | None] = {}
    times: dict[tuple[str, str | None], datetime] = {}
    for change in changes:
        sha = before.get(change.file)
        if change.change in ("cut", "rewritten", "gone") and sha != now[change.file]:
            times[change.file, sha] = change.at
        before[change.file] = change.sha256
    return set(times.values())


def _at_home(session: Session, folder: Path, home: Path) -> Session:
    """A session that was read in a folder, with the paths that its files have in a home."""
    before, after = display_path(folder), display_path(home)

    def place(message: Message) -> Message:
        origin = message.origin
        if origin is None:
            return message
        return replace(message, origin=replace(origin, file=origin.file.replace(before, after, 1)))

    files = tuple(file.replace(before, after, 1) for file in session.files)
    return replace(session, messages=tuple(map(place, session.messages)), files=files)


def _files_to_write(rebuilt: Rebuilt, folder: Path | None, roots: Collection[Path]) -> Iterator[FileToWrite]:
    # The files are new, and their times too: an agent that deletes what is old would take them away at once.
    for file in rebuilt.files:
        content = file.content
        digest = hashlib.sha256(content).hexdigest()
        place = within(folder, file.path) if folder is not None else in_place(rebuilt.home, file.path, roots)
        yield FileToWrite(place, len(content), digest, 0, partial(bytes, content), beside=not file.sources)
