"""Usage by agent, model, project, day, week, month or session, from roll-ups alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from enum import StrEnum

from pollux.analysis.days import day_of, span_of
from pollux.analysis.rates import Till
from pollux.analysis.sums import Row, Sum
from pollux.model import Value
from pollux.store.tallying import Counted, Rolled


class By(StrEnum):
    """What usage is told by."""

    AGENT = "agent"
    MODEL = "model"
    PROJECT = "project"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    TOOL = "tool"
    SESSION = "session"


TIMES = (By.DAY, By.WEEK, By.MONTH)


class Stats(Value, frozen=True, kw_only=True):
    """The answer: its rows, their total, and the models that have no price."""

    by: By
    rows: tuple[Row, ...]
    total: Row
    unpriced_models: tuple[str, ...] = ()


Named = Callable[[Counted, Rolled], str | None]


def name_by(by: By, where: tzinfo | None) -> Named:
    """Under which name a row counts."""
    match by:
        case By.AGENT:
            return lambda session, _: session.agent
        case By.MODEL:
            return lambda _, row: row.model or None
        case By.PROJECT:
            return lambda session, _: session.project or session.project_hash
        case By.SESSION:
            return lambda session, _: session.key
        case By.DAY | By.WEEK | By.MONTH:
            span = span_of(by, where)
            return lambda _, row: span(row.quarter)
        case By.TOOL:
            raise ValueError(by)


def stats(
    by: By, sessions: Mapping[int, Counted], rows: Iterable[Rolled], till: Till, where: tzinfo | None = None
) -> Stats:
    """Add the rows up. Times go forward; else what cost most stands first."""
    name, total, sums = name_by(by, where), Sum(), dict[str | None, Sum]()
    day, lost = day_of(where), set[str]()
    for row in rows:
        session = sessions[row.session]
        cost = till.cost(row.model, row, row.quarter, row.step)
        held = sums.setdefault(name(session, row), Sum())
        held.add(row, session, cost)
        total.add(row, session, cost)
        if by not in TIMES:
            held.spread(_iso(day, row), row)
        total.spread(_iso(day, row), row)
        if cost is None and row.input is not None:
            lost.add(row.model)
    found = [held.row(name) for name, held in sums.items()]
    found.sort(key=_time if by in TIMES else _weight)
    return Stats(by=by, rows=tuple(found), total=total.row(None), unpriced_models=tuple(sorted(lost)))


def _iso(day: Callable[[int], object], row: Rolled) -> str | None:
    found = day(row.quarter)
    return str(found) if found is not None else None


def _time(row: Row) -> tuple[bool, str]:
    return row.name is None, row.name or ""


def _weight(row: Row) -> tuple[float, int, str]:
    return -(row.cost_usd or 0), -(row.usage.total or 0), row.name or ""
