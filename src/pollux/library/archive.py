"""What views ask about the archive: what is kept, what happened to a session's files, and how to restore them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pollux.archive import restore, transfer
from pollux.archive.archive import Busy, RunResult, session_files
from pollux.archive.checkout import with_complete_sessions
from pollux.archive.contents import whole_size
from pollux.archive.history import Change, Past
from pollux.archive.restore import FileToWrite, Restored
from pollux.archive.survey import active_packs
from pollux.archive.verify import Verdict, stamp_of, verify
from pollux.errors import NotFound, StoreError, Unreadable
from pollux.index.catalogue.catalogue import Peeks
from pollux.index.sync.sync import RootScan
from pollux.library.doctor import Due
from pollux.library.fresh_index import FreshIndex
from pollux.library.keeper import Keeper
from pollux.library.refresh import is_due, kept_alive
from pollux.library.session_files import SessionFiles
from pollux.marks.store import MarkStore
from pollux.model import Kind, Session, Value
from pollux.sources.capabilities import retention_of
from pollux.system.directories import Places
from pollux.system.files import make_private_folder
from pollux.system.locks import write_lock
from pollux.text.shell import shell_word
from pollux.wire import folder_at, read_head

if TYPE_CHECKING:
    from pollux.archive.packs import State

_SAMPLE = 1 << 22


class ArchiveStatus(Value, frozen=True, kw_only=True):
    """What the archive holds. `bytes` is the size of all states one by one, `stored` the room that they take.

    `kept` counts the sessions that only the archive still has. `busy`: another pollux is adding to it.
    """

    keeping: bool
    busy: bool
    ran: datetime | None
    folder: str | None
    files: int
    states: int
    bytes: int
    stored: int
    sessions: int
    kept: int
    due: tuple[Due, ...]


class ArchiveService:
    """Shows, restores and prunes what is kept."""

    def __init__(
        self, places: Places, files: SessionFiles, index: FreshIndex, keeper: Keeper, marks: MarkStore
    ) -> None:
        self._store = keeper.archive
        self._marks = marks
        self._places = places
        self._homes = files.homes
        self._files = files
        self._index = index
        self._keeper = keeper

    @property
    def problem(self) -> str | None:
        """What is wrong with the archive, as far as the last sync or run saw."""
        return self._keeper.problem

    def should_suggest(self) -> bool:
        """Should a view suggest keeping? Only once, and not after the person decided."""
        return self._store.should_suggest()

    def on(self) -> None:
        """Let every sync keep what changed."""
        self._store.set_enabled(on=True)

    def off(self) -> None:
        """Let no sync keep anything. What is kept stays."""
        self._store.set_enabled(on=False)

    def run(self) -> RunResult:
        """Keep what changed, whether or not every sync does. `problem` says what is lost."""
        result = self._store.keep(self._scans())
        self._keeper.problem = self._store.loss
        return result

    def _scans(self) -> list[RootScan]:
        return [RootScan(source, root, self._peeks_of) for source, root in self._homes.roots()]

    def _peeks_of(self, agent: str, root: str) -> Peeks:
        """What is known of the files under a root: the archive's own knowledge is that of the last run."""
        return self._files.peeks_of(agent, root) | self._store.peeks(agent, root)

    def estimate(self) -> int:
        """About how many bytes keeping everything would take, judged by the files that changed last."""
        files = sorted((f for scan in self._scans() for f in session_files(scan.files)), key=lambda f: -f.mtime_ns)
        read_size, packed_size = 0, 0
        for file in files:
            if read_size > _SAMPLE:
                break
            with contextlib.suppress(Unreadable):
                raw = read_head(file.path, _SAMPLE)
                read_size, packed_size = read_size + len(raw), packed_size + whole_size(raw)
        return sum(file.size for file in files) * packed_size // read_size if read_size else 0

    def status(self) -> ArchiveStatus:
        """What is kept, and what the agents will delete."""
        states = self._store.index.states()
        summaries = [entry.summary for entry in self._index.everything()]
        return ArchiveStatus(
            keeping=self._store.enabled,
            busy=self._store.busy,
            ran=self._store.last_run,
            folder=str(self._store.folder),
            files=len({(state.agent, state.home, state.path) for state in states if state.sha is not None}),
            states=len(states),
            bytes=sum(state.size for state in states if state.sha is not None),
            stored=sum(active_packs(self._store.folder).values()),
            sessions=len(summaries),
            kept=sum(summary.kept for summary in summaries),
            due=tuple(self.due()),
        )

    def due(self) -> Iterator[Due]:
        """What the agents will delete within a week, by their own settings."""
        summaries = [one.summary for one in self._index.everything() if not one.summary.kept]
        for source, root in self._homes.roots():
            retention = retention_of(source, root.path) if folder_at(root.path) else None
            if retention is None:
                continue
            base = f"{root.path}/"
            concerned = [
                one
                for one in summaries
                if one.agent == source.name
                and one.kind in (Kind.MAIN, Kind.SUBAGENT)  # agents delete neither checkpoints nor typed prompts
                and any(file.startswith(base) and retention.concerns(file) for file in one.files)
            ]
            if concerned or retention.folder is None:
                old = [one.key for one in concerned if is_due(one.ended or one.started, retention)]
                yield Due(retention=retention, sessions=tuple(old))

    def verify(self) -> Verdict:
        """Read everything that is kept."""
        return verify(self._store)

    def export(self, file: Path) -> transfer.TransferResult:
        """Write the whole archive into one file, together with the user's marks."""
        self._homes.protect(file)
        return transfer.export(self._store, file, self._marks.exported())

    def import_file(self, file: Path) -> transfer.TransferResult:
        """Add the contents of such a file to the archive, and its marks to the user's."""
        result = transfer.import_file(self._store, file)
        result.marks = self._marks.join(transfer.marks_in(file))
        return result

    # ------------------------------------------------------------------ one session

    def history(self, session: Session) -> list[Change]:
        """What happened to a session's files."""
        return self._past(session).changes(self._index.kept_paths(session.key))

    def as_of(self, session: Session, when: datetime) -> Session:
        """The session as it was at a time. Raises `NotFound` where nothing of it had been kept by then."""
        past = self._past(session)
        files = self._index.kept_paths(session.key)
        if not past.changes(files):
            raise self._not_then(session, when, [])
        with self._past_folder() as folder:
            for source, root in past.check_out(folder, when, files, self._scans(), self._homes.source):
                for bundle in self._files.bundles_of(source, root):
                    for version in source.read(bundle).sessions:
                        if version.key == session.key:
                            return msgspec.structs.replace(version, kept=True)
        raise self._not_then(session, when, past.changes(files))

    @contextlib.contextmanager
    def _past_folder(self) -> Iterator[Path]:
        """The folder for homes as they were. Only one process at a time may use it. Raises `StoreError`."""
        folder = self._places.past
        try:
            make_private_folder(folder)
            with write_lock(folder / "lock", lambda _: None):
                yield folder
        except OSError as error:
            raise StoreError(f"The archive cannot be unpacked into {folder}: {error.strerror or error}.") from error

    def _not_then(self, session: Session, when: datetime, changes: list[Change]) -> NotFound | Busy:
        """Why there is no version from a time: the session was not kept yet, or its files were gone."""
        before = [change for change in changes if change.at <= when]
        deletions = [
            change for change in {change.file: change for change in before}.values() if change.change == "gone"
        ]
        last = max((change.at for change in before if change.sha256 is not None), default=None)
        if deletions and last is not None:
            since = max(change.at for change in deletions)
            advice = f"Try: pollux show {shell_word(session.key)} --as-of {last.isoformat().replace('+00:00', 'Z')}"
            return NotFound(f"The files of {session.key} were gone by {since:%Y-%m-%d %H:%M} UTC.", advice)
        first = min((change.at for change in changes), default=None)
        hint = f"It was first kept at {first:%Y-%m-%d %H:%M} UTC." if first is not None and not before else None
        return self._nothing(f"Nothing is kept of {session.key} from that time.", hint)

    def _nothing(self, sentence: str, hint: str | None = None) -> NotFound | Busy:
        """The error where nothing is kept. While another pollux writes to the archive, that is not sure."""
        if self._store.busy:
            return Busy(
                "Another pollux is writing to the archive, and has not reached this session yet.",
                "Try again when it is done.",
            )
        return NotFound(sentence, hint or "Try: pollux archive run")

    def _past(self, session: Session) -> Past:
        return Past(self._store, self._places.kept, session.agent)

    def _states(self, session: Session, when: datetime | None) -> list[State]:
        """The states to restore: those of a session's own files and of its sub-agents'."""
        files = {file for key in self._index.family(session.key) for file in self._index.kept_paths(key)}
        states = self._chosen(session, files, when)
        if not states:
            raise self._nothing(f"Nothing is kept of {session.key}.")
        return states

    def _related_states(self, session: Session, when: datetime | None) -> list[State]:
        """The states of other files on which a session depends: those that name its project, or that it continues."""
        family = set(self._index.family(session.key))
        files: set[str] = set()
        for source, root in self._files.every_root():
            for bundle in (
                self._files.bundles_of(with_complete_sessions(source), root) if source.name == session.agent else ()
            ):
                if bundle.key in family:
                    files.update(with_complete_sessions(source).read(bundle).related_files)
        return self._chosen(session, files, when)

    def _chosen(self, session: Session, files: set[str], when: datetime | None) -> list[State]:
        until = stamp_of(when) if when is not None else None
        return restore.states_to_restore(self._store, self._past(session).states(files), until)

    def plan(
        self, session: Session, folder: Path | None, when: datetime | None = None
    ) -> list[tuple[Restored, FileToWrite]]:
        """What `restore` would write: below a folder, or without one, where the files were.

        `when` is the time whose state is restored; without it, the last complete state is.
        """
        roots = [root.path for source, root in self._homes.roots() if source.name == session.agent]
        files = [
            *restore.files_to_write(self._store, self._states(session, when), folder, roots),
            *restore.files_to_write(self._store, self._related_states(session, when), folder, roots, beside=True),
        ]
        if folder is not None:
            self._homes.protect(*(file.place for file in files))
        else:
            files = kept_alive(files, session, self._homes.roots())
        return restore.plan(files)

    def prune_lost(self) -> transfer.TransferResult:
        """Drop what cannot be read any more."""
        return transfer.prune_lost(self._store)

    def restore(self, plan: list[tuple[Restored, FileToWrite]]) -> None:
        """Write the files of a plan."""
        restore.write(plan)
        self._index.close()  # the next question finds what is back

    def prune(self, sessions: list[Session]) -> transfer.TransferResult:
        """Drop the kept files of some sessions and their sub-agents, except files that other sessions share."""
        keys = {key for session in sessions for key in self._index.family(session.key)}
        others = {
            f
            for entry in self._index.everything()
            if entry.summary.key not in keys
            for f in self._index.kept_paths(entry.summary.key)
        }
        own = {file for key in keys for file in self._index.kept_paths(key)} - others
        states = [state for session in sessions for state in self._past(session).states(own)]
        if not states:
            raise self._nothing("Nothing is kept of that.", "Try: pollux archive status")
        return transfer.prune(self._store, {(state.agent, state.home, state.path) for state in states})
