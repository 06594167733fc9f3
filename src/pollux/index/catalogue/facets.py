"""How many sessions have each agent, project, model, tag and so on: what a list or a search can be narrowed down by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

import msgspec

from pollux.index.catalogue.queries import WORST_FIRST, CatalogueQueries, Filter
from pollux.index.catalogue.rollups import moment_of, quarter
from pollux.model import FACTS

FACETS = ("agent", "kind", "project", "model", "failed", "is", "tag", "tool", "day", *(f for f in FACTS if f != "name"))
"""The names of facets. All but `day` are filters of a query, and their values are values of these."""

Facets = dict[str, dict[str, int]]
"""For each facet, its values and how many sessions have each."""

_LONGEST = 400
"""A session that went on for more days counts on its first and last ones only."""
_AMONG = "session IN (SELECT value FROM json_each(?))"


class _Row(NamedTuple):
    """A session as facets need it."""

    key: str
    no: int
    agent: str
    kind: str
    project: str | None
    started: int | None
    moment: int | None
    messages: int


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
        columns = "key, no, agent, kind, project, started, moment, messages"
        statement = f"SELECT {columns} FROM sessions WHERE {where} ORDER BY {WORST_FIRST.format('')}"
        rows = (_Row(*row) for row in current.catalogue.rows(statement, *values))
        by_key = {row.key: row for row in rows}  # of several copies the best is the last
        self._rows = [row for row in by_key.values() if among is None or row.no in among]
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
        return (row.agent for row in self._rows)

    def _kind(self) -> Iterator[str]:
        return (row.kind for row in self._rows)

    def _project(self) -> Iterator[str]:
        return (row.project for row in self._rows if row.project is not None)

    def _briefs(self) -> Iterator[_Brief]:
        statement = "SELECT summary FROM sessions WHERE no IN (SELECT value FROM json_each(?))"
        return (_decode(blob) for (blob,) in self._rows_of(statement, self._numbers))

    def _model(self) -> Iterator[str]:
        return (model for brief in self._briefs() for model in brief.models)

    def _failed(self) -> Iterator[str]:
        return ("yes" for brief in self._briefs() if brief.counts.failed_tool_calls)

    def _tool(self) -> Iterator[str]:
        statement = f"SELECT DISTINCT session, canonical FROM calls WHERE {_AMONG}"
        return (tool for _, tool in self._rows_of(statement, self._numbers))

    def _tag(self) -> Iterator[str]:
        keys = {row.key for row in self._rows}
        for key, marks in self._current.marks().sessions.items():
            if key in keys:
                yield from {*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}

    def _is(self) -> Iterator[str]:
        marks = self._current.marks()
        for state in ("starred", "private", "marked"):
            found = marks.find("is", state)
            yield from (state for row in self._rows if row.key in found)
        if marks.positions:
            yield from ("unread" for row in self._rows if marks.unread(row.key, moment_of(row.moment), row.messages))

    def _day(self) -> Iterator[str]:
        for row in self._rows:
            first, last = (self._day_of(quarter(at)) for at in (row.started or row.moment, row.moment or row.started))
            if first is None or last is None:
                continue
            length = (last - first).days
            steps = range(length + 1) if 0 <= length <= _LONGEST else {0, length}
            yield from ((first + timedelta(days=step)).isoformat() for step in steps)


def _by_count(counted: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
