"""One session file, which Codex calls a rollout: its messages, its state, and where the session's own part begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message, Severity, Tally
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.forks.forks import (
    OwnPart,
    base_of,
    is_at_once,
    own_part,
    resumed_copy,
    torn_origin,
    total_before,
)
from pollux.sources.codex.forks.joined_file import JoinedFile, opened_rollout
from pollux.sources.codex.forks.similar_files import NEVER
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.document import document, records_of
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.format.records import Record
from pollux.sources.codex.gaps import Account
from pollux.sources.codex.replay.entries import MODEL, USER, Entry
from pollux.sources.codex.replay.replay import Replay
from pollux.sources.codex.replay.thread_state import ThreadState
from pollux.sources.codex.usage.tokens import tally
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path

# The fields of the first line that tell where a session began as another one.
_ORIGINS = ("forked_from_id", "history_base", "subagent_history_start_ordinal")


class Rollout(msgspec.Struct):
    """The content of one file. The session's own part begins with the line `begins`; `sure` says if that is certain.

    `is_torn` says that some lines cannot be read. `shared` is the last line that another file of the session has too.
    `apart` are lines that no other file has. `has_branched` says that the session's files end differently.
    """

    file: File
    replay: Replay
    state: ThreadState
    extra: dict[str, Any]
    copied_from: str | None = None
    begins: int = 0
    sure: bool = True
    is_torn: bool = False
    shared: int = -1
    apart: set[int] = msgspec.field(default_factory=set)
    has_branched: bool = False

    def has_alone(self, line: int) -> bool:
        """Does no other file of the session have this line?"""
        return line > self.shared or line in self.apart

    @property
    def paths(self) -> list[str]:
        """The file's path. If it was joined from several files, all of their paths."""
        return self.file.paths if isinstance(self.file, JoinedFile) else [self.file.path]

    @property
    def tally(self) -> Tally | None:
        """The last total of the thread in the file."""
        total = tally(self.replay.meter, display_path(self.file.path))
        return self.file.located(total) if total is not None and isinstance(self.file, JoinedFile) else total

    @property
    def records(self) -> list[dict[str, Any]]:
        """The file's bookkeeping. If the session has branched, only the records that no other file has."""
        records: list[dict[str, Any]] = self.replay.bookkeeping.all()
        if self.has_branched:
            records = [record for record in records if self.has_alone(record.get("line", NEVER))]
        return [self.file.record(record) for record in records] if isinstance(self.file, JoinedFile) else records

    def messages(self, names_and_entries: Iterable[tuple[str, Entry]]) -> list[Message]:
        """Messages of the file, finished, under these names."""
        file, path, is_document = self.file, display_path(self.file.path), self.file.path.endswith(".json")
        messages = [entry.message(name, path, is_document) for name, entry in names_and_entries]
        return [file.message(message) for message in messages] if isinstance(file, JoinedFile) else messages

    @property
    def meta(self) -> dict[str, Any]:
        """The file's `session_meta`."""
        return self.state.meta

    @property
    def id(self) -> str | None:
        """The file's own id."""
        return find.parse_name(self.file.path)[1]

    @property
    def base(self) -> tuple[str, int] | None:
        """The id of the file that this file continues (0.149+), and the ordinal at which it takes over."""
        return base_of(self.meta)

    @property
    def account(self) -> Account:
        """The messages and turns of the session's own part."""
        own = [entry for entry in self.replay.entries if not entry.inherited]
        tasks = [task for task in self.state.tasks if task.line >= self.begins]
        unreadable = [line for line in self.replay.meter.unreadable if line >= self.begins]
        return Account(own, tasks, unreadable, sure=self.sure, goes_on=self._goes_on)

    @property
    def _goes_on(self) -> bool:
        """Do the first figures go on from others, which stand neither in the file nor in a parent's?"""
        meta, carried = self.meta, self.replay.meter.carried
        is_fork = self.state.parents or any(meta.get(name) is not None for name in _ORIGINS)
        return not is_fork and carried is not None and carried >= self.begins

    @property
    def ended(self) -> datetime | None:
        """The time of the last line."""
        return max(self.replay.times, default=self.started)

    @property
    def started(self) -> datetime | None:
        """The time at which the file was begun."""
        at = recorded(self.meta.get("timestamp"))
        if at is None:
            return min(self.replay.times, default=None)
        return _as_utc(at, self.file.path) if self.state.bare else at


def _as_utc(at: datetime, path: str) -> datetime:
    """Up to 0.29 Codex wrote local time as if it were UTC. The time in the file's name is always local."""
    if f"{at:%Y-%m-%dT%H-%M-%S}" != find.parse_name(path)[2]:
        return at
    return at.replace(tzinfo=None).astimezone(UTC)


def read_rollout(file: File, threads: Threads, notes: Notes) -> Rollout | None:
    """Read one file; None if it cannot be opened."""
    notes.file, notes.line = display_path(file.path), None
    try:
        return _of_document(file, notes) if file.path.endswith(".json") else _of_lines(file, threads, notes)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
        return None


def read_joined(file: File, threads: Threads, notes: Notes) -> Rollout | None:
    """Read one file, which may be joined from several."""
    rollout = read_rollout(file, threads, notes)
    if isinstance(file, JoinedFile):
        notes.move(display_path(file.path), file.place)
    return rollout


def _of_document(file: File, notes: Notes) -> Rollout:
    replay, state = Replay(notes), ThreadState(find.parse_name(file.path)[0])
    content = document(file.path, notes)
    replay.run(records_of(content, notes), state.apply)
    extra = dict(content.extra)
    if content.session is not None and type(content.session) is not dict:
        extra["session"] = content.session
    notes.line = None
    return Rollout(file, replay, state, extra)


def _of_lines(file: File, threads: Threads, notes: Notes) -> Rollout:
    replay, state = _replay_lines(file, threads, notes)
    if not state.parents and _has_torn(notes) and (name := torn_origin(file, state.meta)) is not None:
        state.parents.append(name)
    own = own_part(file, state, threads, at_once=_is_at_once(replay, state))
    origin: str | None = None
    if state.bare and not own.begins:
        own.begins, origin = resumed_copy(file.path, threads)
    if own.begins:
        if _may_straddle(replay, own.begins):
            notes.forget(display_path(file.path))
            parents = state.parents
            replay, state = _replay_lines(file, threads, notes, own.begins)
            state.parents = parents
        for entry in replay.entries:
            entry.inherited = entry.line < own.begins
        _remove_parent_figures(replay, own)
    _leave_out_repeated(replay, own)
    notes.line = None
    return Rollout(file, replay, state, {}, origin, own.begins, own.sure, _has_torn(notes))


def _replay_lines(file: File, threads: Threads, notes: Notes, begins: int = 0) -> tuple[Replay, ThreadState]:
    """Read the lines of a file. A message ends where the session's own part begins."""
    replay, state = Replay(notes), ThreadState(find.parse_name(file.path)[0])
    replay.meter.origin = lambda: total_before(base_of(state.meta), threads)

    def parted(lines: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
        is_over = False
        for number, record in lines:
            if number >= begins and not is_over:
                replay.end_turn()
                is_over = True
            yield number, record

    with opened_rollout(file, notes) as opened:
        lines = records(opened, notes)
        replay.run(parted(lines) if begins else lines, state.apply)
    return replay, state


def _is_at_once(replay: Replay, state: ThreadState) -> bool:
    """Do the first figures belong to a response that has the time of the file's first line?

    Up to 0.87 that line does not name the parent, and the copy may begin a moment after it.
    """
    paid = next((entry for entry in replay.entries if entry.usages), None)
    names_parent = state.turns or "base_instructions" in state.meta
    starts = replay.times[: 1 if names_parent else 2]
    return paid is not None and any(is_at_once(start, paid.at) for start in starts)


def _may_straddle(replay: Replay, begins: int) -> bool:
    """May one message contain words of the parent and of the session? Not if the session begins with a prompt."""
    if begins == NEVER:
        return False
    first = next((entry for entry in replay.entries if entry.line >= begins), None)
    return first is None or first.role is not USER


def _has_torn(notes: Notes) -> bool:
    """Does the file have a line that cannot be read?"""
    damage = ("line.invalid", "line.not-object")
    return bool(notes) and any(notice.code in damage and notice.file == notes.file for notice in notes.all())


def _remove_parent_figures(replay: Replay, own_part: OwnPart) -> None:
    """Remove the parent's figures from the session's own messages.

    If the first total has grown by more than its response used, the difference belongs to the parent. Figures that the
    parent has too are the parent's.
    """
    own = [entry for entry in replay.entries if not entry.inherited and entry.usages]
    for entry in own:
        usages = entry.usages or []
        paid = [usage for usage in usages if (usage.line or 0) >= own_part.begins and usage.line != own_part.repeats]
        if len(paid) < len(usages):
            entry.usages, own_part.sure = paid or None, False
    first = min((usage.line or 0 for entry in own for usage in entry.usages or ()), default=0)
    if (alone := replay.meter.alone.get(first)) is None:
        return
    for entry in own:
        entry.usages = [alone if usage.line == first else usage for usage in entry.usages or ()] or None


def _leave_out_repeated(replay: Replay, own_part: OwnPart) -> None:
    """Remove the first figures of the own part if they tell the parent's last response again, whose line is lost.

    From 0.49 to 0.130 a turn begins with the figures so far. So they come before any response, and go on from a total.
    """
    if replay.meter.carried is None and not own_part.begins:
        return
    own = [entry for entry in replay.entries if not entry.inherited]
    lines = [(usage.line or 0, place) for place, entry in enumerate(own) for usage in entry.usages or ()]
    line, place = min(lines, default=(0, None))
    if place is None or (payer := own[place]).author is not MODEL or line in replay.meter.restarts:
        return
    is_answer = any(entry.author is MODEL and entry.parts and entry.line < line for entry in own)
    if is_answer or not (line == replay.meter.carried or _lacks_figures(replay)):
        return
    payer.usages, own_part.sure = [usage for usage in payer.usages or () if usage.line != line] or None, False
    if not payer.parts and not payer.usages:
        replay.entries = [entry for entry in replay.entries if entry is not payer]


def _lacks_figures(replay: Replay) -> bool:
    """Does the parent's last response have no figures?"""
    last = next((entry for entry in reversed(replay.entries) if entry.inherited and entry.author is MODEL), None)
    return last is not None and not last.is_paid
