"""The chain of files of a session: each file names the file that it continues (`history_base`)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pollux.model import Fate
from pollux.sources.codex import find
from pollux.sources.codex.forks.ancestors import ancestor
from pollux.sources.codex.forks.rollout import Rollout
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.forks.twins import in_order
from pollux.sources.codex.replay.entries import Entry
from pollux.sources.codex.replay.fates import compress_older
from pollux.wire import Notes, display_path


class Chain(msgspec.Struct):
    """The files of a session in order: first those of other sessions, then its own.

    `is_broken` says that one of its own files is gone, or ends before the line at which the next one takes over.
    """

    foreign: list[Rollout]
    own: list[Rollout]
    is_broken: bool = False

    def entries(self) -> list[tuple[Rollout, list[Entry]]]:
        """All messages, by their files."""
        own: Iterable[tuple[Rollout, list[Entry]]] = ((rollout, rollout.replay.entries) for rollout in self.own)
        if any(rollout.has_branched for rollout in self.own):
            own = in_order(self.own)
        return [*((rollout, rollout.replay.entries) for rollout in self.foreign), *own]


def chain_of(own: list[Rollout], threads: Threads, notes: Notes) -> Chain:
    """Follow the chain from the newest file. Rewind messages of the session's other files that it does not continue."""
    path: list[tuple[Rollout, int | None]] = [(own[-1], None)]
    if len(own) > 1 or own[0].base is not None:
        path = _path(own, threads, notes)
    ends = {id(rollout): end for rollout, end in path}
    for rollout in own:
        _rewind_from(rollout, ends.get(id(rollout), 0))
    mine = {id(rollout) for rollout in own}
    foreign = [rollout for rollout, _ in path if id(rollout) not in mine]
    for rollout in foreign:
        end = ends[id(rollout)]
        rollout.replay.entries = [entry for entry in rollout.replay.entries if end is None or entry.ordinal < end]
        for entry in rollout.replay.entries:
            entry.inherited = True
    if any(rollout.replay.compactions for rollout, _ in path):
        compress_older((rollout.replay.entries, rollout.replay.compactions) for rollout, _ in path)
    return Chain(foreign, own, _is_broken(path, mine))


def _is_broken(path: list[tuple[Rollout, int | None]], mine: set[int]) -> bool:
    """Is one of the session's own files gone or cut? A file that is not its thread's first goes on from an own one."""
    first = path[0][0]
    is_first_gone = first.base is not None and first.id != find.parse_name(first.file.path)[0]
    return (is_first_gone and id(first) in mine) or any(
        id(rollout) in mine and end is not None and rollout.replay.ordinal + 1 < end for rollout, end in path
    )


def _path(own: list[Rollout], threads: Threads, notes: Notes) -> list[tuple[Rollout, int | None]]:
    """The files from the oldest to the newest, each with the ordinal at which the next file takes over."""
    by_rollout = {rollout.id: rollout for rollout in own if rollout.id is not None}
    at = own[-1]
    path: list[tuple[Rollout, int | None]] = [(at, None)]
    seen = {at.id}
    while (base := at.base) is not None:
        name, end = base
        if name in seen:
            notes.file, notes.line = display_path(at.file.path), 1
            notes.add("fork.circle", "A session points back to itself; the circle is cut.")
            break
        seen.add(name)
        rollout = by_rollout.get(name)
        if rollout is None:
            file = threads.rollout_file(name)
            rollout = ancestor(file, threads, notes) if file is not None else None
        if rollout is None:
            notes.file, notes.line = display_path(at.file.path), 1
            notes.add("fork.parent-missing", f"The session goes on from {name}, whose file is not there.")
            break
        path.append((rollout, end))
        at = rollout
    notes.line = None
    return path[::-1]


def _rewind_from(rollout: Rollout, end: int | None) -> None:
    """Mark the messages of a file from an ordinal on as rewound."""
    for entry in rollout.replay.entries if end is not None else ():
        if end is not None and entry.ordinal >= end:
            entry.fate = Fate.REWOUND
