"""Files that other files continue. Each is read once, however many sessions show its messages."""

from __future__ import annotations

from copy import copy

import msgspec

from pollux.sources.base import File
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.forks.rollout import Rollout, read_joined
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.replay.entries import Entry
from pollux.sources.codex.replay.fates import Compaction
from pollux.wire import Notes

# The bytes that a message takes in addition to its text.
_MESSAGE = 1000
# How many times larger than its file the text may become: for a compressed file, and for a plain one.
_UNPACKED, _PLAIN = 100, 4


class _Ancestor(msgspec.Struct):
    """The result of reading a file, the notices, and the questions about other files."""

    rollout: Rollout | None
    notes: Notes
    questions: dict[str, str]


def ancestor(file: File, threads: Threads, notes: Notes) -> Rollout | None:
    """Read a file that another file continues; None if it cannot be opened."""
    memory: _Ancestor | None = threads.ancestors.get(file.path)
    if memory is None:
        before, threads.questions = threads.questions, {}
        remarks = Notes()
        memory = _Ancestor(read_joined(file, threads, remarks), remarks, threads.questions)
        threads.questions = before
        threads.ancestors.put(file.path, memory, _size(file, memory.rollout))
    threads.questions.update(memory.questions)
    notes.extend(memory.notes)
    return _own_copy(memory.rollout) if memory.rollout is not None else None


def _size(file: File, rollout: Rollout | None) -> int:
    """The most bytes that a file takes in memory after it was read."""
    factor = _UNPACKED if file.path.endswith(".zst") else _PLAIN
    return file.size * factor + _MESSAGE * (len(rollout.replay.entries) if rollout is not None else 1)


def _own_copy(rollout: Rollout) -> Rollout:
    """A copy whose messages one session can change without changing them for other sessions."""
    result = copy(rollout)
    replay = result.replay = copy(rollout.replay)
    spawns = {id(call): copy(call) for call in replay.spawns}
    copies = {id(entry): _entry(entry, spawns) for entry in rollout.replay.entries}
    replay.spawns = list(spawns.values())
    replay.entries = list(copies.values())
    replay.compactions = [
        Compaction(copies[id(compaction.summary)], compaction.history)
        for compaction in replay.compactions
        if id(compaction.summary) in copies
    ]
    return result


def _entry(entry: Entry, spawns: dict[int, Call]) -> Entry:
    result = copy(entry)
    if spawns:
        result.parts = [spawns.get(id(part), part) for part in entry.parts]
    return result
