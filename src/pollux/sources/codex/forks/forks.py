"""Where a session's own part begins, in a file that starts with another session's lines.

Up to 0.145 a fork is a copy: its own first line, then the parent's lines, with the times rewritten to the moment of the
fork. Turns carry ids from 0.100 on, and newer ids tell when they were made: a turn older than the session is the
parent's. Before that the parent's own file decides; where it is gone, the pause between copying and going on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.sources.codex.find import created, named
from pollux.sources.codex.forks.align import border, has_figures, is_within
from pollux.sources.codex.forks.threads import Shelf
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import canonical, records
from pollux.sources.codex.format.schema import Figures, MetaLine, TokenCount
from pollux.sources.codex.replay.bookkeeping import Books
from pollux.system.clock import recorded
from pollux.wire import REFUSED, Notes

_COUNTS = re.compile(rb'"type"\s*:\s*"(?:session_meta|token_count)"')
_META = re.compile(rb'"session_meta"\s*,\s*"payload"\s*:\s*\{[^{}]*?"id"\s*:\s*"([0-9a-f-]{36})"')
_SERVED = re.compile(rb'"role"\s*:\s*"assistant"'), re.compile(rb'"id"\s*:\s*"')
_PAUSE = timedelta(milliseconds=10)
# No copy takes so long over one line, and no human is so quick to send the same prompt again.
_RESENT = timedelta(milliseconds=250)
# The first of them are the file's own beginning and the parent's.
_HEAD = 3
_NEVER = 1 << 60
_NO_TIME = datetime.min.replace(tzinfo=UTC)
_Timed = tuple[int, bytes | None, datetime | None]


class _Row(msgspec.Struct):
    """A line's time, and what it says as it was written: a copy nearly always says it in the same letters."""

    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()


_row = msgspec.json.Decoder(_Row).decode


class Own(msgspec.Struct):
    """The line with which a session's own part begins; 0 where all of it is its own.

    `sure` says whether that is certain. `repeats` is a line in it that tells the parent's figures again.
    """

    begins: int = 0
    sure: bool = True
    repeats: int | None = None


def own_part(path: str, books: Books, shelf: Shelf) -> Own:
    """Where a session's own part begins."""
    meta = books.meta
    spawned = meta.get("subagent_history_start_ordinal") is not None
    forked = meta.get("forked_from_id") is not None and meta.get("history_base") is None
    if not (books.copied or spawned or forked):
        return Own()
    name = meta.get("id", named(path)[0])
    begun = created(name if type(name) is str else None)
    turns = [(line, at) for line, turn in books.turns if (at := created(turn)) is not None]
    first = next((line for line, at in turns if begun is not None and at >= begun), _NEVER)
    if begun is not None and any(at < begun for _, at in turns):
        return Own(first)
    if not books.copied:
        return Own()
    # The copy may be of a time before turns had ids; or the session itself, and was gone on with later.
    parent = shelf.rollout(books.copied[0])
    own = _by_parent(path, parent.path) if parent is not None else Own(_by_pause(path))
    return own if own.begins <= first else Own(first)


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


def _by_parent(path: str, parent: str) -> Own:
    """What comes after the lines that the parent has, too."""
    lines = _lines(path)
    head = next(lines, (0, None, None))
    copy, late = _at_once(lines, head)
    found = border([content for _, content, _ in copy], [content for _, content, _ in _lines(parent)])
    end = _until_pause(copy, found.lines, head[2])
    sure = found.sure and end == found.lines
    own = chain(copy[end:], late, lines)
    first = next(own, None)
    if first is None:
        return Own(_NEVER, sure)
    return Own(first[0], sure, _repeated(chain([first], own), found.figures))


def _until_pause(copy: list[_Timed], end: int, forked: datetime | None) -> int:
    """Where a copy really ends, if lines of which the parent knows nothing came at once: no model answers so soon."""
    before = next((at for _, _, at in reversed(copy[:end]) if at is not None), None)
    place, answered = end, False
    for _, content, at in copy[end:]:
        if forked is None or before is None or not forked <= before <= (at or before) <= before + _PAUSE:
            break
        before = at or before
        place, answered = place + 1, answered or (content is not None and is_within(content))
    return place if answered else end


def _repeated(own: Iterable[_Timed], figures: frozenset[bytes]) -> int | None:
    """The first line with figures, where they are the parent's."""
    for number, content, _ in own:
        if content is not None and has_figures(content):
            return number if canonical(content) in figures else None
    return None


def _at_once(lines: Iterator[_Timed], first: _Timed) -> tuple[list[_Timed], list[_Timed]]:
    """The lines after the file's own first one that may be a copy, and the one that came too late for that."""
    _, head, begun = first
    # Without a time to compare with, no line is late.
    before, forked = begun or _NO_TIME, begun or _NO_TIME.replace(year=9999)
    copy: list[_Timed] = []
    for number, content, at in lines:
        if content is not None and content == head:
            continue
        if copy and at is not None and before >= forked and at - before > _RESENT:
            return copy, [(number, content, at)]
        copy.append((number, content, at))
        before = at or before
    return copy, []


def _after(mine: Iterable[tuple[int, bytes | None]], theirs: list[bytes | None], width: int) -> int | None:
    """The first line of a file that is no copy of another's; None where all are.

    A copy may lack some of the other's lines, as many as `width` says. Either file may be damaged: a line that cannot
    be read is passed over, and one that was written twice counts once.
    """
    place = torn = 0
    guess: int | None = None
    for number, content in mine:
        if content is None:
            torn += 1
            continue
        found = _place(content, theirs, place, width + torn)
        if found is not None:
            place, torn, guess = found, 0, None
        elif content and place < len(theirs) and theirs[place] is None:
            # Perhaps the line that cannot be read there: the next one tells.
            place, guess = place + 1, number if guess is None else guess
        else:
            return number if guess is None else guess
    return None


def _place(content: bytes, theirs: list[bytes | None], place: int, width: int) -> int | None:
    """Where the other file goes on after a line that says the same: at once, as before, or a little later."""
    if place < len(theirs) and theirs[place] == content:
        return place + 1
    said = canonical(content)
    likely: list[int] = [place, *([place - 1] if place else []), *range(place + 1, min(place + width, len(theirs)))]
    for other in likely:
        line = theirs[other] if other < len(theirs) else None
        if line is not None and (line == content or canonical(line) == said):
            return other + 1
    return None


def _by_pause(path: str) -> int:
    """A copy is written at once: it ends where time goes on."""
    before: datetime | None = None
    for number, _, at in _lines(path):
        if number > 2 and at is not None and before is not None and at - before > _PAUSE:
            return number
        before = at or before
    return _NEVER


def _lines(path: str) -> Iterator[_Timed]:
    """Each line with its content apart from its time, and the time. A bare line is content as a whole.

    Blank lines are left out. One that cannot be read has no content; an unfinished last one is left out.
    """
    try:
        with unpacked(path, Notes()) as file:
            for number, line in enumerate(file, start=1):
                try:
                    row = _row(line)
                except REFUSED:
                    if line.endswith(b"\n") and not line.isspace():
                        yield number, _odd(line), None
                    continue
                content = bytes(row.payload) if row.payload else line.rstrip()
                yield number, content, recorded(row.timestamp)
    except Unreadable:
        return


def _odd(line: bytes) -> bytes | None:
    """A line that is not as it should be; None where it cannot be read."""
    try:
        msgspec.json.decode(line)
    except REFUSED:
        return None
    return line.rstrip()


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
    mine = [(number, content) for number, content, _ in _lines(path) if not _is_mark(content)][1:]
    best, parent, begins = 0, None, 0
    for file in shelf.alike(path):
        theirs = [content for _, content, _ in _lines(file.path) if not _is_mark(content)][1:]
        own = _after(mine, theirs, 1)
        copy = [content for number, content in mine if own is None or number < own]
        shared = len(copy)
        proved = any(content is not None and all(sign.search(content) for sign in _SERVED) for content in copy)
        longer = shared > best or (shared == best and parent is not None and len(theirs) == shared)
        if proved and longer and (len(theirs) < len(mine) or (len(theirs) == len(mine) and file.path < path)):
            best, parent, begins = shared, file.path, _NEVER if own is None else own
    if parent is None:
        return 0, None
    return begins, parent


def _is_mark(content: bytes | None) -> bool:
    """Is it a mark of the API's state?"""
    return content is not None and b'"record_type"' in content
