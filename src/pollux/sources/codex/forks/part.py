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
from pollux.sources.codex.replay.entries import USER
from pollux.sources.codex.replay.walk import Walk
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path


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
        return Account(own, tasks, unreadable, sure=self.sure)

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
    own = own_part(file.path, books, threads, at_once=_is_at_once(walk))
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


def _is_at_once(walk: Walk) -> bool:
    """Do the first figures belong to a response that has the time of the file's first line?"""
    paid = next((entry for entry in walk.entries if entry.usages), None)
    return paid is not None and is_at_once(walk.times[0] if walk.times else None, paid.at)


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
