"""The files of a session read one by one, and the chain of files a pointer leads through."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Fate, Severity
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.forks.forks import Own, base_of, own_part, resumed_copy, torn_origin, total_before
from pollux.sources.codex.forks.threads import Shelf
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.document import document, records_of
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.gaps import Account
from pollux.sources.codex.replay.bookkeeping import Books
from pollux.sources.codex.replay.entries import Entry
from pollux.sources.codex.replay.fates import fold, unfold
from pollux.sources.codex.replay.walk import Walk
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path


class Part(msgspec.Struct):
    """What one file gave. `begins` is the line with which the session's own part begins, `sure` if that is certain."""

    file: File
    walk: Walk
    books: Books
    extra: dict[str, Any]
    copied_from: str | None = None
    begins: int = 0
    sure: bool = True

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
    def started(self) -> datetime | None:
        """When it was begun."""
        at = recorded(self.meta.get("timestamp"))
        if at is None:
            return min(self.walk.times, default=None)
        return _really(at, self.file.path) if self.books.bare else at


def _really(at: datetime, path: str) -> datetime:
    """Up to 0.29 local time was written as if it were UTC: it is that of the file's name, which is always local."""
    if f"{at:%Y-%m-%dT%H-%M-%S}" != find.named(path)[2]:
        return at
    return at.replace(tzinfo=None).astimezone(UTC)


def part(file: File, shelf: Shelf, notes: Notes) -> Part | None:
    """Read one file; None where it cannot be opened."""
    notes.file, notes.line = display_path(file.path), None
    walk, books = Walk(notes), Books(find.named(file.path)[0])
    walk.meter.origin = lambda: total_before(base_of(books.meta), shelf)
    extra: dict[str, Any] = {}
    copied_from: str | None = None
    own = Own()
    try:
        if file.path.endswith(".json"):
            found = document(file.path, notes)
            walk.run(records_of(found, notes), books.enter)
            extra = dict(found.extra)
            if found.session is not None and type(found.session) is not dict:
                extra["session"] = found.session
        else:
            with unpacked(file.path, notes) as opened:
                walk.run(records(opened, notes), books.enter)
            if not books.copied and _has_torn(notes) and (name := torn_origin(file.path, books.meta)) is not None:
                books.copied.append(name)
            own = own_part(file.path, books, shelf)
            if books.bare and not own.begins:
                own.begins, copied_from = resumed_copy(file.path, shelf)
            if own.begins:
                for entry in walk.entries:
                    entry.inherited = entry.line < own.begins
                _pay_for_own(walk, own)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
        return None
    notes.line = None
    return Part(file, walk, books, extra, copied_from, own.begins, own.sure)


def _has_torn(notes: Notes) -> bool:
    """Could a line of the file be read by nobody?"""
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


def whole(own: list[Part]) -> tuple[list[Part], list[File]]:
    """The parts that say something of their own, and the files that only repeat the beginning of another."""
    kept: list[Part] = []
    copies: list[File] = []
    heads = {held.file.path: _beginnings(held.file.path, 1) for held in own}
    often = Counter(head[-1] for head in heads.values())
    known: set[bytes] = set()
    ends: set[bytes] = set()
    for held in sorted(own, key=lambda held: -held.walk.line):
        mine = heads[held.file.path]
        if often[mine[-1]] > 1:
            mine = _beginnings(held.file.path)
        if mine[-1] in known or not ends.isdisjoint(mine):
            copies.append(held.file)
        else:
            kept.append(held)
            known.update(mine)
            ends.add(mine[-1])
    return kept, copies


def _beginnings(path: str, most: int | None = None) -> list[bytes]:
    """What stands for no line of a file, for its first line, its first two, and so on.

    A file that cannot be read begins like no other.
    """
    digest = hashlib.blake2b(digest_size=16)
    found = [digest.digest()]
    try:
        with unpacked(path, Notes()) as file:
            for line in islice(file, most):
                digest.update(line.rstrip() + b"\n")
                found.append(digest.digest())
    except Unreadable:
        return [os.fsencode(path)]
    return found


class Chain(msgspec.Struct):
    """A session's files in order: first those it only points to, then its own."""

    foreign: list[Part]
    own: list[Part]

    def entries(self) -> list[tuple[Part, list[Entry]]]:
        """Every message, by the file it stands in."""
        return [(held, held.walk.entries) for held in (*self.foreign, *self.own)]


def chained(own: list[Part], shelf: Shelf, notes: Notes) -> Chain:
    """Follow the newest file's pointers: what it does not take over of the session's other files was taken back."""
    if len(own) == 1 and own[0].base is None:
        return Chain([], own)
    path = _path(own, shelf, notes)
    ends = {id(held): end for held, end in path}
    for held in own:
        _cut(held, ends.get(id(held), 0))
    mine = {id(held) for held in own}
    foreign = [held for held, _ in path if id(held) not in mine]
    for held in foreign:
        end = ends[id(held)]
        _cut(held, end)
        held.walk.entries = [entry for entry in held.walk.entries if end is None or entry.ordinal < end]
        for entry in held.walk.entries:
            entry.inherited = True
    before: list[Entry] = []
    for held, _ in path:
        for summary in held.walk.folds:
            fold(before, summary.history)
        before += held.walk.entries
    return Chain(foreign, own)


def _path(own: list[Part], shelf: Shelf, notes: Notes) -> list[tuple[Part, int | None]]:
    """From the oldest file to the newest, each with the number of the line before which the next one takes over."""
    by_rollout = {held.rollout: held for held in own if held.rollout is not None}
    at = own[-1]
    path: list[tuple[Part, int | None]] = [(at, None)]
    seen = {at.rollout}
    while (base := at.base) is not None:
        name, end = base
        if name in seen:
            notes.file, notes.line = display_path(at.file.path), 1
            notes.add("fork.circle", "A session points back to itself; the circle is cut.")
            break
        seen.add(name)
        held = by_rollout.get(name)
        if held is None:
            file = shelf.rollout(name)
            held = part(file, shelf, notes) if file is not None else None
        if held is None:
            notes.file, notes.line = display_path(at.file.path), 1
            notes.add("fork.parent-missing", f"The session goes on from {name}, whose file is not there.")
            break
        path.insert(0, (held, end))
        at = held
    notes.line = None
    return path


def _cut(held: Part, end: int | None) -> None:
    """What a file says from a place on was taken back, and so were the summaries in there."""
    if end is None:
        return
    for entry in held.walk.entries:
        if entry.ordinal >= end:
            entry.fate = Fate.REWOUND
    held.walk.folds = unfold(held.walk.folds)
