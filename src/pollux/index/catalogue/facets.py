"""How many sessions have each agent, project, model, tag and so on: what a list or a search can be narrowed down by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from itertools import compress
from typing import NamedTuple

from pollux.index.catalogue.columns import MODELS, TOOLS, Row, Values
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

_OF_MARKS = ("is", "tag")
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
    rows, kept = current.newest_rows(criteria), current.faceted
    if not isinstance(kept, _Tables) or kept.rows is not rows or kept.day_of is not day_of:
        kept = current.faceted = _Tables(current, criteria, rows, day_of)
    chosen = kept.choose(among)
    return {name: kept.count(current, name, chosen) for name in names}


class _Column(NamedTuple):
    """A facet of all sessions: the number of the values of each, these values, and how many sessions have them."""

    numbers: list[int]
    values: list[Values]
    total: Counter[int]


class _Tables:
    """What the sessions of a list can be counted by. It is kept for further searches until something is stored."""

    def __init__(
        self,
        current: CatalogueQueries,
        criteria: Filter,
        rows: list[tuple[int, Row]],
        day_of: Callable[[int], date | None],
    ) -> None:
        self.rows = rows
        self.day_of = day_of
        if len({row.listed.key for _, row in rows}) < len(rows):  # several copies of a session: the best is the last
            where, values = current.where(criteria)
            statement = f"SELECT key, no FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
            best = {*dict(current.catalogue.stream(statement, *values)).values()}
            rows = [pair for pair in rows if pair[0] in best]
        self._sessions = [number for number, _ in rows]
        self._rows = [row for _, row in rows]
        self._places = {row.listed.key: place for place, row in enumerate(self._rows)}
        self._columns: dict[str, _Column] = {}

    def choose(self, among: Collection[int] | None) -> list[int] | None:
        """The places of the sessions with these numbers; None for all."""
        if among is None:
            return None
        places = [place for place, number in enumerate(self._sessions) if number in among]
        return places if len(places) < len(self._sessions) else None

    def count(self, current: CatalogueQueries, name: str, chosen: list[int] | None) -> dict[str, int]:
        """How many of the chosen sessions have each value."""
        if name in _OF_MARKS:
            return _by_count(self._of_marks(current, name, chosen))
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = _column(self._values(current, name))
        counted = _each((column.values[number], count) for number, count in self._counted(column, chosen).items())
        return dict(sorted(counted.items(), reverse=True)) if name == "day" else _by_count(counted)

    def _counted(self, column: _Column, chosen: list[int] | None) -> Counter[int]:
        """How many of the chosen sessions have the values of each number. Whoever is in the minority is counted."""
        if chosen is None:
            return column.total
        if 2 * len(chosen) <= len(column.numbers):
            return Counter(map(column.numbers.__getitem__, chosen))
        others = bytearray(b"\1") * len(column.numbers)
        for place in chosen:
            others[place] = 0
        return column.total - Counter(compress(column.numbers, others))

    def _values(self, current: CatalogueQueries, name: str) -> Iterable[Values]:
        """The values that each session has."""
        if name == "agent":
            return ((row.listed.key.partition(":")[0],) for row in self._rows)
        if name == "kind":
            return ((row.listed.kind,) for row in self._rows)
        if name == "project":
            return (() if row.project is None else (row.project,) for row in self._rows)
        if name == "day":
            return self._days()
        if name in ("model", "failed"):
            models = current.columns.values(current.catalogue, MODELS, self._sessions)
            return (each[1:] if name == "model" else tuple(filter(None, each[:1])) for each in models)
        return current.columns.values(current.catalogue, TOOLS if name == "tool" else name, self._sessions)

    def _days(self) -> Iterator[Values]:
        """Every day of a session, from its first to its last: a list of one of these days has it."""
        size = QUARTER * 1_000_000
        day_of = cache(self.day_of)
        known: dict[tuple[date | None, date | None], Values] = {}
        for row in self._rows:
            moment = row.listed.moment
            if moment is None:
                yield ()
                continue
            first, last = day_of((moment if row.started is None else row.started) // size), day_of(moment // size)
            span = first, last
            if span not in known:
                known[span] = () if first is None or last is None else tuple(map(str, _days(first, last)))
            yield known[span]

    def _of_marks(self, current: CatalogueQueries, name: str, chosen: list[int] | None) -> Counter[str]:
        """Marks are few, and may be set at any moment."""
        among = None if chosen is None else {*chosen}

        def counts(key: str) -> bool:
            place = self._places.get(key)
            return place is not None and (among is None or place in among)

        if name == "is":
            return +Counter({state: sum(map(counts, current.marked("is", state))) for state in STATES})
        return _each(
            ({*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}, 1)
            for key, marks in current.marks().sessions.items()
            if counts(key)
        )


def _column(values: Iterable[Values]) -> _Column:
    known: dict[Values, int] = {}
    numbers = [known.setdefault(each, len(known)) for each in values]
    return _Column(numbers, [*known], Counter(numbers))


def _days(first: date, last: date) -> Iterator[date]:
    length = (last - first).days
    return (first + timedelta(days=step) for step in (range(length + 1) if 0 <= length <= _LONGEST else {0, length}))


def _each(counted: Iterable[tuple[Iterable[str], int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for values, count in counted:
        for value in values:
            found[value] += count
    return found


def _by_count(counted: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
