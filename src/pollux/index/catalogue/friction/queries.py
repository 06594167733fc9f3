"""Queries on friction: the newest cases, and how many there are."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, NamedTuple

from pollux.index.catalogue.chosen_sessions import ChosenSession, chosen_numbers, chosen_sessions
from pollux.index.catalogue.friction.values import FrictionKind
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import micros
from pollux.index.catalogue.values import Filter
from pollux.model import Kind

_FEW = 1_000
"""Up to this number of sessions, their rows are looked up one session after the other."""


class FrictionRow(NamedTuple):
    """One case of friction in a session, with the columns of the table."""

    session: int
    kind: str
    message: str
    place: int
    at: int | None
    fate: str
    what: str | None
    status: str | None
    exit_code: int | None
    earlier: int | None
    edits_between: int | None
    undoing: str | None


class FrictionPage(NamedTuple):
    """Some cases, their sessions by number, how many cases of each kind there are in all, and of which sessions.

    `sessions_known` is how many sessions were looked at, `sessions_unknown` how many have nothing but prompts. `calls`
    is how many calls there are, and `unfinished` how many of these have no result.
    """

    rows: list[FrictionRow]
    sessions: dict[int, ChosenSession]
    counts: dict[str, int]
    sessions_known: int
    sessions_unknown: int
    calls: int
    unfinished: int
    more: bool


def friction_page(
    current: CatalogueQueries, criteria: Filter, kinds: Collection[FrictionKind], limit: int | None
) -> FrictionPage:
    """The newest cases of these kinds in the sessions that are wanted; the times of the filter are those of the cases.

    What a session inherited is a case of another one.
    """
    numbers = chosen_numbers(current, criteria)
    where, values = _where(numbers, criteria, "moment")
    rows = list(_rows(current, numbers, where, values, kinds, limit))
    more = limit is not None and len(rows) > limit
    rows = rows[:limit]
    counts = _by_name(
        current, f"SELECT session, kind, COUNT(*) FROM frictions WHERE {where} GROUP BY 1, 2", values, numbers
    )
    call_where, call_values = _where(numbers, criteria, "at")
    statement = f"SELECT session, status, COUNT(*) FROM calls WHERE {call_where} GROUP BY 1, 2"
    calls = _by_name(current, statement, call_values, numbers)
    statement = "SELECT no FROM sessions WHERE kind=?"
    unknown = sum(no in numbers for (no,) in current.catalogue.stream(statement, Kind.PROMPTS.value))
    return FrictionPage(
        rows=rows,
        sessions=chosen_sessions(current, {row.session for row in rows}),
        counts=counts,
        sessions_known=len(numbers) - unknown,
        sessions_unknown=unknown,
        calls=sum(calls.values()),
        unfinished=calls.get("unfinished", 0),
        more=more,
    )


def _where(numbers: Collection[int], criteria: Filter, time: str) -> tuple[str, list[Any]]:
    terms, values = ["NOT inherited"], list[Any]()
    for limit, sign in ((criteria.since, ">="), (criteria.until, "<=")):
        if limit is not None:
            terms.append(f"{time} {sign} ?")
            values.append(micros(limit))
    if len(numbers) <= _FEW:
        terms.append("session IN (SELECT value FROM json_each(?))")
        values.append(json.dumps([*numbers]))
    return " AND ".join(terms), values


def _rows(  # noqa: PLR0913, PLR0917
    current: CatalogueQueries,
    numbers: Collection[int],
    where: str,
    values: list[Any],
    kinds: Collection[FrictionKind],
    limit: int | None,
) -> Iterator[FrictionRow]:
    """The newest rows, one more than the limit."""
    statement = (
        f"SELECT {', '.join(FrictionRow._fields)} FROM frictions WHERE {where} "
        f"AND kind IN ({', '.join('?' * len(kinds))}) ORDER BY moment DESC, session DESC, number DESC"
    )
    found = current.catalogue.stream(statement, *values, *(kind.value for kind in kinds))
    rows = (FrictionRow._make(row) for row in found if row[0] in numbers)
    return rows if limit is None else islice(rows, limit + 1)


def _by_name(current: CatalogueQueries, statement: str, values: list[Any], numbers: Collection[int]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for session, name, count in current.catalogue.stream(statement, *values):
        if session in numbers:
            counts[name] = counts.get(name, 0) + count
    return counts
