"""One file of a session, read: its messages, its bookkeeping, and where the session's own part begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.forks.alike import NEVER
from pollux.sources.codex.forks.forks import (
    Own,
    base_of,
    is_at_once,
    own_part,
    resumed_copy,
    torn_origin,
    total_before,
)
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.document import document, records_of
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.format.records import Record
from pollux.sources.codex.gaps import Account
from pollux.sources.codex.replay.bookkeeping import Books
from pollux.sources.codex.replay.entries import MODEL, USER, Entry
from pollux.sources.codex.replay.walk import Walk
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path

# The fields of the first line that tell where a session began as another one.
_ORIGINS = ("forked_from_id", "history_base", "subagent_history_start_ordinal")


class Part(msgspec.Struct):
    """What one file holds. The session's own part begins with the line `begins`; `sure` says whether that is certain.

    `is_torn` says that some of its lines cannot be read. `shared` is the last line that another file of the session
    has, too, and `apart` are lines that no other file has. `has_branched` says that the files go on differently.
    """

    file: File
    walk: Walk
    books: Books
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
    def meta(self) -> dict[str, Any]:
        """What the file says about itself."""
        return self.books.meta

    @property
    def rollout(self) -> str | None:
        """The file's own id."""
        return find.named(self.file.path)[1]

    @property
    def base(self) -> tuple[str, int] | None:
        """The file that this one goes on from (0.149+), and up to where."""
        return base_of(self.meta)

    @property
    def account(self) -> Account:
        """What the session itself did in it."""
        own = [entry for entry in self.walk.entries if not entry.inherited]
        tasks = [task for task in self.books.tasks if task.line >= self.begins]
        unreadable = [line for line in self.walk.meter.unreadable if line >= self.begins]
        return Account(own, tasks, unreadable, sure=self.sure, goes_on=self._goes_on)

    @property
    def _goes_on(self) -> bool:
        """Do the first figures go on from others, which stand neither in the file nor in a parent's?"""
        meta, carried = self.meta, self.walk.meter.carried
        is_fork = self.books.copied or any(meta.get(name) is not None for name in _ORIGINS)
        return not is_fork and carried is not None and carried >= self.begins

    @property
    def ended(self) -> datetime | None:
        """When it was written to last."""
        return max(self.walk.times, default=self.started)

    @property
    def started(self) -> datetime | None:
        """When it was begun."""
        at = recorded(self.meta.get("timestamp"))
        if at is None:
            return min(self.walk.times, default=None)
        return _really(at, self.file.path) if self.books.bare else at


def _really(at: datetime, path: str) -> datetime:
    """Up to 0.29 Codex wrote local time as if it were UTC. The time in the file's name is always local."""
    if f"{at:%Y-%m-%dT%H-%M-%S}" != find.named(path)[2]:
        return at
    return at.replace(tzinfo=None).astimezone(UTC)


def read_part(file: File, threads: Threads, notes: Notes) -> Part | None:
    """Read one file; None where it cannot be opened."""
    notes.file, notes.line = display_path(file.path), None
    try:
        return _of_document(file, notes) if file.path.endswith(".json") else _of_lines(file, threads, notes)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
        return None


def _of_document(file: File, notes: Notes) -> Part:
    walk, books = Walk(notes), Books(find.named(file.path)[0])
    content = document(file.path, notes)
    walk.run(records_of(content, notes), books.enter)
    extra = dict(content.extra)
    if content.session is not None and type(content.session) is not dict:
        extra["session"] = content.session
    notes.line = None
    return Part(file, walk, books, extra)


def _of_lines(file: File, threads: Threads, notes: Notes) -> Part:
    walk, books = _walked(file, threads, notes)
    if not books.copied and _has_torn(notes) and (name := torn_origin(file.path, books.meta)) is not None:
        books.copied.append(name)
    own = own_part(file.path, books, threads, at_once=_is_at_once(walk, books))
    origin: str | None = None
    if books.bare and not own.begins:
        own.begins, origin = resumed_copy(file.path, threads)
    if own.begins:
        if _may_straddle(walk, own.begins):
            notes.forget(display_path(file.path))
            copied = books.copied
            walk, books = _walked(file, threads, notes, own.begins)
            books.copied = copied
        for entry in walk.entries:
            entry.inherited = entry.line < own.begins
        _pay_for_own(walk, own)
    _leave_out_repeated(walk, own)
    notes.line = None
    return Part(file, walk, books, {}, origin, own.begins, own.sure, _has_torn(notes))


def _walked(file: File, threads: Threads, notes: Notes, begins: int = 0) -> tuple[Walk, Books]:
    """Read the lines of a file. A message ends where the session's own part begins."""
    walk, books = Walk(notes), Books(find.named(file.path)[0])
    walk.meter.origin = lambda: total_before(base_of(books.meta), threads)

    def parted(lines: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
        is_over = False
        for number, record in lines:
            if number >= begins and not is_over:
                walk.end_turn()
                is_over = True
            yield number, record

    with unpacked(file.path, notes) as opened:
        lines = records(opened, notes)
        walk.run(parted(lines) if begins else lines, books.enter)
    return walk, books


def _is_at_once(walk: Walk, books: Books) -> bool:
    """Do the first figures belong to a response that has the time of the file's first line?

    Up to 0.87 that line does not name the parent, and the copy may begin a moment after it.
    """
    paid = next((entry for entry in walk.entries if entry.usages), None)
    names_parent = books.turns or "base_instructions" in books.meta
    starts = walk.times[: 1 if names_parent else 2]
    return paid is not None and any(is_at_once(start, paid.at) for start in starts)


def _may_straddle(walk: Walk, begins: int) -> bool:
    """May one message hold words of the parent and of the session? Not where the session begins with a prompt."""
    if begins == NEVER:
        return False
    first = next((entry for entry in walk.entries if entry.line >= begins), None)
    return first is None or first.role is not USER


def _has_torn(notes: Notes) -> bool:
    """Does the file have a line that cannot be read?"""
    damage = ("line.invalid", "line.not-object")
    return any(notice.code in damage and notice.file == notes.file for notice in notes.all())


def _pay_for_own(walk: Walk, part: Own) -> None:
    """The first figures of a session's own part are those of its response alone.

    Where the total has grown by more, the figures before it could not be read, and were the parent's. So are those that
    the parent told already.
    """
    own = [entry for entry in walk.entries if not entry.inherited and entry.usages]
    for entry in own:
        usages = entry.usages or []
        paid = [usage for usage in usages if (usage.line or 0) >= part.begins and usage.line != part.repeats]
        if len(paid) < len(usages):
            entry.usages, part.sure = paid or None, False
    first = min((usage.line or 0 for entry in own for usage in entry.usages or ()), default=0)
    if (alone := walk.meter.alone.get(first)) is None:
        return
    for entry in own:
        entry.usages = [alone if usage.line == first else usage for usage in entry.usages or ()] or None


def _leave_out_repeated(walk: Walk, part: Own) -> None:
    """Remove the first figures of the own part if they tell the parent's last response again, whose line is lost.

    From 0.49 to 0.130 a turn begins with the figures so far. So they come before any response, and go on from a total.
    """
    own = [entry for entry in walk.entries if not entry.inherited]
    payer = min((entry for entry in own if entry.usages), key=_first_figures, default=None)
    if payer is None or payer.author is not MODEL:
        return
    line = _first_figures(payer)
    is_answer = any(entry.author is MODEL and entry.parts and entry.line < line for entry in own)
    if is_answer or line in walk.meter.restarts or not (line == walk.meter.carried or _lacks_figures(walk)):
        return
    payer.usages, part.sure = [usage for usage in payer.usages or () if usage.line != line] or None, False
    if not payer.parts and not payer.usages:
        walk.entries = [entry for entry in walk.entries if entry is not payer]


def _first_figures(entry: Entry) -> int:
    return min(usage.line or 0 for usage in entry.usages or ())


def _lacks_figures(walk: Walk) -> bool:
    """Does the parent's last response have no figures?"""
    last = next((entry for entry in reversed(walk.entries) if entry.inherited and entry.author is MODEL), None)
    return last is not None and not last.is_paid
