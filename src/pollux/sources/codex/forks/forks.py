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
from pollux.sources.codex.forks.align import end_of_copy, has_figures, is_within
from pollux.sources.codex.forks.copies import lines_of
from pollux.sources.codex.forks.similar_files import NEVER
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import canonical, records
from pollux.sources.codex.format.schema import MetaLine, TokenCount, TokenTotals
from pollux.sources.codex.replay.thread_state import ThreadState
from pollux.wire import Notes

_COUNTS = re.compile(rb'"type"\s*:\s*"(?:session_meta|token_count)"')
_META = re.compile(rb'"session_meta"\s*,\s*"payload"\s*:\s*\{[^{}]*?"id"\s*:\s*"([0-9a-f-]{36})"')
_PAUSE = timedelta(milliseconds=10)
# No copy takes so long over one line, and no human is so quick to send the same prompt again.
_RESENT = timedelta(milliseconds=250)
# The first of them are the file's own beginning and the parent's.
_HEAD = 3
_NO_TIME = datetime.min.replace(tzinfo=UTC)
_Timed = tuple[int, bytes | None, datetime | None]


class OwnPart(msgspec.Struct):
    """The line with which a session's own part begins; 0 where all of it is its own.

    `sure` says whether that is certain. `repeats` is a line in it that tells the parent's figures again.
    """

    begins: int = 0
    sure: bool = True
    repeats: int | None = None


def own_part(path: str, state: ThreadState, threads: Threads, *, at_once: bool = False) -> OwnPart:
    """Where a session's own part begins; `at_once` says that a response has the time of the file's first line."""
    meta = state.meta
    spawned = meta.get("subagent_history_start_ordinal") is not None
    origin = meta.get("forked_from_id") if meta.get("history_base") is None else None
    if meta and not (state.parents or spawned or origin is not None or at_once):
        return OwnPart()
    name = meta.get("id", named(path)[0])
    begun = created(name if type(name) is str else None)
    turns = [(line, at) for line, turn in state.turns if (at := created(turn)) is not None]
    first = next((line for line, at in turns if begun is not None and at >= begun), NEVER)
    if begun is not None and any(at < begun for _, at in turns):
        return OwnPart(first)
    if state.parents:
        origin = state.parents[0]
    elif not at_once:
        return OwnPart()
    if type(origin) is not str:
        # The line that names the parent is lost.
        pause = _by_pause(path)
        return OwnPart(pause if pause < NEVER else 0, sure=False)
    # What was copied may be older than the ids of turns; or the session itself is, and was resumed later.
    borders = [_by_parent(path, parent.path) for parent in threads.twins(origin)] or [OwnPart(_by_pause(path))]
    own = max(borders, key=lambda own: (own.begins, own.sure))
    return own if own.begins <= first else OwnPart(first)


def is_at_once(begun: datetime | None, answered: datetime | None) -> bool:
    """Did a response come sooner than any model answers?"""
    return begun is not None and answered is not None and begun <= answered <= begun + _PAUSE


def torn_origin(path: str, meta: dict[str, Any]) -> str | None:
    """The session that a damaged file is a copy of, where the line that names it could not be read."""
    if type(name := meta.get("forked_from_id")) is str:
        return name
    try:
        with unpacked(path, Notes()) as file:
            for line in islice(file, _HEAD):
                match = _META.search(line)
                if match is not None and (name := match.group(1).decode()) not in (meta.get("id"), named(path)[0]):
                    return name
    except Unreadable:
        pass
    return None


def _by_parent(path: str, parent: str) -> OwnPart:
    """The part after the lines that the parent has, too."""
    lines = lines_of(path)
    head = next(lines, (0, None, None))
    copy, late = _at_once(lines, head)
    edge = end_of_copy([content for _, content, _ in copy], [content for _, content, _ in lines_of(parent)])
    end = _until_pause(copy, edge.lines, head[2])
    sure = edge.sure and end == edge.lines
    own = chain(copy[end:], late, lines)
    first = next(own, None)
    if first is None:
        return OwnPart(NEVER, sure)
    return OwnPart(first[0], sure, _repeated(chain([first], own), edge.figures))


def _until_pause(copy: list[_Timed], end: int, forked: datetime | None) -> int:
    """Where a copy ends if the parent has lost some lines.

    What was written at once is still the copy: no model answers so soon.
    """
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


def _by_pause(path: str) -> int:
    """Where the times of the lines go on: a copy is written at once."""
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


def total_before(base: tuple[str, int] | None, threads: Threads) -> TokenTotals | None:
    """The last total before the place that a pointer leads to, in that file or in one before it."""
    seen: set[str] = set()
    while base is not None and base[0] not in seen and (file := threads.rollout_file(base[0])) is not None:
        seen.add(base[0])
        totals = threads.totals
        if base not in totals:
            totals[base] = _last_total(file.path, base[1])
        total, base = totals[base]
        if total is not None:
            return total
    return None


def _last_total(path: str, end: int) -> tuple[TokenTotals | None, tuple[str, int] | None]:
    """The last total in a file before a place, and the file that it goes on from itself."""
    total: TokenTotals | None = None
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


def resumed_copy(path: str, threads: Threads) -> tuple[int, str | None]:
    """In the bare era a resume (0.29) begins a new file with a copy of the old: how far it goes, and of which file."""
    group = threads.similar_files(path)
    begins, origin = group.origin(path) if group is not None else (0, None)
    # A twin of the file is the same session.
    return (begins, origin) if origin is None or named(origin)[0] != named(path)[0] else (0, None)
