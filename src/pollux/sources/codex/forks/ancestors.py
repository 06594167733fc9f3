"""The files that others go on from: each is read once, however many sessions show its messages."""

from __future__ import annotations

from copy import copy

import msgspec

from pollux.sources.base import File
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.forks.part import Part, read_part
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.replay.entries import Entry
from pollux.sources.codex.replay.fates import Fold
from pollux.wire import Notes

# What a message takes beside its words.
_MESSAGE = 1000
# How much larger than its file a text may become: compressed, and plain with wide letters.
_UNPACKED, _PLAIN = 100, 4


class _Ancestor(msgspec.Struct):
    """A file as it was read, what was noticed then, and what was asked about other files."""

    part: Part | None
    notes: Notes
    questions: dict[str, str]


def ancestor(file: File, threads: Threads, notes: Notes) -> Part | None:
    """Read a file that another one goes on from; None where it cannot be opened."""
    memory: _Ancestor | None = threads.ancestors.get(file.path)
    if memory is None:
        before, threads.questions = threads.questions, {}
        remarks = Notes()
        memory = _Ancestor(read_part(file, threads, remarks), remarks, threads.questions)
        threads.questions = before
        threads.ancestors.put(file.path, memory, _size(file, memory.part))
    threads.questions.update(memory.questions)
    notes.extend(memory.notes)
    return _own_copy(memory.part) if memory.part is not None else None


def _size(file: File, part: Part | None) -> int:
    """How much room a file takes once it is read, at most."""
    factor = _UNPACKED if file.path.endswith(".zst") else _PLAIN
    return file.size * factor + _MESSAGE * (len(part.walk.entries) if part is not None else 1)


def _own_copy(part: Part) -> Part:
    """A copy whose messages may be folded, taken back and settled in one session alone."""
    result = copy(part)
    walk = result.walk = copy(part.walk)
    spawns = {id(call): copy(call) for call in walk.spawns}
    copies = {id(entry): _entry(entry, spawns) for entry in part.walk.entries}
    walk.spawns = list(spawns.values())
    walk.entries = list(copies.values())
    walk.folds = [Fold(copies[id(fold.summary)], fold.history) for fold in walk.folds if id(fold.summary) in copies]
    return result


def _entry(entry: Entry, spawns: dict[int, Call]) -> Entry:
    result = copy(entry)
    if spawns:
        result.parts = [spawns.get(id(part), part) for part in entry.parts]
    return result
