"""Where a session's own part begins, in a file that starts with another session's lines.

Up to 0.145 a fork is a copy: its own first line, then the parent's lines, with the times rewritten to the moment of the
fork. Turns carry ids from 0.100 on, and newer ids tell when they were made: a turn older than the session is the
parent's. Before that the parent's own file decides; where it is gone, the pause between copying and going on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from pollux.errors import Unreadable
from pollux.sources.codex.find import created, named
from pollux.sources.codex.forks.alike import NEVER
from pollux.sources.codex.forks.copies import after, lines_of
from pollux.sources.codex.forks.threads import Shelf
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.format.schema import Figures, MetaLine, TokenCount
from pollux.sources.codex.replay.bookkeeping import Books
from pollux.wire import Notes

_COUNTS = re.compile(rb'"type"\s*:\s*"(?:session_meta|token_count)"')
_META = re.compile(rb'"session_meta"\s*,\s*"payload"\s*:\s*\{[^{}]*?"id"\s*:\s*"([0-9a-f-]{36})"')
_PAUSE = timedelta(milliseconds=10)
# No copy takes so long over one line, and no human is so quick to send the same prompt again.
_RESENT = timedelta(milliseconds=250)
# So many of the parent's lines may be missing in a copy at one place.
_SKIPPED = 8
# The first of them are the file's own beginning and the parent's.
_HEAD = 3
_NO_TIME = datetime.min.replace(tzinfo=UTC)


def own_part(path: str, books: Books, shelf: Shelf) -> int:
    """The line with which a session's own part begins; 0 where all of it is its own."""
    meta = books.meta
    spawned = meta.get("subagent_history_start_ordinal") is not None
    forked = meta.get("forked_from_id") is not None and meta.get("history_base") is None
    if not (books.copied or spawned or forked):
        return 0
    name = meta.get("id", named(path)[0])
    begun = created(name if type(name) is str else None)
    turns = [(line, at) for line, turn in books.turns if (at := created(turn)) is not None]
    first = next((line for line, at in turns if begun is not None and at >= begun), NEVER)
    if begun is not None and any(at < begun for _, at in turns):
        return first
    if not books.copied:
        return 0
    # The copy may be of a time before turns had ids; or the session itself, and was gone on with later.
    parent = shelf.rollout(books.copied[0])
    return min(first, _by_parent(path, parent.path) if parent is not None else _by_pause(path))


def torn_origin(path: str, meta: dict[str, Any]) -> str | None:
    """The session that a damaged file is a copy of, where the line that names it could not be read."""
    if type(name := meta.get("forked_from_id")) is str:
        return name
    try:
        with unpacked(path, Notes()) as file:
            for line in islice(file, _HEAD):
                found = _META.search(line)
                if found is not None and (name := found.group(1).decode()) not in (meta.get("id"), named(path)[0]):
                    return name
    except Unreadable:
        pass
    return None


def _by_parent(path: str, parent: str) -> int:
    """The first line after the copy that the parent does not have at that place."""
    own = after(_at_once(path), [content for _, content, _ in lines_of(parent)], _SKIPPED)
    return NEVER if own is None else own


def _at_once(path: str) -> Iterator[tuple[int, bytes | None]]:
    """The lines after the file's own first one that may be a copy; one that came too late for that has no words."""
    lines = lines_of(path)
    _, head, begun = next(lines, (0, None, None))
    # Without a time to compare with, no line is late.
    before, forked = begun or _NO_TIME, begun or _NO_TIME.replace(year=9999)
    copied = False
    for number, content, at in lines:
        if content is not None and content == head:
            continue
        late = copied and at is not None and before >= forked and at - before > _RESENT
        before, copied = at or before, True
        yield number, b"" if late else content


def _by_pause(path: str) -> int:
    """A copy is written at once: it ends where time goes on."""
    before: datetime | None = None
    for number, _, at in lines_of(path):
        if number > 2 and at is not None and before is not None and at - before > _PAUSE:
            return number
        before = at or before
    return NEVER


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
        seen.add(base[0])
        known = shelf.totals
        if base not in known:
            known[base] = _last_total(file.path, base[1])
        total, base = known[base]
        if total is not None:
            return total
    return None


def _last_total(path: str, end: int) -> tuple[Figures | None, tuple[str, int] | None]:
    """The last total that a file tells before a place, and the file that it goes on from itself."""
    total: Figures | None = None
    base: tuple[str, int] | None = None
    try:
        with unpacked(path, Notes()) as opened:
            for _, record in records((line for line in opened if _COUNTS.search(line)), Notes()):
                if record.ordinal is not None and record.ordinal >= end:
                    break
                if type(record) is MetaLine:
                    base = base or base_of(record.payload)
                elif type(record.payload) is TokenCount and record.payload.info is not None:
                    total = record.payload.info.total_token_usage or total
    except Unreadable:
        return None, None
    return total, base


def resumed_copy(path: str, shelf: Shelf) -> tuple[int, str | None]:
    """In the bare era a resume (0.29) begins a new file with a copy of the old: how far it goes, and of which file."""
    group = shelf.alike(path)
    return group.origin(path) if group is not None else (0, None)
