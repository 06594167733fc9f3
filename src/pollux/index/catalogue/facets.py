"""How many sessions have each agent, project, model, tag and so on: what a list or a search can be narrowed down by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, timedelta
from functools import cached_property

from pollux.index.catalogue.columns import MODELS, TOOLS, Values
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import QUARTER
from pollux.index.catalogue.scope import WORST_FIRST
from pollux.index.catalogue.values import Filter
from pollux.marks.store import STATES
from pollux.model import FACTS

FACETS = ("agent", "kind", "project", "model", "failed", "is", "tag", "tool", "day", *(f for f in FACTS if f != "name"))
"""The names of facets. All but `day` are filters of a query, and their values are values of these."""

Facets = dict[str, dict[str, int]]
"""For each facet, its values and how many sessions have each."""

_LONGEST = 400
"""A session that went on for more days counts on its first and last ones only."""


def facets(
    current: CatalogueQueries,
    criteria: Filter,
    names: Iterable[str],
    day_of: Callable[[int], date | None],
    among: Collection[int] | None = None,
) -> Facets:
    """The facets of the sessions that are wanted; `among`: only of those with these numbers.

    Each facet has its most frequent value first, and `day` its newest. `day_of` gives the day of a quarter of an hour.
    """
    counting = _Counting(current, criteria, day_of, among)
    return {name: counting.count(name) for name in names}


class _Counting:
    def __init__(
        self,
        current: CatalogueQueries,
        criteria: Filter,
        day_of: Callable[[int], date | None],
        among: Collection[int] | None,
    ) -> None:
        self._current = current
        self._day_of = day_of
        pairs = current.newest_rows(criteria)
        if len({row.listed.key for _, row in pairs}) < len(pairs):  # several copies of a session: the best is the last
            where, values = current.where(criteria)
            statement = f"SELECT key, no FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
            best = {*dict(current.catalogue.stream(statement, *values)).values()}
            pairs = [pair for pair in pairs if pair[0] in best]
        if among is not None:
            pairs = [pair for pair in pairs if pair[0] in among]
        self._numbers = [number for number, _ in pairs]
        self._rows = [row for _, row in pairs]
        self._listed = [row.listed for row in self._rows]

    def count(self, name: str) -> dict[str, int]:
        """How many sessions have each value."""
        if name in FACTS:
            return _by_count(_counted(self._column(name)))
        counted: Counter[str] = getattr(self, f"_{name}")()
        return dict(sorted(counted.items(), reverse=True)) if name == "day" else _by_count(counted)

    def _column(self, name: str) -> list[Values]:
        return self._current.columns.values(self._current.catalogue, name, self._numbers)

    def _agent(self) -> Counter[str]:
        return Counter(one.key.partition(":")[0] for one in self._listed)

    def _kind(self) -> Counter[str]:
        return Counter(one.kind for one in self._listed)

    def _project(self) -> Counter[str]:
        return Counter(row.project for row in self._rows if row.project is not None)

    @cached_property
    def _models(self) -> Counter[Values]:
        return Counter(self._column(MODELS))

    def _model(self) -> Counter[str]:
        return _each((values[1:], count) for values, count in self._models.items())

    def _failed(self) -> Counter[str]:
        return _each((values[:1], count) for values, count in self._models.items() if values[:1] == ("yes",))

    def _tool(self) -> Counter[str]:
        return _counted(self._column(TOOLS))

    def _tag(self) -> Counter[str]:
        keys = {one.key for one in self._listed}
        return _each(
            ({*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}, 1)
            for key, marks in self._current.marks().sessions.items()
            if key in keys
        )

    def _is(self) -> Counter[str]:
        keys = {one.key for one in self._listed}
        counted = {state: len(keys & self._current.marked("is", state).keys()) for state in STATES}
        return Counter({state: count for state, count in counted.items() if count})

    def _day(self) -> Counter[str]:
        """Every day of a session, from its first to its last: a list of one of these days has it."""
        size = QUARTER * 1_000_000
        spans = Counter(
            ((one.moment if row.started is None else row.started) // size, one.moment // size)
            for row, one in zip(self._rows, self._listed, strict=True)
            if one.moment is not None
        )
        days: Counter[tuple[date | None, date | None]] = Counter()
        for (begun, ended), count in spans.items():
            days[self._day_of(begun), self._day_of(ended)] += count
        return _each(
            ((day.isoformat() for day in _days(first, last)), count)
            for (first, last), count in days.items()
            if first is not None and last is not None
        )


def _days(first: date, last: date) -> Iterator[date]:
    length = (last - first).days
    return (first + timedelta(days=step) for step in (range(length + 1) if 0 <= length <= _LONGEST else {0, length}))


def _counted(values: Iterable[Values]) -> Counter[str]:
    """How many sessions have each value. Many have the same values, which are counted together."""
    return _each(Counter(values).items())


def _each(counted: Iterable[tuple[Iterable[str], int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for values, count in counted:
        for value in values:
            found[value] += count
    return found


def _by_count(counted: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
