"""Which figures may be missing from the files of a session."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from pollux.model import Gap, Thinking
from pollux.sources.copilot.replay.entries import Entry
from pollux.sources.copilot.replay.processes import Process, requests_of
from pollux.sources.copilot.replay.replay import Replay
from pollux.sources.gaps import BROKEN_OFF

_KILLED = "A run was killed, or is still going on, before its figures were written: only the output is known."
_SHARED = "One sum is written for the session and its sub-agents: it is counted here."
_INPUT = "One sum is written for the session and its sub-agents: it is counted with the session that started this one."
_CACHE = "This release leaves cached tokens out of the figures of Anthropic's models."
_TOO_FEW = "The figures at the end of a run are of fewer requests than it has responses."
_NO_RECORD = "The record with the figures of a response is missing."
_SUMMARY = "A summary was made by a request without figures."
_REWOUND = "What was rewound was cut from the file, and its figures with it."
_UNREADABLE = "A figure is missing or cannot be read."


def gaps_of(replay: Replay, name: str | None, entries: list[Entry], *, restored: bool) -> tuple[Gap, ...]:
    """The gaps of one agent of a session. `restored`: figures of what was rewound were found elsewhere."""
    found: list[Gap] = []
    own = [entry for entry in entries if not entry.inherited]
    ends = sorted([entry.place for entry in own if entry.answers] + replay.refused_places)
    start = replay.fork.place if replay.fork is not None else -1
    for process in replay.processes:
        if process.place >= start:
            found += _process_gaps(process, name)
            found += _broken_turns(replay, process, name, ends)
    for entry in own:
        if "compaction" in entry.extra and not entry.usages:
            found.append(_gap(_SUMMARY, entry))
        for usage in entry.usages:
            if usage.exact is not True and usage.native:
                found.append(_gap(_UNREADABLE, entry, certain=True))
                break
    if name is None and not restored:
        found += [_gap(_REWOUND, entry, certain=True) for entry in replay.rewinds if entry.place >= start]
    return tuple(dict.fromkeys(found))


def _process_gaps(process: Process, name: str | None) -> Iterator[Gap]:
    mine = [entry for entry in process.answers if entry.stream == name and not entry.inherited]
    if process.records:
        # A release that records requests records each.
        yield from (_gap(_NO_RECORD, entry, certain=True) for entry in mine if not entry.usages)
        return
    if not mine or _told_apart(mine):
        return
    if process.shutdown is None:
        if not process.told:
            yield _gap(_KILLED, mine[-1], certain=True)
        return
    counts = [usage.requests for usage in process.shutdown.totals.values()]
    if None not in counts and requests_of(process.own.values()) < len(process.answers):
        yield _gap(_TOO_FEW, mine[-1], certain=True)
    if name is not None:
        yield _gap(_INPUT, mine[-1], certain=True)
    elif any(entry.stream is not None for entry in process.answers):
        yield _gap(_SHARED, mine[-1])
    if _leaves_out_cache(process, mine):
        yield _gap(_CACHE, mine[-1])


def _told_apart(entries: list[Entry]) -> bool:
    """Does each response have figures of its own? The output alone is none."""
    return all(any(usage.native and not usage.line for usage in entry.usages) for entry in entries)


def _leaves_out_cache(process: Process, mine: list[Entry]) -> bool:
    """1.0.11 writes thinking only with Anthropic's models, without its signature, and knows no cached tokens then."""
    cached = any(usage.cached or usage.cache_write for usage in process.own.values())
    return not cached and any(
        entry.output is not None and _thinks(entry) and not {"reasoningOpaque", "apiCallId"} & set(entry.extra)
        for entry in mine
    )


def _thinks(entry: Entry) -> bool:
    return any(type(part) is Thinking for part in entry.parts)


def _broken_turns(replay: Replay, process: Process, name: str | None, ends: list[int]) -> Iterator[Gap]:
    """Requests that began and were never answered nor refused."""
    turns = [turn for turn in process.turns if turn[1] == name]
    for number, (place, _, line, file) in enumerate(turns):
        until = turns[number + 1][0] if number + 1 < len(turns) else _end(replay, process)
        after = bisect_right(ends, place)
        if after == len(ends) or ends[after] >= until:
            yield Gap(why=BROKEN_OFF, certain=False, file=file, line=line)


def _end(replay: Replay, process: Process) -> float:
    later = [other.place for other in replay.processes if other.place > process.place]
    return min(later, default=float("inf"))


def _gap(why: str, entry: Entry, *, certain: bool = False) -> Gap:
    return Gap(why=why, certain=certain, file=entry.file, line=entry.line)
