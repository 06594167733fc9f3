"""How many sessions have each agent, project, model, tag and so on: what a list or a search can be narrowed down by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from pollux.index.catalogue.columns import MODELS, TOOLS, Row, Values
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import QUARTER
from pollux.index.catalogue.scope import WORST_FIRST
from pollux.index.catalogue.values import Filter
from pollux.marks.store import STATES
from pollux.model import FACTS
from pollux.model.names import matched_together

FACETS = ("agent", "kind", "project", "model", "failed", "is", "tag", "tool", "day", *(f for f in FACTS if f != "name"))
"""The names of facets. All but `day` are filters of a query, and their values are values of these."""

Facets = dict[str, dict[str, int]]
"""For each facet, its values and how many sessions have each."""

_ALL = Filter(everything=True)
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
    every, wanted = current.newest_rows(_ALL), current.newest_rows(criteria)
    with current.columns.counting:
        tables = current.columns.counted
        if not isinstance(tables, _Tables) or (tables.born, tables.day_of) != (current.catalogue.born, day_of):
            tables = current.columns.counted = _Tables(current.catalogue.born, day_of)
        tables.follow(current, every)
        chosen = tables.numbers(current, criteria, wanted)
        if among is not None:
            chosen = chosen & {*among}
        few = None if len(chosen) == len(every) else chosen
        return {name: tables.count(current, name, few) for name in names}


def _numbers(current: CatalogueQueries, criteria: Filter, rows: list[tuple[int, Row]]) -> set[int]:
    """The numbers of the sessions that are wanted; of several copies of a session, the best."""
    numbers = {number for number, _ in rows}
    if len({row.listed.key for _, row in rows}) == len(rows):
        return numbers
    where, values = current.where(criteria)
    statement = f"SELECT key, no FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
    return numbers & {*dict(current.catalogue.stream(statement, *values)).values()}


class _Column(NamedTuple):
    """A facet of all sessions: the number of the values of each, these values, and how many sessions have them."""

    of: dict[int, int]
    known: dict[Values, int]
    values: list[Values]
    total: Counter[int]


class _Tables:
    """What all sessions can be counted by. Of a change only what is new is looked up, and what is gone is taken off.

    A number never has another meaning, so what is known of a session stays true. Threads share it, one at a time.
    """

    def __init__(self, born: str, day_of: Callable[[int], date | None]) -> None:
        self.born = born
        self.day_of = day_of
        self._followed: list[tuple[int, Row]] = []
        self._numbers: list[tuple[list[tuple[int, Row]], set[int]]] = []
        self._rows: dict[int, Row] = {}
        self._keys: dict[str, int] | None = None
        self._columns: dict[str, _Column] = {}

    def follow(self, current: CatalogueQueries, rows: list[tuple[int, Row]]) -> None:
        """Take in what changed."""
        if rows is self._followed:
            return
        before, self._rows, self._followed, self._keys = self._rows, dict(rows), rows, None
        gone = before.keys() - self._rows.keys()
        new = [number for number in self._rows if number not in before]
        for name, column in self._columns.items():
            for number in gone:
                values = column.of.pop(number)
                column.total[values] -= 1
                if not column.total[values]:
                    del column.total[values]
            self._add(current, name, new)

    def numbers(self, current: CatalogueQueries, criteria: Filter, rows: list[tuple[int, Row]]) -> set[int]:
        """The numbers of the sessions that are wanted, which have these rows. The last ones are kept."""
        for known, numbers in self._numbers:
            if known is rows:
                return numbers
        found = _numbers(current, criteria, rows)
        self._numbers = [*self._numbers[-1:], (rows, found)]
        return found

    def count(self, current: CatalogueQueries, name: str, chosen: set[int] | None) -> dict[str, int]:
        """How many of the chosen sessions, or of all, have each value."""
        if name in _OF_MARKS:
            return _by_count(self._of_marks(current, name, chosen))
        if name not in self._columns:
            self._columns[name] = _Column({}, {}, [], Counter())
            self._add(current, name, [*self._rows])
        column = self._columns[name]
        pairs = [(column.values[number], count) for number, count in _counted(column, chosen).items() if count]
        counted = _each(pairs)
        for value, others in _taken_together(name, frozenset(counted)).items():
            counted[value] = sum(count for values, count in pairs if not others.isdisjoint(values))
        return dict(sorted(counted.items(), reverse=True)) if name == "day" else _by_count(counted)

    def _add(self, current: CatalogueQueries, name: str, numbers: Sequence[int]) -> None:
        of, known, values, total = self._columns[name]
        for number, each in zip(numbers, self._values(current, name, numbers), strict=True):
            place = known.setdefault(each, len(values))
            if place == len(values):
                values.append(each)
            of[number] = place
            total[place] += 1

    def _values(self, current: CatalogueQueries, name: str, numbers: Sequence[int]) -> Iterable[Values]:
        """The values that each session has."""
        rows = map(self._rows.__getitem__, numbers)
        if name == "agent":
            return ((row.listed.key.partition(":")[0],) for row in rows)
        if name == "kind":
            return ((row.listed.kind,) for row in rows)
        if name == "project":
            return (() if row.project is None else (row.project,) for row in rows)
        if name == "day":
            return self._days(rows)
        if name in ("model", "failed"):
            models = current.columns.values(current.catalogue, MODELS, numbers)
            return (each[1:] if name == "model" else tuple(filter(None, each[:1])) for each in models)
        return current.columns.values(current.catalogue, TOOLS if name == "tool" else name, numbers)

    def _days(self, rows: Iterable[Row]) -> Iterator[Values]:
        """Every day of a session, from its first to its last: a list of one of these days has it."""
        size = QUARTER * 1_000_000
        day_of = cache(self.day_of)
        known: dict[tuple[date | None, date | None], Values] = {}
        for row in rows:
            moment = row.listed.moment
            if moment is None:
                yield ()
                continue
            first, last = day_of((moment if row.started is None else row.started) // size), day_of(moment // size)
            span = first, last
            if span not in known:
                known[span] = () if first is None or last is None else tuple(map(str, _days(first, last)))
            yield known[span]

    def _of_marks(self, current: CatalogueQueries, name: str, chosen: set[int] | None) -> Counter[str]:
        """Marks are few, and may be set at any moment."""
        counts = self._test(chosen)
        if name == "is":
            return +Counter({state: sum(map(counts, current.marked("is", state))) for state in STATES})
        return _each(
            ({*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}, 1)
            for key, marks in current.marks().sessions.items()
            if counts(key)
        )

    def _test(self, chosen: set[int] | None) -> Callable[[str], bool]:
        """Is the session with a key chosen?"""
        if self._keys is None:
            self._keys = {row.listed.key: number for number, row in self._rows.items()}
        keys = self._keys
        if chosen is None:
            return keys.__contains__
        if len(keys) < len(self._rows):  # a session may have several copies, of which one is chosen
            return {self._rows[number].listed.key for number in chosen}.__contains__
        return lambda key: keys.get(key) in chosen


def _counted(column: _Column, chosen: set[int] | None) -> Counter[int]:
    """How many of the chosen sessions have the values of each number. Whoever is in the minority is counted."""
    if chosen is None:
        return column.total
    if 2 * len(chosen) <= len(column.of):
        return Counter(map(column.of.__getitem__, chosen))
    return column.total - Counter(map(column.of.__getitem__, column.of.keys() - chosen))


@lru_cache(64)
def _taken_together(name: str, values: frozenset[str]) -> dict[str, set[str]]:
    """The values that take others too where they are filters: `gpt-5` also gpt-5-mini, a folder those in it."""
    if name in ("agent", "kind", "failed", "day"):
        return {}
    if name != "project":
        return {value: {*others} for value, others in matched_together(values).items()}
    every = "\n".join(["", *values])
    wide = [value for value in values if f"\n{value.rstrip('/')}/" in every]
    return {value: {value, *(one for one in values if one.startswith(f"{value.rstrip('/')}/"))} for value in wide}


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
