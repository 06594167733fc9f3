"""Which tools were called, how often they failed, and how long they took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from statistics import median, mode
from typing import Any

from pollux.errors import RequestError
from pollux.index.catalogue.usage_queries import CountedSession, ToolUse
from pollux.model import Status, Value
from pollux.usage.stats import TIMES, Grouping, name_by, sessions_by_level
from pollux.usage.sums import conversations


class ToolRow(Value, frozen=True, kw_only=True):
    """The calls under one name; `canonical` is the name that agents share for most of a tool's.

    `seconds` is the median of those whose duration is known, `timed` how many these are. `rows` divide
    the row further. `open` says of all tools together that there may be more, in files that could not be read.
    """

    name: str | None
    canonical: str | None
    sessions: int
    calls: int
    failed: int
    cancelled: int
    unfinished: int
    seconds: float | None
    timed: int
    rows: tuple[ToolRow, ...] = ()
    open: bool = False


def tools(
    sessions: Mapping[int, CountedSession],
    calls: Iterable[ToolUse],
    by: Sequence[Grouping] = (Grouping.TOOL,),
    where: tzinfo | None = None,
) -> tuple[tuple[ToolRow, ...], ToolRow]:
    """Calls by tool and by what else is asked for, and all together. Times go forward; else the most used is first."""
    if Grouping.MODEL in by:
        raise RequestError("pollux does not count tool calls by model.", "Try: --by agent,tool")
    every = list(calls)
    return _rows(by, sessions_by_level(by, sessions), every, where), _row(None, None, sessions, every, ())


def _rows(
    by: Sequence[Grouping], level: Sequence[Mapping[int, CountedSession]], calls: list[ToolUse], where: tzinfo | None
) -> tuple[ToolRow, ...]:
    (first, *within), (sessions, *inmost) = by, level
    # A call begins like a roll-up, with session and quarter: what names one names the other.
    naming: Any = (lambda call: call.name) if first is Grouping.TOOL else name_by(first, sessions, where)
    groups: dict[str | None, list[ToolUse]] = {}
    for call in calls:
        groups.setdefault(naming(call), []).append(call)
    rows = [
        _row(name, first, sessions, calls, _rows(within, inmost, calls, where) if within else ())
        for name, calls in groups.items()
    ]
    if first in TIMES:
        return tuple(sorted(rows, key=lambda row: (row.name is None, row.name or "")))
    return tuple(sorted(rows, key=lambda row: (-row.calls, row.name or "")))


def _row(
    name: str | None,
    by: Grouping | None,
    sessions: Mapping[int, CountedSession],
    calls: list[ToolUse],
    rows: tuple[ToolRow, ...],
) -> ToolRow:
    timed = [call.seconds for call in calls if call.seconds is not None]
    ended = [call.status for call in calls]
    return ToolRow(
        name=name,
        canonical=mode(call.canonical for call in calls) if by is Grouping.TOOL else None,
        sessions=len(conversations(sessions[call.session] for call in calls)),
        calls=len(calls),
        failed=ended.count(Status.ERROR),
        cancelled=ended.count(Status.CANCELLED),
        unfinished=ended.count(Status.UNFINISHED),
        seconds=median(timed) if timed else None,
        timed=len(timed),
        rows=rows,
    )
