"""Queries on usage: the sessions that count, and their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import msgspec

from pollux.index.catalogue.conditions import ALWAYS_LISTED
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import INCOMPLETE, QUARTER, UNTIMED, micros, quarter
from pollux.index.catalogue.rows import AuditFacts
from pollux.index.catalogue.scope import WORST_FIRST
from pollux.index.catalogue.values import Filter
from pollux.model import UNKNOWN, Figures, Value, values
from pollux.system.decoders import learned

_QUARTER_OF_ROW = f"CASE WHEN at IS NULL THEN {UNTIMED} ELSE at / {QUARTER * 1_000_000} END"
_FEW = 10_000
_PROMPT_SIZE = f"COALESCE(MAX(input / MAX(COALESCE(requests, 1), 1) - 1, output * 0), {INCOMPLETE})"


class CountedSession(Value, frozen=True, kw_only=True):
    """A session whose rows are counted.

    `head` is its conversation: the session itself or, for a sub-agent, the session that started it. It is None where
    that is not counted. `person` and `team` are known in a lake.
    """

    key: str
    agent: str
    project: str | None
    project_hash: str | None
    exact: bool | None
    head: str | None
    person: str | None = None
    team: str | None = None


class RollUp(Figures, frozen=True, kw_only=True, array_like=True):
    """What one session used of one model in one quarter of an hour, with prompts beyond the same step."""

    session: int
    quarter: int
    model: str
    step: int


class ToolUse(NamedTuple):
    """One tool call."""

    session: int
    quarter: int
    name: str
    canonical: str
    status: str
    seconds: float | None


class UsageQueries:
    """Queries on the usage of the sessions that meet a filter, or that have one of some ids.

    The filter's times select requests, by the quarter of an hour.
    """

    def __init__(self, queries: CatalogueQueries, criteria: Filter, ids: Collection[str] | None = None) -> None:
        self._rows = queries.catalogue.rows
        self._criteria = criteria
        timeless = msgspec.structs.replace(criteria, since=None, until=None, everything=True)
        self._all = timeless == Filter(everything=True) and ids is None
        self._where, self._values = queries.where(timeless)
        self._where += " AND kind != 'checkpoint'"  # a copy of a conversation
        if ids is not None and len(ids) <= _FEW:
            self._where += f" AND id IN ({', '.join('?' * len(ids))})"
            self._values += ids
        self.sessions = self._find_sessions(queries)
        self._rollups: list[RollUp] | None = None

    def _find_sessions(self, queries: CatalogueQueries) -> dict[int, CountedSession]:
        """The counted sessions by number. A session under two roots counts once, as it was last used."""
        statement = f"SELECT key, parent FROM sessions s WHERE parent IS NOT NULL AND {queries.preferred}"
        parents: dict[str, str] = dict(self._rows(statement))
        rows = self._rows(
            "SELECT no, key, agent, project, project_hash, exact, kind FROM sessions "
            f"WHERE {self._where} ORDER BY {WORST_FIRST.format('')}",
            *self._values,
        )
        newest = {row[1]: row for row in rows}
        heads = {row[1] for row in newest.values() if row[6] in ALWAYS_LISTED}
        return {
            no: CountedSession(
                key=key,
                agent=agent,
                project=project,
                project_hash=digest,
                exact=None if exact is None else bool(exact),
                head=head_of(key, parents, heads),
            )
            for no, key, agent, project, digest, exact, _ in newest.values()
        }

    def models(self) -> set[str]:
        """Every model that was used."""
        return {row.model for row in self.rollups()}

    def rollups(self) -> list[RollUp]:
        """The roll-ups."""
        if self._rollups is None:
            times, limits = self._times("quarter")
            columns = ", ".join(RollUp.__struct_fields__)
            statement = f"SELECT {columns} FROM quarters WHERE {self._session_condition()}{times}"
            self._rollups = self._counting(statement, *limits)
        return self._rollups

    def requests(self) -> Iterable[RollUp]:
        """Each request by itself, its own size in the step's place: for prices that no roll-up was made for."""
        times, limits = self._times(_QUARTER_OF_ROW)
        expressions = {"quarter": _QUARTER_OF_ROW, "model": "COALESCE(model, '')", "step": _PROMPT_SIZE}
        columns = ", ".join(expressions.get(name, name) for name in RollUp.__struct_fields__)
        statement = f"SELECT {columns} FROM usage WHERE NOT inherited AND {self._session_condition()}{times}"
        unknown = (row for row in self.rollups() if values(row) == UNKNOWN)
        return chain(unknown, self._counting(statement, *limits))

    def _counting(self, statement: str, *limits: int) -> list[RollUp]:
        """Those of the rows whose sessions count."""
        rows = msgspec.convert(list(self._rows(statement, *self._values, *limits)), learned(list[RollUp]))
        return [row for row in rows if row.session in self.sessions]

    def calls(self) -> Iterable[ToolUse]:
        """Every tool call."""
        times, limits = self._times(_QUARTER_OF_ROW)
        rows = self._rows(
            f"SELECT session, {_QUARTER_OF_ROW}, name, canonical, status, seconds FROM calls "
            f"WHERE NOT inherited AND {self._session_condition()}{times}",
            *self._values,
            *limits,
        )
        return (ToolUse(*row) for row in rows if row[0] in self.sessions)

    def audit_facts(self) -> Iterable[tuple[CountedSession, AuditFacts]]:
        """The proof of the figures of each conversation."""
        statement = f"SELECT no, proof FROM sessions WHERE kind != 'prompts' AND {self._where}"
        for no, blob in self._rows(statement, *self._values):
            if no in self.sessions:
                yield self.sessions[no], AuditFacts.unpack(blob)

    def inherited(self) -> dict[str, tuple[int, int]]:
        """How many requests and tokens each session inherited, by key."""
        rows = self._rows(
            "SELECT session, SUM(COALESCE(requests, 1)), SUM(COALESCE(input, 0) + COALESCE(output, 0)) FROM usage "
            f"WHERE inherited AND {self._session_condition()} GROUP BY 1",
            *self._values,
        )
        return {self.sessions[no].key: (requests, tokens) for no, requests, tokens in rows if no in self.sessions}

    def prompts(self) -> Iterable[tuple[int, int, int]]:
        """How many prompts a session got in a quarter of an hour: session, quarter, prompts."""
        times, limits = self._times("quarter")
        statement = f"SELECT session, quarter, prompts FROM prompts WHERE {self._session_condition()}{times}"
        return (row for row in self._rows(statement, *self._values, *limits) if row[0] in self.sessions)

    def _session_condition(self) -> str:
        """A condition that preselects rows where that saves work. The sessions are checked in any case."""
        return "1" if self._all else f"session IN (SELECT no FROM sessions WHERE {self._where})"

    def _times(self, column: str) -> tuple[str, list[int]]:
        terms, limits = "", list[int]()
        for limit, sign in ((self._criteria.since, ">="), (self._criteria.until, "<=")):
            if limit is not None:
                terms += f" AND {column} {sign} ? AND {column} != {UNTIMED}"
                limits.append(quarter(micros(limit)))
        return terms, limits


def head_of(key: str, parents: Mapping[str, str], heads: Collection[str]) -> str | None:
    """The nearest conversation: the session itself or one above it; None where there is none, or only a cycle."""
    current: str | None = key
    seen = set[str]()
    while current is not None and current not in heads:
        seen.add(current)
        above = parents.get(current)
        current = above if above not in seen else None
    return current
