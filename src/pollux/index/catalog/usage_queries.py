"""What the catalogue is asked about usage: which sessions count, and their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import msgspec

from pollux.index.catalog.catalog import proof_of
from pollux.index.catalog.queries import ALWAYS_LISTED, WORST_FIRST, CatalogQueries, Filter
from pollux.index.catalog.rollups import HALF, QUARTER, UNTIMED, quarter
from pollux.index.catalog.rows import Proof, micros
from pollux.model import UNKNOWN, Figures, Value, values

_BEGIN = f"CASE WHEN at IS NULL THEN {UNTIMED} ELSE at / {QUARTER * 1_000_000} END"
_FEW = 10_000
_BEYOND = f"COALESCE(MAX(input / MAX(COALESCE(requests, 1), 1) - 1, output * 0), {HALF})"


class Counted(Value, frozen=True, kw_only=True):
    """A session whose rows are counted.

    `head` is the conversation it belongs to: itself, or, of a sub-agent, the one that started it. It is None where that
    is not among those that are counted.
    """

    key: str
    agent: str
    project: str | None
    project_hash: str | None
    exact: bool | None
    head: str | None


class Rolled(Figures, frozen=True, kw_only=True, array_like=True):
    """What one session used of one model in one quarter of an hour, with prompts beyond the same step."""

    session: int
    quarter: int
    model: str
    step: int


class Called(NamedTuple):
    """One tool call."""

    session: int
    quarter: int
    name: str
    canonical: str
    status: str
    seconds: float | None


class UsageQueries:
    """Asks about the usage of the sessions that a filter chooses, or of those that have one of some ids.

    The filter's times choose the requests, by the quarter of an hour.
    """

    def __init__(self, questions: CatalogQueries, asked: Filter, ids: Collection[str] | None = None) -> None:
        self._rows = questions.catalogue.rows
        self._asked = asked
        timeless = msgspec.structs.replace(asked, since=None, until=None, everything=True)
        self._all = timeless == Filter(everything=True) and ids is None
        self._where, self._values = questions.where(timeless)
        self._where += " AND kind != 'checkpoint'"  # a copy of a conversation
        if ids is not None and len(ids) <= _FEW:
            self._where += f" AND id IN ({', '.join('?' * len(ids))})"
            self._values += ids
        self.sessions = self._counted(questions)
        self._rolled: list[Rolled] | None = None

    def _counted(self, questions: CatalogQueries) -> dict[int, Counted]:
        """By number. One that lies under two roots counts once, as it was left last."""
        asked = f"SELECT key, parent FROM sessions s WHERE parent IS NOT NULL AND {questions.meant}"
        parents: dict[str, str] = dict(self._rows(asked))
        found = self._rows(
            "SELECT no, key, agent, project, project_hash, exact, kind FROM sessions "
            f"WHERE {self._where} ORDER BY {WORST_FIRST.format('')}",
            *self._values,
        )
        newest = {row[1]: row for row in found}
        heads = {row[1] for row in newest.values() if row[6] in ALWAYS_LISTED}
        return {
            no: Counted(
                key=key,
                agent=agent,
                project=project,
                project_hash=digest,
                exact=None if exact is None else bool(exact),
                head=_head(key, parents, heads),
            )
            for no, key, agent, project, digest, exact, _ in newest.values()
        }

    def models(self) -> set[str]:
        """Every model that was used."""
        return {row.model for row in self.rolled()}

    def rolled(self) -> list[Rolled]:
        """The roll-ups."""
        if self._rolled is None:
            times, limits = self._times("quarter")
            columns = ", ".join(Rolled.__struct_fields__)
            asked = f"SELECT {columns} FROM quarters WHERE {self._chosen()}{times}"
            self._rolled = self._counting(asked, *limits)
        return self._rolled

    def requests(self) -> Iterable[Rolled]:
        """Each request by itself, its own size in the step's place: for prices that no roll-up was made for."""
        times, limits = self._times(_BEGIN)
        given = {"quarter": _BEGIN, "model": "COALESCE(model, '')", "step": _BEYOND}
        columns = ", ".join(given.get(name, name) for name in Rolled.__struct_fields__)
        asked = f"SELECT {columns} FROM usage WHERE NOT inherited AND {self._chosen()}{times}"
        unknown = (row for row in self.rolled() if values(row) == UNKNOWN)
        return chain(unknown, self._counting(asked, *limits))

    def _counting(self, asked: str, *limits: int) -> list[Rolled]:
        """Those of the rows whose sessions count."""
        rows = msgspec.convert(list(self._rows(asked, *self._values, *limits)), list[Rolled])
        return [row for row in rows if row.session in self.sessions]

    def calls(self) -> Iterable[Called]:
        """Every tool call."""
        times, limits = self._times(_BEGIN)
        rows = self._rows(
            f"SELECT session, {_BEGIN}, name, canonical, status, seconds FROM calls "
            f"WHERE NOT inherited AND {self._chosen()}{times}",
            *self._values,
            *limits,
        )
        return (Called(*row) for row in rows if row[0] in self.sessions)

    def proofs(self) -> Iterable[tuple[Counted, Proof]]:
        """What speaks for and against the figures of each conversation."""
        asked = f"SELECT no, proof FROM sessions WHERE kind != 'prompts' AND {self._where}"
        for no, blob in self._rows(asked, *self._values):
            if no in self.sessions:
                yield self.sessions[no], proof_of(blob)

    def inherited(self) -> dict[str, tuple[int, int]]:
        """How many requests and tokens of a session were another's, by key."""
        rows = self._rows(
            "SELECT session, SUM(COALESCE(requests, 1)), SUM(COALESCE(input, 0) + COALESCE(output, 0)) FROM usage "
            f"WHERE inherited AND {self._chosen()} GROUP BY 1",
            *self._values,
        )
        return {self.sessions[no].key: (requests, tokens) for no, requests, tokens in rows if no in self.sessions}

    def prompts(self) -> Iterable[tuple[int, int, int]]:
        """How many prompts a session got in a quarter of an hour: session, quarter, prompts."""
        times, limits = self._times("quarter")
        asked = f"SELECT session, quarter, prompts FROM prompts WHERE {self._chosen()}{times}"
        return (row for row in self._rows(asked, *self._values, *limits) if row[0] in self.sessions)

    def _chosen(self) -> str:
        """Narrows rows down where that saves work. Whose they are is looked at in any case."""
        return "1" if self._all else f"session IN (SELECT no FROM sessions WHERE {self._where})"

    def _times(self, column: str) -> tuple[str, list[int]]:
        terms, limits = "", list[int]()
        for limit, sign in ((self._asked.since, ">="), (self._asked.until, "<=")):
            if limit is not None:
                terms += f" AND {column} {sign} ? AND {column} != {UNTIMED}"
                limits.append(quarter(micros(limit)))
        return terms, limits


def _head(key: str, parents: Mapping[str, str], heads: Collection[str]) -> str | None:
    """The nearest conversation: itself, or one above it; None where there is none, or only a circle."""
    here: str | None = key
    seen = set[str]()
    while here is not None and here not in heads:
        seen.add(here)
        above = parents.get(here)
        here = above if above not in seen else None
    return here
