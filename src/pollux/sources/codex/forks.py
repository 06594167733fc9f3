"""Where a session's own part begins, in a file that starts with another session's lines.

Up to 0.145 a fork is a copy: its own first line, then the parent's lines, with the times rewritten to the moment of the
fork. Turns carry ids from 0.100 on, and newer ids tell when they were made: a turn older than the session is the
parent's. Before that the parent's own file decides; where it is gone, the pause between copying and going on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.sources.codex.books import Books
from pollux.sources.codex.find import created
from pollux.sources.codex.lines import canonical, records
from pollux.sources.codex.packed import unpacked
from pollux.sources.codex.schema import Figures, MetaLine, TokenCount
from pollux.sources.codex.shelf import Shelf
from pollux.when import recorded
from pollux.wire import REFUSED, Notes

_COUNTS = re.compile(rb'"type"\s*:\s*"(?:session_meta|token_count)"')
_SERVED = re.compile(rb'"role"\s*:\s*"assistant"'), re.compile(rb'"id"\s*:\s*"')
_PAUSE = timedelta(milliseconds=10)
# No copy takes so long over one line, and no human is so quick to send the same prompt again.
_RESENT = timedelta(milliseconds=250)
# So many of the parent's lines may be missing in a copy at one place.
_SKIPPED = 8
_NEVER = 1 << 60


class _Row(msgspec.Struct):
    """A line's time, and what it says as it was written: a copy nearly always says it in the same letters."""

    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()


_row = msgspec.json.Decoder(_Row).decode


def own_part(path: str, books: Books, shelf: Shelf) -> int:
    """The line with which a session's own part begins; 0 where all of it is its own."""
    meta = books.meta
    spawned = meta.get("subagent_history_start_ordinal") is not None
    forked = meta.get("forked_from_id") is not None and meta.get("history_base") is None
    if not (books.copied or spawned or forked):
        return 0
    name = meta.get("id")
    begun = created(name if type(name) is str else None)
    turns = [(line, at) for line, turn in books.turns if (at := created(turn)) is not None]
    first = next((line for line, at in turns if begun is not None and at >= begun), _NEVER)
    if begun is not None and any(at < begun for _, at in turns):
        return first
    if not books.copied:
        return 0
    # The copy may be of a time before turns had ids; or the session itself, and was gone on with later.
    parent = shelf.rollout(books.copied[0])
    return min(first, _by_parent(path, parent.path) if parent is not None else _by_pause(path))


def _by_parent(path: str, parent: str) -> int:
    """The first line after the copy that the parent does not have at that place."""
    theirs = [content for _, content, _ in _lines(parent)]
    place = 0
    forked = before = datetime.min.replace(tzinfo=UTC)
    for number, content, at in _lines(path):
        if number == 1:
            forked = before = at or before
            continue
        late = number > 2 and at is not None and before >= forked and at - before > _RESENT
        before = at or before
        skipped = None if late else _place(content, theirs[place : place + _SKIPPED])
        if skipped is None:
            return number
        place += skipped + 1
    return _NEVER


def _place(content: bytes, window: list[bytes]) -> int | None:
    """Where the parent says the same: in the same letters, else in others."""
    if content in window:
        return window.index(content)
    said = canonical(content)
    return next((place for place, other in enumerate(window) if canonical(other) == said), None)


def _by_pause(path: str) -> int:
    """A copy is written at once: it ends where time goes on."""
    before: datetime | None = None
    for number, _, at in _lines(path):
        if number > 2 and at is not None and before is not None and at - before > _PAUSE:
            return number
        before = at or before
    return _NEVER


def _lines(path: str) -> Iterator[tuple[int, bytes, datetime | None]]:
    """Each line with its content apart from its time, and the time. A bare line is content as a whole."""
    try:
        with unpacked(path, Notes()) as file:
            for number, line in enumerate(file, start=1):
                try:
                    row = _row(line)
                except REFUSED:
                    row = _Row()
                content = bytes(row.payload) if row.payload else line.rstrip()
                yield number, content, recorded(row.timestamp)
    except Unreadable:
        return


def base_of(meta: dict[str, Any]) -> tuple[str, int] | None:
    """The file that one goes on from (0.149+), and the number of the line before which it takes over."""
    match meta.get("history_base"):
        case {"thread_id": str(name), "end_ordinal_exclusive": int(end)}:
            return name, end
    return None


def total_before(base: tuple[str, int] | None, shelf: Shelf) -> Figures | None:
    """The total that the file a pointer leads to, or one before that, told last before the place it points to."""
    seen: set[str] = set()
    while base is not None and base[0] not in seen and (file := shelf.rollout(base[0])) is not None:
        (name, end), base = base, None
        seen.add(name)
        total: Figures | None = None
        try:
            with unpacked(file.path, Notes()) as opened:
                for _, record in records((line for line in opened if _COUNTS.search(line)), Notes()):
                    if record.ordinal is not None and record.ordinal >= end:
                        break
                    if type(record) is MetaLine:
                        base = base or base_of(record.payload)
                    elif type(record.payload) is TokenCount and record.payload.info is not None:
                        total = record.payload.info.total_token_usage or total
        except Unreadable:
            return None
        if total is not None:
            return total
    return None


def resumed_copy(path: str, shelf: Shelf) -> tuple[int, str | None]:
    """In the bare era a resume (0.29) begins a new file with a copy of the old: how far it goes, and of which file.

    Nothing in the file says so. Only lines with ids that the model's service gave prove it.
    """
    mine = [(number, content) for number, content, _ in _lines(path) if b'"record_type"' not in content][1:]
    best, parent = 0, None
    for file in shelf.alike(path):
        theirs = [content for _, content, _ in _lines(file.path) if b'"record_type"' not in content][1:]
        shared = 0
        for (_, content), other in zip(mine, theirs, strict=False):
            if content != other and canonical(content) != canonical(other):
                break
            shared += 1
        proved = any(all(sign.search(content) for sign in _SERVED) for _, content in mine[:shared])
        longer = shared > best or (shared == best and parent is not None and len(theirs) == shared)
        if proved and longer and (len(theirs) < len(mine) or (len(theirs) == len(mine) and file.path < path)):
            best, parent = shared, file.path
    if parent is None:
        return 0, None
    return (mine[best][0] if best < len(mine) else _NEVER), parent
