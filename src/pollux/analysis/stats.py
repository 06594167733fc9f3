"""Usage by agent, model, project, day, week, month or session, from roll-ups alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from enum import StrEnum

from pollux.analysis.days import span_of
from pollux.analysis.rates import Till
from pollux.analysis.sums import Row, Sum, gather
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


def name_by(by: By, sessions: Mapping[int, Counted], where: tzinfo | None) -> Callable[[Rolled], str | None]:
    """Under which name a row counts."""
    match by:
        case By.AGENT:
            return lambda row: sessions[row[0]].agent
        case By.MODEL:
            return lambda row: row[2] or None
        case By.PROJECT:
            return lambda row: sessions[row[0]].project or sessions[row[0]].project_hash
        case By.SESSION:
            return lambda row: sessions[row[0]].key
        case By.DAY | By.WEEK | By.MONTH:
            span = span_of(by, where)
            return lambda row: span(row[1])
        case By.TOOL:
            raise ValueError(by)


def stats(
    by: By, sessions: Mapping[int, Counted], rows: Iterable[Rolled], till: Till, where: tzinfo | None = None
) -> Stats:
    """Add the rows up. Times go forward; else what cost most stands first."""
    name, trends = name_by(by, sessions, where), Trends(where)

    def label(row: Rolled) -> str | None:
        found = name(row)
        trends.note(found, row)
        return found

    total, sums = Sum(), gather(rows, name if by in (*TIMES, By.SESSION) else label, till)
    for held in sums.values():
        total.add(held)
    found = [held.row(name, sessions, trends.of(name)) for name, held in sums.items()]
    found.sort(key=_time if by in TIMES else _weight)
    unpriced = tuple(sorted(total.unpriced_models))
    return Stats(by=by, rows=tuple(found), total=total.row(None, sessions, trends.all()), unpriced_models=unpriced)


class Trends:
    """The tokens of each name by day."""

    def __init__(self, where: tzinfo | None) -> None:
        self._day = span_of(By.DAY, where)
        self._amounts: dict[str | None, dict[int, int]] = {}

    def note(self, name: str | None, row: Rolled) -> None:
        """Write down what a row used, by the quarter."""
        held = self._amounts.setdefault(name, {})
        held[row[1]] = held.get(row[1], 0) + (row[4] or 0) + (row[8] or 0)

    def all(self) -> dict[str, int]:
        """All names together."""
        return self._daily(pair for held in self._amounts.values() for pair in held.items())

    def of(self, name: str | None) -> dict[str, int]:
        """One name's."""
        return self._daily(self._amounts.get(name, {}).items())

    def _daily(self, amounts: Iterable[tuple[int, int]]) -> dict[str, int]:
        found: dict[str, int] = {}
        for quarter, used in amounts:
            day = self._day(quarter)
            if day is not None:
                found[day] = found.get(day, 0) + used
        return found


def _time(row: Row) -> tuple[bool, str]:
    return row.name is None, row.name or ""


def _weight(row: Row) -> tuple[float, int, str]:
    return -(row.cost_usd or 0), -(row.usage.total or 0), row.name or ""
