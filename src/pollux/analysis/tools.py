"""Which tools were called, how often they failed, and how long they took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median, mode

from pollux.model import Status, Value
from pollux.store.tallying import Called, Counted


class ToolRow(Value, frozen=True, kw_only=True):
    """One tool's calls; `canonical` is the name that agents share for most of them.

    `seconds` is the median of those whose duration is known, `timed` how many these are.
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


def tools(sessions: Mapping[int, Counted], calls: Iterable[Called]) -> tuple[tuple[ToolRow, ...], ToolRow]:
    """Each tool, the most used first, and all of them together."""
    by_name: dict[str, list[Called]] = {}
    every: list[Called] = []
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
        every.append(call)
    rows = [_row(name, sessions, held) for name, held in by_name.items()]
    rows.sort(key=lambda row: (-row.calls, row.name or ""))
    return tuple(rows), _row(None, sessions, every)


def _row(name: str | None, sessions: Mapping[int, Counted], calls: list[Called]) -> ToolRow:
    timed = [call.seconds for call in calls if call.seconds is not None]
    ended = [call.status for call in calls]
    return ToolRow(
        name=name,
        canonical=mode(call.canonical for call in calls) if name is not None else None,
        sessions=len({sessions[call.session].head for call in calls}),
        calls=len(calls),
        failed=ended.count(Status.ERROR),
        cancelled=ended.count(Status.CANCELLED),
        unfinished=ended.count(Status.UNFINISHED),
        seconds=median(timed) if timed else None,
        timed=len(timed),
    )
