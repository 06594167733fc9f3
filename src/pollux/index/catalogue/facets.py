"""How many sessions have each agent, project, model, tag and so on: what a list or a search can be narrowed down by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import quarter
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
_AMONG = "session IN (SELECT value FROM json_each(?))"


class _Row(NamedTuple):
    """A session as an index of the catalogue has it: the table itself is large, and takes longer to read."""

    key: str
    no: int
    kind: str
    moment: int | None


class _Counts(msgspec.Struct):
    failed_tool_calls: int


class _Brief(msgspec.Struct):
    """The fields of a summary that facets need: it is decoded faster than the whole."""

    models: list[str]
    counts: _Counts


_decode = msgspec.msgpack.Decoder(_Brief).decode


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
        where, values = current.where(criteria)
        columns = ", ".join(_Row._fields)
        statement = f"SELECT {columns} FROM sessions INDEXED BY sessions_newest WHERE {where}"
        rows = list(map(_Row._make, current.catalogue.stream(statement, *values)))
        if len({row.key for row in rows}) < len(rows):  # several copies of a session: the best is the last
            statement = f"SELECT {columns} FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
            rows = list({row[0]: _Row._make(row) for row in current.catalogue.stream(statement, *values)}.values())
        self._rows = [row for row in rows if among is None or row.no in among]
        self._numbers = json.dumps([row.no for row in self._rows])

    def count(self, name: str) -> dict[str, int]:
        """How many sessions have each value."""
        if name in FACTS:
            statement = f"SELECT value, COUNT(*) FROM facts WHERE name=? AND {_AMONG} GROUP BY value"
            return _by_count(dict(self._rows_of(statement, name, self._numbers)))
        counted: Counter[str] = Counter(getattr(self, f"_{name}")())
        return dict(sorted(counted.items(), reverse=True)) if name == "day" else _by_count(counted)

    def _rows_of(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return self._current.catalogue.stream(statement, *values)

    def _agent(self) -> Iterator[str]:
        return (row.key.partition(":")[0] for row in self._rows)

    def _kind(self) -> Iterator[str]:
        return (row.kind for row in self._rows)

    def _project(self) -> Iterator[str]:
        wanted = {row.no for row in self._rows}
        known = f"SELECT no, project FROM sessions WHERE project IS NOT NULL AND {self._current.here}"
        return (project for no, project in self._rows_of(known) if no in wanted)

    @cached_property
    def _briefs(self) -> list[_Brief]:
        statement = "SELECT summary FROM sessions WHERE no IN (SELECT value FROM json_each(?))"
        return [_decode(blob) for (blob,) in self._rows_of(statement, self._numbers)]

    def _model(self) -> Iterator[str]:
        return (model for brief in self._briefs for model in brief.models)

    def _failed(self) -> Iterator[str]:
        return ("yes" for brief in self._briefs if brief.counts.failed_tool_calls)

    def _tool(self) -> Iterator[str]:
        statement = f"SELECT DISTINCT session, canonical FROM calls WHERE {_AMONG}"
        return (tool for _, tool in self._rows_of(statement, self._numbers))

    def _tag(self) -> Iterator[str]:
        keys = {row.key for row in self._rows}
        for key, marks in self._current.marks().sessions.items():
            if key in keys:
                yield from {*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}

    def _is(self) -> Iterator[str]:
        for state in STATES:
            found = self._current.marked("is", state)
            yield from (state for row in self._rows if row.key in found)

    def _day(self) -> Iterator[str]:
        """Every day of a session, from its first to its last: a list of one of these days has it."""
        started = dict(self._rows_of("SELECT no, started FROM sessions WHERE started IS NOT NULL"))
        spans = Counter(
            (quarter(started.get(row.no, row.moment)), quarter(row.moment))
            for row in self._rows
            if row.moment is not None
        )
        for (begun, ended), count in spans.items():
            first, last = self._day_of(begun), self._day_of(ended)
            if first is None or last is None:
                continue
            length = (last - first).days
            for step in range(length + 1) if 0 <= length <= _LONGEST else {0, length}:
                yield from [(first + timedelta(days=step)).isoformat()] * count


def _by_count(counted: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
