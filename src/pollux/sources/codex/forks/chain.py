"""The chain of files that a session's pointers lead through."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pollux.model import Fate
from pollux.sources.codex.forks.ancestors import ancestor
from pollux.sources.codex.forks.part import Part
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.forks.twins import in_order
from pollux.sources.codex.replay.entries import Entry
from pollux.sources.codex.replay.fates import fold
from pollux.wire import Notes, display_path


class Chain(msgspec.Struct):
    """A session's files in order: first those it only points to, then its own."""

    foreign: list[Part]
    own: list[Part]

    def entries(self) -> list[tuple[Part, list[Entry]]]:
        """Every message, by the file it stands in."""
        own: Iterable[tuple[Part, list[Entry]]] = ((part, part.walk.entries) for part in self.own)
        if any(part.has_branched for part in self.own):
            own = in_order(self.own)
        return [*((part, part.walk.entries) for part in self.foreign), *own]


def chain_of(own: list[Part], threads: Threads, notes: Notes) -> Chain:
    """Follow the pointers of the newest file. What it does not take over from the session's other files is rewound."""
    path: list[tuple[Part, int | None]] = [(own[-1], None)]
    if len(own) > 1 or own[0].base is not None:
        path = _path(own, threads, notes)
    ends = {id(part): end for part, end in path}
    for part in own:
        _cut(part, ends.get(id(part), 0))
    mine = {id(part) for part in own}
    foreign = [part for part, _ in path if id(part) not in mine]
    for part in foreign:
        end = ends[id(part)]
        part.walk.entries = [entry for entry in part.walk.entries if end is None or entry.ordinal < end]
        for entry in part.walk.entries:
            entry.inherited = True
    if any(part.walk.folds for part, _ in path):
        fold((part.walk.entries, part.walk.folds) for part, _ in path)
    return Chain(foreign, own)


def _path(own: list[Part], threads: Threads, notes: Notes) -> list[tuple[Part, int | None]]:
    """The files from the oldest to the newest, each with the ordinal before which the next one takes over."""
    by_rollout = {part.rollout: part for part in own if part.rollout is not None}
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
        part = by_rollout.get(name)
        if part is None:
            file = threads.rollout(name)
            part = ancestor(file, threads, notes) if file is not None else None
        if part is None:
            notes.file, notes.line = display_path(at.file.path), 1
            notes.add("fork.parent-missing", f"The session goes on from {name}, whose file is not there.")
            break
        path.append((part, end))
        at = part
    notes.line = None
    return path[::-1]


def _cut(part: Part, end: int | None) -> None:
    """Rewind what stands in a file from a place on."""
    for entry in part.walk.entries if end is not None else ():
        if end is not None and entry.ordinal >= end:
            entry.fate = Fate.REWOUND
