"""Several files of one session with the same beginning: messages that two of them have are shown and counted once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from pollux.model import Text, Thinking
from pollux.sources.base import File
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.forks.copies import after, lines_in
from pollux.sources.codex.forks.rollout import Rollout
from pollux.sources.codex.format.document import fingerprints_of_items
from pollux.sources.codex.format.lines import canonical
from pollux.sources.codex.replay.entries import Entry
from pollux.wire import Notes, display_path

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MessageKey = tuple[Any, ...]
_Line = tuple[int, bytes | None]


def unite(own: list[Rollout], notes: Notes) -> tuple[list[Rollout], list[File]]:
    """Remove from each file the messages that a later file of the session has too. Return the originals and the copies.

    The last file decides which messages are live. Two messages are the same if their time and their text are equal. If
    lines have no times, messages are the same as far as both files begin with the same lines.
    """
    twins: dict[str, list[Rollout]] = {}
    for rollout in own:
        twins.setdefault(rollout.id or str(rollout.meta.get("id")), []).append(rollout)
    copies = {
        rollout.file.path: rollout.file for same in twins.values() if len(same) > 1 for rollout in _repeating(same)
    }
    for path in copies:
        notes.forget(display_path(path))
    originals = [rollout for rollout in own if rollout.file.path not in copies]
    for rollout in originals:
        if rollout.has_branched:
            notes.file, notes.line = display_path(rollout.file.path), None
            text = "Two files of this session go on differently: what stands only here is counted, and is not live."
            notes.add("session.branches", text)
    return originals, list(copies.values())


def _repeating(same: list[Rollout]) -> Iterator[Rollout]:
    """Remove from each file the messages that later files have too. Yield the files without any message left."""
    known = _LaterFiles(same[-1])
    for rollout in reversed(same):
        keys = list(_keys(rollout.file))
        if rollout is not same[-1]:
            rollout.shared = max((number for number, key in keys if key in known.lines), default=-1)
            if not known.is_torn:
                rollout.apart = {number for number, key in keys if key not in known.lines}
            if not rollout.replay.times:
                known.share(rollout)
            _remove_shared(rollout, known)
            if not rollout.replay.entries and rollout.shared >= 0:
                yield rollout
                continue
        known.add(rollout, keys)


class _LaterFiles:
    """The messages and lines of the later files of a session."""

    def __init__(self, current: Rollout) -> None:
        self._current = current
        self.messages: dict[_MessageKey, list[Entry]] = {}
        self.lines: set[bytes] = set()
        self.is_torn = False

    @cached_property
    def _lines(self) -> list[_Line]:
        return _contents(self._current.file)

    def share(self, rollout: Rollout) -> None:
        """Find how many first lines a file without times shares with the last file."""
        lines = _contents(rollout.file)
        rollout.shared = _shared(lines, self._lines)
        self._current.shared = max(self._current.shared, _shared(self._lines, lines))

    def add(self, rollout: Rollout, keys: list[tuple[int, bytes]]) -> None:
        """Add the messages and lines of a file."""
        self.is_torn = self.is_torn or rollout.is_torn
        self.lines.update(key for _, key in keys)
        for entry in rollout.replay.entries:
            self.messages.setdefault(_message_key(entry), []).append(entry)


def _remove_shared(rollout: Rollout, known: _LaterFiles) -> None:
    """Remove the messages and figures that a later file has too."""
    own: list[Entry] = []
    times: Counter[_MessageKey] = Counter()
    for entry in rollout.replay.entries:
        late = [usage for usage in entry.usages or () if rollout.has_alone(usage.line or 0)]
        key = _message_key(entry)
        originals = known.messages.get(key, []) if entry.at is not None or entry.line <= rollout.shared else []
        if times[key] < len(originals):
            original = originals[times[key]]
            times[key] += 1
            if late and not original.is_paid:
                original.usages = late
            entry.inherited = True
            continue
        if entry.usages and not late and not entry.parts:
            # It has figures but no text: the text of the response is damaged in this file.
            continue
        if entry.usages and len(late) < len(entry.usages):
            entry.usages, entry.continued = late or None, True
        own.append(entry)
    rollout.has_branched = bool(own) and any(times.values())
    rollout.begins = max(rollout.begins, rollout.shared + 1)
    rollout.replay.entries = own


def _keys(file: File) -> Iterator[tuple[int, bytes]]:
    """A digest of each line that has a time, with the number of the line."""
    if not file.path.endswith(".json"):
        for number, content, at in lines_in(file):
            if content is not None and at is not None:
                text = f"{at} ".encode() + canonical(content)
                yield number, hashlib.blake2b(text, digest_size=16).digest()


def _contents(file: File) -> list[_Line]:
    """The content of each line, or a digest of each item of a document."""
    if file.path.endswith(".json"):
        return [
            (place, fingerprint.encode()) for place, fingerprint in enumerate(fingerprints_of_items(file).fingerprints)
        ]
    return [(number, content) for number, content, _ in lines_in(file)]


def _shared(lines: list[_Line], others: list[_Line]) -> int:
    """The last line with which a file repeats another file; -1 if there is none."""
    first = after(lines, [content for _, content in others], 1)
    return max((number for number, _ in lines if first is None or number < first), default=-1)


def _message_key(entry: Entry) -> _MessageKey:
    """A key that is equal for equal messages. It leaves out facts about a call that only some releases write."""
    return (entry.role, entry.at, *map(_part_key, entry.parts))


def _part_key(part: Any) -> _MessageKey:
    if type(part) is Call:
        return part.name, part.id, part.answered
    return (type(part), part.text) if type(part) in (Text, Thinking) else (repr(part),)


def in_order(rollouts: list[Rollout]) -> Iterator[tuple[Rollout, list[Entry]]]:
    """The messages of several files in the order of their times. Without times, shared messages come first."""
    rows: list[tuple[datetime, bool, int, Entry]] = []
    for place, rollout in enumerate(rollouts):
        when = _EARLIEST
        for entry in rollout.replay.entries:
            when = max(when, entry.at or when)
            rows.append((when, entry.line > rollout.shared, place, entry))
    rows.sort(key=lambda row: row[:3])
    for _, _, place, entry in rows:
        yield rollouts[place], [entry]
