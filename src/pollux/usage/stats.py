"""Usage by agent, model, project, day, week, month or session, from roll-ups alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import tzinfo
from enum import StrEnum

from msgspec.structs import replace

from pollux.errors import RequestError
from pollux.index.catalogue.usage_queries import CountedSession, RollUp
from pollux.model import Value
from pollux.usage.days import span_of
from pollux.usage.rates import Pricer
from pollux.usage.sums import Row, Sum, sum_by_label


class Grouping(StrEnum):
    """What usage is grouped by."""

    AGENT = "agent"
    MODEL = "model"
    PROJECT = "project"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    TOOL = "tool"
    SESSION = "session"
    PERSON = "person"
    TEAM = "team"


class Measure(StrEnum):
    """What is measured."""

    SESSIONS = "sessions"
    PROMPTS = "prompts"
    TOKENS = "tokens"
    COST = "cost"


TIMES = (Grouping.DAY, Grouping.WEEK, Grouping.MONTH)
OF_LAKES = (Grouping.PERSON, Grouping.TEAM)
"""What only a lake knows."""


Label = tuple[str | None, ...]
"""Under what a row counts: a name for each thing that usage is grouped by."""


class Stats(Value, frozen=True, kw_only=True):
    """The answer: its rows, their total, and the models that have no price.

    Each row has rows for what it is divided by `within`. `of` is what rows are sorted by that have no order in time.
    """

    by: Grouping
    within: tuple[Grouping, ...] = ()
    of: Measure
    rows: tuple[Row, ...]
    total: Row
    unpriced_models: tuple[str, ...] = ()


def _project(session: CountedSession) -> str | None:
    return session.project or session.project_hash


_SESSION_NAMES: Mapping[Grouping, Callable[[CountedSession], str | None]] = {
    Grouping.AGENT: lambda session: session.agent,
    Grouping.PROJECT: _project,
    Grouping.SESSION: lambda session: session.key,
    Grouping.PERSON: lambda session: session.person,
    Grouping.TEAM: lambda session: session.team,
}
"""The names that depend on the session alone."""


def name_by(
    by: Grouping, sessions: Mapping[int, CountedSession], where: tzinfo | None
) -> Callable[[RollUp], str | None]:
    """A function that gives the name under which a row counts."""
    match by:
        case Grouping.MODEL:
            return lambda row: row.model or None
        case Grouping.AGENT | Grouping.PROJECT | Grouping.SESSION | Grouping.PERSON | Grouping.TEAM:
            mark = _SESSION_NAMES[by]
            return lambda row: mark(sessions[row.session])
        case Grouping.DAY | Grouping.WEEK | Grouping.MONTH:
            span = span_of(by, where)
            return lambda row: span(row.quarter)
        case Grouping.TOOL:
            raise RequestError("Calls of tools have neither tokens nor a cost.", "Try: library.usage.tools()")


def sessions_by_level(
    order: Sequence[Grouping], sessions: Mapping[int, CountedSession]
) -> list[Mapping[int, CountedSession]]:
    """The sessions as the rows of each level count them.

    Where a sub-agent and its conversation stand in different rows, they do not belong together.
    """
    known, views = {session.key: session for session in sessions.values()}, list[Mapping[int, CountedSession]]()
    for by in order:
        if (mark := _SESSION_NAMES.get(by)) is not None:
            sessions = {
                no: one if one.head is None or mark(one) == mark(known[one.head]) else _alone(one)
                for no, one in sessions.items()
            }
        views.append(sessions)
    return views


def _alone(session: CountedSession) -> CountedSession:
    return replace(session, head=None)


def stats(  # noqa: PLR0913
    by: Grouping,
    sessions: Mapping[int, CountedSession],
    rows: Iterable[RollUp],
    pricer: Pricer,
    where: tzinfo | None = None,
    *,
    within: Sequence[Grouping] = (),
    of: Measure | None = None,
) -> Stats:
    """Add the rows up. Times go forward; else the largest comes first: by cost, where every cost is known."""
    order = (by, *within)
    name, *names = [name_by(one, sessions, where) for one in order]
    trends = Trends(where) if by not in (*TIMES, Grouping.SESSION) else None

    def label(row: RollUp) -> Label:
        first = name(row)
        if trends is not None:
            trends.note(first, row)
        return (first, *(inner(row) for inner in names))

    total, sums = Sum(), sum_by_label(rows, label, pricer)
    for part in sums.values():
        total.add(part)
    known = total.cost is not None and not total.unpriced_causes.requests
    measure = of or (Measure.COST if known else Measure.TOKENS)
    return Stats(
        by=by,
        within=tuple(within),
        of=measure,
        rows=_tree(order, sums, sessions_by_level(order, sessions), measure, trends),
        total=total.row(None, sessions, trends.all() if trends is not None else {}),
        unpriced_models=tuple(sorted(total.unpriced_models)),
    )


def with_unread_files(result: Stats, agents: Collection[str]) -> Stats:
    """The result, marked as open because some files of these agents could not be read.

    What was not read may belong to any sum of these agents, so none of them is exact. A session's own sum is unchanged.
    """
    return replace(
        result,
        rows=_rows_with_unread_files(result.rows, (result.by, *result.within), agents),
        total=_with_unread_files(result.total),
    )


def _rows_with_unread_files(
    rows: tuple[Row, ...], order: Sequence[Grouping], agents: Collection[str]
) -> tuple[Row, ...]:
    by, *within = order
    if by is Grouping.SESSION:
        return rows
    return tuple(
        _with_unread_files(replace(row, rows=_rows_with_unread_files(row.rows, within, agents) if within else ()))
        if by is not Grouping.AGENT or row.name in agents
        else row
        for row in rows
    )


def _with_unread_files(row: Row) -> Row:
    exact = False if row.usage.exact is False else None
    return replace(row, usage=replace(row.usage, exact=exact), open=True)


def _tree(
    order: Sequence[Grouping],
    sums: Mapping[Label, Sum],
    level: Sequence[Mapping[int, CountedSession]],
    of: Measure,
    trends: Trends | None,
) -> tuple[Row, ...]:
    """The rows of the first thing that usage is grouped by, each with the rows of the next."""
    (by, *within), (sessions, *inmost) = order, level
    groups: dict[str | None, dict[Label, Sum]] = {}
    for (first, *rest), part in sums.items():
        groups.setdefault(first, {})[tuple(rest)] = part
    rows = []
    for name, group in groups.items():
        whole = Sum()
        for part in group.values():
            whole.add(part)
        inner = _tree(within, group, inmost, of, None) if within else ()
        rows.append(whole.row(name, sessions, trends.of(name) if trends is not None else {}, inner))
    return tuple(sorted(rows, key=_time if by in TIMES else lambda row: _weight(row, of)))


class Trends:
    """The tokens of each name by day."""

    def __init__(self, where: tzinfo | None) -> None:
        self._day = span_of(Grouping.DAY, where)
        self._amounts: dict[str | None, dict[int, int]] = {}

    def note(self, name: str | None, row: RollUp) -> None:
        """Note what a row used, by the quarter."""
        amounts = self._amounts.setdefault(name, {})
        amounts[row.quarter] = amounts.get(row.quarter, 0) + (row.input or 0) + (row.output or 0)

    def all(self) -> dict[str, int]:
        """All names together."""
        return self._daily(pair for quarters in self._amounts.values() for pair in quarters.items())

    def of(self, name: str | None) -> dict[str, int]:
        """One name's."""
        return self._daily(self._amounts.get(name, {}).items())

    def _daily(self, amounts: Iterable[tuple[int, int]]) -> dict[str, int]:
        days: dict[str, int] = {}
        for quarter, used in amounts:
            day = self._day(quarter)
            if day is not None:
                days[day] = days.get(day, 0) + used
        return days


def _time(row: Row) -> tuple[bool, str]:
    return row.name is None, row.name or ""


def _weight(row: Row, of: Measure) -> tuple[float, float, str]:
    cost, tokens = -(row.cost_usd or 0), -(row.usage.known or 0)
    return (cost, tokens, row.name or "") if of is Measure.COST else (tokens, cost, row.name or "")
