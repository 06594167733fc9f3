"""Queries on edits: the files that agents were to change, the newest first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from pollux.index.catalogue.chosen_sessions import ChosenSession, chosen_numbers, chosen_sessions
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import micros
from pollux.index.catalogue.values import Filter

_FEW = 1_000
"""Up to this number of sessions, their edits are looked up one session after the other."""

PathTest = Callable[[str], bool]


class EditRow(NamedTuple):
    """A file that a call was to change. `place` and `part` say where the call stands, `turn` where its prompt does."""

    session: int
    path: str
    change: str
    message: str
    place: int
    part: int
    turn: int | None
    tool: str
    status: str
    at: int | None
    fate: str


class EditPage(NamedTuple):
    """Some edits, their sessions by number, and their prompts by session and place: id and first words.

    `more` says that there are others.
    """

    rows: list[EditRow]
    sessions: dict[int, ChosenSession]
    prompts: dict[tuple[int, int], tuple[str, str]]
    more: bool


def edit_page(
    current: CatalogueQueries, criteria: Filter, fits: PathTest | None, limit: int | None, key: str | None = None
) -> EditPage:
    """The newest edits of the sessions that are wanted; the times of the filter are those of the edits.

    An edit without a time stands where the message before it does. `fits` tells which paths are wanted, `key` which
    session. What a session inherited is an edit of another one.
    """
    stream = _edits(current, criteria, fits, key)
    rows = list(stream if limit is None else islice(stream, limit + 1))
    more = limit is not None and len(rows) > limit
    rows = rows[:limit]
    return EditPage(rows, chosen_sessions(current, {row.session for row in rows}), _prompts(current, rows), more)


def _edits(current: CatalogueQueries, criteria: Filter, fits: PathTest | None, key: str | None) -> Iterator[EditRow]:
    numbers = chosen_numbers(current, criteria, key)
    terms, values = ["NOT inherited"], list[Any]()
    for limit, sign in ((criteria.since, ">="), (criteria.until, "<=")):
        if limit is not None:
            terms.append(f"moment {sign} ?")
            values.append(micros(limit))
    by_time = "INDEXED BY edits_newest"
    if fits is not None:
        paths = [path for (path,) in current.catalogue.stream("SELECT DISTINCT path FROM edits") if fits(path)]
        terms.append("path IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(paths))
        by_time = ""
    if len(numbers) <= _FEW:
        terms.append("session IN (SELECT value FROM json_each(?))")
        values.append(json.dumps([*numbers]))
        by_time = ""
    statement = (
        f"SELECT {', '.join(EditRow._fields)} FROM edits {by_time} WHERE {' AND '.join(terms)} "
        "ORDER BY moment DESC, session DESC, number DESC"
    )
    return (EditRow._make(row) for row in current.catalogue.stream(statement, *values) if row[0] in numbers)


def _prompts(current: CatalogueQueries, rows: list[EditRow]) -> dict[tuple[int, int], tuple[str, str]]:
    wanted = {(row.session, row.turn) for row in rows}
    statement = "SELECT session, place, message, words FROM turns WHERE 1"
    found = current.catalogue.rows_with(statement, "session", {row.session for row in rows})
    return {(session, place): (id, words) for session, place, id, words in found if (session, place) in wanted}
