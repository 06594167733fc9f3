"""Find the line with which a session's own part begins, in a file that starts with another session's lines.

Up to 0.145 the file of a fork is a copy: its own first line, then the parent's lines, with the time of the fork.
From 0.100 on turns have ids, and newer ids contain a time: a turn that is older than the session is the parent's.
For older releases, the file is compared with the parent's file. If that is gone, the pause after the copy decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, islice, pairwise
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.codex.find import parse_name, time_of_id
from pollux.sources.codex.forks.align import end_of_copy, has_figures, is_within
from pollux.sources.codex.forks.copies import TimedLine, lines_in
from pollux.sources.codex.forks.joined_file import opened_rollout
from pollux.sources.codex.forks.similar_files import NEVER
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.lines import canonical, records
from pollux.sources.codex.format.schema import MetaLine, TokenCount, TokenTotals
from pollux.sources.codex.replay.thread_state import ThreadState
from pollux.wire import Notes

_COUNTS = re.compile(rb'"type"\s*:\s*"(?:session_meta|token_count)"')
_META = re.compile(rb'"session_meta"\s*,\s*"payload"\s*:\s*\{[^{}]*?"id"\s*:\s*"([0-9a-f-]{36})"')
_PAUSE = timedelta(milliseconds=10)
# Copying one line never takes so long, and no human sends the same prompt again so quickly.
_RESENT = timedelta(milliseconds=250)
# The first lines of a copy: the file's own first line and the parent's.
_HEAD = 3
_NO_TIME = datetime.min.replace(tzinfo=UTC)


class OwnPart(msgspec.Struct):
    """The line with which a session's own part begins; 0 if the whole file is its own.

    `sure` says whether that is certain. `repeats` is a line of the own part that repeats the parent's figures.
    """

    begins: int = 0
    sure: bool = True
    repeats: int | None = None


def own_part(file: File, state: ThreadState, threads: Threads, *, at_once: bool = False) -> OwnPart:
    """Find the own part of a session; `at_once` says that a response has the time of the file's first line."""
    meta, path = state.meta, file.path
    spawned = meta.get("subagent_history_start_ordinal") is not None
    origin = meta.get("forked_from_id") if meta.get("history_base") is None else None
    if meta and not (state.parents or spawned or origin is not None or at_once):
        return OwnPart()
    name = meta.get("id", parse_name(path)[0])
    begun = time_of_id(name if type(name) is str else None)
    turns = [(line, at) for line, turn in state.turns if (at := time_of_id(turn)) is not None]
    first = next((line for line, at in turns if begun is not None and at >= begun), NEVER)
    if begun is not None and any(at < begun for _, at in turns):
        return OwnPart(first)
    if state.parents:
        origin = state.parents[0]
    elif not at_once:
        return OwnPart()
    if type(origin) is not str:
        # The line that names the parent is lost.
        pause = _by_pause(file)
        return OwnPart(pause if pause < NEVER else 0, sure=False)
    # What was copied may be older than the ids of turns; or the session itself is, and was resumed later.
    borders = [_by_parent(file, parent) for parent in threads.parents(origin)] or [OwnPart(_by_pause(file))]
    own = max(borders, key=lambda own: (own.begins, own.sure))
    return own if own.begins <= first else OwnPart(first)


def is_at_once(begun: datetime | None, answered: datetime | None) -> bool:
    """Did a response come sooner than any model can answer?"""
    return begun is not None and answered is not None and begun <= answered <= begun + _PAUSE


def torn_origin(file: File, meta: dict[str, Any]) -> str | None:
    """The session of which a damaged file is a copy, if the line that names it cannot be read."""
    if type(name := meta.get("forked_from_id")) is str:
        return name
    try:
        with opened_rollout(file, Notes()) as opened:
            for line in islice(opened, _HEAD):
                match = _META.search(line)
                own = meta.get("id"), parse_name(file.path)[0]
                if match is not None and (name := match.group(1).decode()) not in own:
                    return name
    except Unreadable:
        pass
    return None


def _by_parent(file: File, parent: File) -> OwnPart:
    """The own part as the comparison with the parent's file shows it."""
    lines = lines_in(file)
    head = next(lines, (0, None, None))
    copy, late = _split_copy(lines, head)
    edge = end_of_copy([content for _, content, _ in copy], [content for _, content, _ in lines_in(parent)])
    end = _until_pause(copy, edge.lines, head[2])
    sure = edge.sure and end == edge.lines
    own = chain(copy[end:], late, lines)
    first = next(own, None)
    if first is None:
        return OwnPart(NEVER, sure)
    return OwnPart(first[0], sure, _repeated(chain([first], own), edge.figures))


def _until_pause(copy: list[TimedLine], end: int, forked: datetime | None) -> int:
    """The end of a copy if the parent has lost some lines.

    Lines that were written at once are still part of the copy: no model answers so soon.
    """
    before = next((at for _, _, at in reversed(copy[: end or 1]) if at is not None), None)
    place, answered = end, False
    for _, content, at in copy[end:]:
        if forked is None or before is None or not forked <= before <= (at or before) <= before + _PAUSE:
            break
        before = at or before
        place, answered = place + 1, answered or (content is not None and is_within(content))
    return place if answered else end


def _repeated(own: Iterable[TimedLine], figures: frozenset[bytes]) -> int | None:
    """The first line with figures, if these are the parent's; else None."""
    for number, content, _ in own:
        if content is not None and has_figures(content):
            return number if canonical(content) in figures else None
    return None


def _split_copy(lines: Iterator[TimedLine], first: TimedLine) -> tuple[list[TimedLine], list[TimedLine]]:
    """The lines after the first that may be a copy, and the first line that is too late to be one."""
    _, head, begun = first
    # If the first line has no time, no line is too late.
    before, forked = begun or _NO_TIME, begun or _NO_TIME.replace(year=9999)
    copy: list[TimedLine] = []
    for number, content, at in lines:
        if content is not None and content == head:
            continue
        if copy and at is not None and before >= forked and at - before > _RESENT:
            return copy, [(number, content, at)]
        copy.append((number, content, at))
        before = at or before
    return copy, []


def _by_pause(file: File) -> int:
    """Where the times of the lines go on: a copy is written at once."""
    timed = ((number, at) for number, _, at in lines_in(file) if at is not None)
    # The copy may begin a moment after the file's own first line.
    next(timed, None)
    for (_, before), (number, at) in pairwise(timed):
        if at - before > _PAUSE:
            return number
    return NEVER


def base_of(meta: dict[str, Any]) -> tuple[str, int] | None:
    """The id of the file that a file continues (0.149+), and the ordinal at which it takes over."""
    match meta.get("history_base"):
        case {"thread_id": str(name), "end_ordinal_exclusive": int(end)}:
            return name, end
    return None


def total_before(base: tuple[str, int] | None, threads: Threads) -> TokenTotals | None:
    """The last total of the files that a file continues."""
    seen: set[str] = set()
    while base is not None and base[0] not in seen and (file := next(iter(threads.parents(base[0])), None)) is not None:
        seen.add(base[0])
        totals = threads.totals
        if base not in totals:
            totals[base] = _last_total(file, base[1])
        total, base = totals[base]
        if total is not None:
            return total
    return None


def _last_total(file: File, end: int) -> tuple[TokenTotals | None, tuple[str, int] | None]:
    """The last total in a file before an ordinal, and the file that this file continues itself."""
    total: TokenTotals | None = None
    base: tuple[str, int] | None = None
    try:
        with opened_rollout(file, Notes()) as opened:
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
    """The line after the copy with which a resumed session of the bare era (0.29) begins, and the file it copies."""
    group = threads.similar_files(path)
    begins, origin = group.origin(path) if group is not None else (0, None)
    # Another file of the same session is no origin.
    return (begins, origin) if origin is None or parse_name(origin)[0] != parse_name(path)[0] else (0, None)
