"""Sessions of which the agents' own files hold not all: what there is of them, as one, and as files to go on with."""

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

from pollux.archive.check_rebuilt import UnrestoredMessages, compare_rebuilt
from pollux.archive.checkout import with_complete_sessions
from pollux.archive.contents import Damaged
from pollux.archive.history import Change, all_changes
from pollux.archive.join_readings import JoinedSession, join_readings
from pollux.archive.merge import rewrite_points
from pollux.archive.restore import FileToWrite, Restored, in_place, plan, within
from pollux.errors import NotFound, OutputError, UnknownName, Unreadable
from pollux.library.archive import ArchiveService
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.reader import SessionReader
from pollux.model import Kind, Message, Session, Summary, Value, summarize
from pollux.sources.base import Root
from pollux.sources.capabilities import resumable_files
from pollux.sources.resuming import FileVersion, Resumable, largest_versions
from pollux.system.directories import Places
from pollux.system.files import HUGE, read, write_file
from pollux.wire import display_path
from pollux.wire.join_versions import close_cut_file as closed_at_end


class Rebuilt(Value, frozen=True, kw_only=True):
    """Files that an agent resumes, as they were read back: how many messages are in them, and which are not."""

    key: str
    home: Path
    files: tuple[Resumable, ...]
    messages: int
    left: tuple[UnrestoredMessages, ...]


class _Found(NamedTuple):
    """A form, when it was written, when it was seen, and whose it is."""

    mtime_ns: int
    at: int
    home: Path
    form: FileVersion


class RecoverService:
    """Puts sessions together again."""

    def __init__(
        self, places: Places, homes: Homes, index: FreshIndex, reader: SessionReader, archive: ArchiveService
    ) -> None:
        self._places = places
        self._homes = homes
        self._index = index
        self._reader = reader
        self._archive = archive

    def session(self, name: str) -> Session:
        """As `Library.session`; also one whose files were cut so short that nobody else sees it."""
        try:
            return self._reader.session(name)
        except (UnknownName, Unreadable):
            places = {display_path(os.path.realpath(name)), display_path(os.path.abspath(name))}  # noqa: PTH100
            cut = list(self._cut())
            found = [one for one in cut if name == one.key or one.id.startswith(name) or places & set(one.files)]
            if len(found) != 1:
                raise
            return found[0]

    def _cut(self) -> Iterator[Session]:
        """Sessions that there are only in records that were cut off."""
        listed = {one.summary.key for one in self._index.everything()}
        for source, root in self._homes.roots():
            for bundle in self._homes.bundles_of(source, root):
                if bundle.key not in listed:
                    live = [one for file in bundle.files for one in _read(file.path, root.path.parent)]
                    yield from (one for one in self._mended(source.name, live) if one.key not in listed)

    def all(self) -> list[tuple[Summary, str]]:
        """Sessions of which the agents' files hold not all that there was, and what there is instead."""
        found = []
        for one in self._index.everything():
            told = one.summary
            if told.kept:
                found.append((told, "kept"))
            elif told.kind is Kind.PROMPTS:
                found.append((told, "typed lines"))
            elif any(change.change == "cut" for change in self._histories.get(told.key, ())):
                found.append((told, "earlier states"))
        return found + [(summarize(session), "a record that was cut off") for session in self._cut()]

    @cached_property
    def _histories(self) -> dict[str, list[Change]]:
        """What happened to the files of each session; empty where nothing is kept."""
        if not self._archive.store.exists:
            return {}
        by_file: dict[str, list[Change]] = {}
        for change in all_changes(self._archive.store):
            by_file.setdefault(change.file, []).append(change)
        listed = self._index.everything()
        return {
            one.summary.key: [change for file in one.summary.files for change in by_file.get(file, ())]
            for one in listed
        }

    def join(self, session: Session) -> JoinedSession:
        """All that any file of the agent's, any copy of it, and any kept state of it holds of a session."""
        readings = self._reader.versions(session)
        own = [reading for reading in readings if self._is_own(reading)]
        if (kept := [reading for reading in readings if reading.kept]) and self._is_less(session):
            readings = kept
        else:
            mended = self._mended(session.agent, list(self._live(session.agent, self._index.files_of(session.key))))
            # What the agent has is told as it stands there; the others add what it has not.
            others = [reading for reading in readings if not self._is_own(reading)]
            readings = [*others, *(one for one in mended if one.key == session.key), *own]
        if self._archive.store.exists:
            for at in sorted(_losses(self._archive.history(session)), reverse=True):
                with contextlib.suppress(NotFound):
                    readings.insert(0, self._archive.as_of(session, at - timedelta(microseconds=1)))
        if not readings:  # all that there is stands in a record that was cut off
            return join_readings(session, [session])
        return join_readings(own[0] if own else None, readings)

    def _is_own(self, session: Session) -> bool:
        """Was a session read from the agent's files, and from none that pollux laid out?"""
        laid_out = f"{display_path(self._places.kept)}{os.sep}"
        return not any(file.startswith(laid_out) for file in session.files)

    def _mended(self, agent: str, live: list[_Found]) -> list[Session]:
        """The sessions of some files with what stands in records that were cut off, where there are any."""
        closed = [closed_at_end(one.form.content) for one in live]
        if not any(content is not None for content in closed):
            return []
        laid = [(one.form.path, content or one.form.content) for one, content in zip(live, closed, strict=True)]
        with self._laid_out(agent, laid) as (folder, readings):
            return [_moved(one, folder, live[0].home) for one in readings]

    def _is_less(self, session: Session) -> bool:
        """Are the agent's own files beginnings of what is kept of them? Then what they say was said better."""
        files = self._index.files_of(session.key)
        kept: dict[str, list[bytes]] = {}
        for one in self._kept(session, files):
            kept.setdefault(one.form.path, []).append(one.form.content)
        less = False
        for one in self._live(session.agent, files):
            fuller = [state for state in kept.get(one.form.path, ()) if len(state) > len(one.form.content)]
            begins = any(state.startswith(one.form.content) for state in fuller)
            if fuller and not begins:
                return False
            less = less or begins
        return less

    # ------------------------------------------------------------------ files to go on with

    def rebuild(self, session: Session) -> Rebuilt:
        """Files that the agent resumes the session from, with its sub-agents', read back and compared.

        Raises `NotFound` where nothing is left that could be resumed.
        """
        below = [key for key in self._index.family(session.key) if key != session.key]
        family = [session, *map(self._reader.session, below)]
        wanted = [self.join(one).session for one in family]
        files = {file for one in wanted for file in (*one.files, *self._index.files_of(one.key))}
        home, forms = self._forms(session, files)
        best, good = None, -sys.maxsize
        # Forms that say the same in other records would double it. Then the fullest form of each file must do.
        for chosen in (
            forms,
            [FileVersion(path=path, content=content) for path, content in largest_versions(forms).items()],
        ):
            made = self._made(wanted[0], chosen, home)
            with self._laid_out(session.agent, [(file.path, file.content) for file in made]) as (_, readings):
                held, missing, doubled = compare_rebuilt(wanted, readings, made)
            if held and held - doubled > good:
                good = held - doubled
                best = Rebuilt(key=session.key, home=home, files=tuple(made), messages=held, left=missing)
            if not doubled:
                break
        if best is None:
            what = "Only typed prompts are" if wanted[0].kind is Kind.PROMPTS else "Too little is"
            hint = "Try: pollux recover KEY -o FILE.json, which writes what there is for pollux."
            raise NotFound(f"{what} left of {session.key}; its agent could not resume the session.", hint)
        return best

    def _made(self, session: Session, forms: list[FileVersion], home: Path) -> list[Resumable]:
        source = with_complete_sessions(self._homes.source(session.agent))
        roots = [root.path for one, root in self._homes.roots() if one.name == source.name]
        root = next((path for path in roots if path.parent == home), roots[0] if roots else home)
        return resumable_files(source, session, forms, root)

    def _forms(self, session: Session, files: Collection[str]) -> tuple[Path, list[FileVersion]]:
        """Every content that some files had and have, those written last at the end; and the home these are in."""
        found = sorted([*self._live(session.agent, files), *self._kept(session, files)], key=lambda one: one[:2])
        home = found[-1].home if found else self._places.home
        return home, list(dict.fromkeys(one.form for one in found))

    def _live(self, agent: str, files: Collection[str]) -> Iterator[_Found]:
        """Those of some files that the agent has, by the paths that are shown of them."""
        for source, root in self._homes.roots():
            if source.name != agent:
                continue
            home, inside = root.path.parent, os.path.join(display_path(root.path), "")  # noqa: PTH118
            near = [file for file in files if file.startswith(inside) or os.path.dirname(file) == display_path(home)]  # noqa: PTH120
            if any("\\" in file for file in near):  # it may stand for a byte that is no text
                near = [file.path for file in source.find(root.path) if display_path(file.path) in files]
            for path in near:
                yield from _read(path, home)

    def _kept(self, session: Session, files: Collection[str]) -> Iterator[_Found]:
        for state in rewrite_points(self._archive.past_states(session, files)):
            with contextlib.suppress(Damaged):
                form = FileVersion(path=os.fsdecode(state.path), content=self._archive.store.read(state.sha or b""))
                yield _Found(state.mtime_ns, state.at, Path(os.fsdecode(state.home)), form)

    @contextlib.contextmanager
    def _laid_out(self, agent: str, files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[Path, list[Session]]]:
        """The sessions in some files that lie in a folder as the agent would have them."""
        source = with_complete_sessions(self._homes.source(agent))
        try:
            with tempfile.TemporaryDirectory(prefix="pollux-") as name:
                folder = Path(name)
                for path, content in files:
                    write_file(folder / path, content)
                roots = [Root(path=path, reason="made anew") for path in sorted(folder.iterdir()) if path.is_dir()]
                bundles = [bundle for root in roots for bundle in self._homes.bundles_of(source, root)]
                yield folder, [session for bundle in bundles for session in source.read(bundle).sessions]
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error

    def plan(self, rebuilt: Rebuilt, folder: Path | None) -> list[tuple[Restored, FileToWrite]]:
        """What would be written below a folder, or where the agent has such files."""
        roots = [root.path for source, root in self._homes.roots() if source.name == rebuilt.key.partition(":")[0]]
        files = list(_files_to_write(rebuilt, folder, roots))
        if folder is not None:
            self._homes.protect(*(file.place for file in files))
        return plan(files)


def _read(path: str, home: Path) -> Iterator[_Found]:
    """A file as it is now, where it can be read."""
    with contextlib.suppress(OSError):
        form = FileVersion(path=os.path.relpath(path, home), content=read(path, HUGE))
        yield _Found(os.stat(path).st_mtime_ns, sys.maxsize, home, form)  # noqa: PTH116


def _losses(changes: list[Change]) -> set[datetime]:
    """When files lost a content that they have not now; where they did so again and again, once."""
    now = {change.file: change.sha256 for change in changes}
    before: dict[str, str | None] = {}
    found: dict[tuple[str, str | None], datetime] = {}
    for change in changes:
        held = before.get(change.file)
        if change.change in ("cut", "rewritten", "gone") and held != now[change.file]:
            found[change.file, held] = change.at
        before[change.file] = change.sha256
    return set(found.values())


def _moved(session: Session, folder: Path, home: Path) -> Session:
    """A session that was read in a folder, with its messages where they stand in truth."""
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
        sha = hashlib.sha256(content).hexdigest()
        place = within(folder, file.path) if folder is not None else in_place(rebuilt.home, file.path, roots)
        yield FileToWrite(place, len(content), sha, 0, partial(bytes, content), beside=not file.sources)
