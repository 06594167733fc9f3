"""What the sessions of a lake used: DuckDB adds the requests up, and the same code as at home prices the sums."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from pollux.index.catalogue.conditions import ALWAYS_LISTED
from pollux.index.catalogue.rollups import INCOMPLETE, QUARTER, STEPS, UNTIMED, micros, quarter
from pollux.index.catalogue.usage_queries import CountedSession, RollUp, ToolUse, UsageQueries, head_of
from pollux.index.catalogue.values import Filter
from pollux.lake.ask import Lake
from pollux.model import FIGURES, Kind
from pollux.system.directories import Places
from pollux.usage.service import UsageService

_SPAN = QUARTER * 1_000_000
_QUARTER = (
    f'CASE WHEN "at" IS NULL THEN {UNTIMED} '
    f'ELSE (epoch_us("at") - ((epoch_us("at") % {_SPAN}) + {_SPAN}) % {_SPAN}) // {_SPAN} END'
)
_SIZE = (
    f"CASE WHEN input IS NULL OR output IS NULL THEN {INCOMPLETE} "
    "ELSE GREATEST(input // GREATEST(COALESCE(requests, 1), 1) - 1, 0) END"
)
_STEP = f"CASE {' '.join(f'WHEN size >= {step} THEN {step}' for step in reversed(STEPS))} ELSE LEAST(size, 0) END"
_SUMS = ", ".join(f"SUM({name})" for name in FIGURES)


class LakeUsageQueries(UsageQueries):
    """Queries on the usage of the sessions of a lake that meet a filter, or that have one of some ids."""

    def __init__(self, lake: Lake, criteria: Filter, ids: Collection[str] | None = None) -> None:
        self._lake = lake
        self._criteria = criteria
        timeless = msgspec.structs.replace(criteria, since=None, until=None, everything=True)
        self._where, self._values = lake.where(timeless)
        self._where += f" AND kind <> '{Kind.CHECKPOINT}'"  # a copy of a conversation
        if ids is not None:
            self._where += " AND substr(key, instr(key, ':') + 1) IN (SELECT unnest(?))"
            self._values.append(sorted(ids))
        self._rollups: list[RollUp] | None = None
        self._silent: dict[int, RollUp] = {}
        self._numbers: dict[str, int] = {}
        self.sessions = self._find()

    def _find(self) -> dict[int, CountedSession]:
        parents = dict(self._lake.rows("SELECT key, parent FROM sessions WHERE parent IS NOT NULL"))
        rows = self._lake.rows(
            "SELECT key, agent, project, project_hash, exact, kind, person, team, epoch_us(started), models[1] "
            f"FROM sessions WHERE {self._where}",
            *self._values,
        )
        heads = {row[0] for row in rows if row[5] in ALWAYS_LISTED}
        sessions = {}
        for number, (key, agent, project, digest, exact, kind, person, team, started, model) in enumerate(rows):
            sessions[number] = CountedSession(
                key=key,
                agent=agent,
                project=project,
                project_hash=digest,
                exact=exact,
                head=head_of(key, parents, heads),
                person=person,
                team=team,
            )
            self._numbers[key] = number
            if kind in (Kind.MAIN, Kind.SUBAGENT):
                self._silent[number] = RollUp(session=number, quarter=quarter(started), model=model or "", step=0)
        return sessions

    def rollups(self) -> list[RollUp]:
        """The requests of each session, added up by quarter of an hour, model and step."""
        if self._rollups is None:
            self._rollups = self._sums(_STEP)
        return self._rollups

    def requests(self) -> Iterable[RollUp]:
        """The same by the size of the prompts, for prices that no step was made for."""
        return self._sums("size")

    def calls(self) -> Iterable[ToolUse]:
        """Every tool call."""
        times, limits = self._times("quarter")
        rows = self._lake.rows(
            f"SELECT key, {_QUARTER} AS quarter, name, canonical, status, seconds FROM tool_calls "
            f"WHERE NOT inherited AND {self._chosen()}{times} ORDER BY key, number",
            *self._values,
            *limits,
        )
        return (ToolUse(self._numbers[row[0]], *row[1:]) for row in rows)

    def _sums(self, step: str) -> list[RollUp]:
        times, limits = self._times("quarter")
        rows = self._lake.rows(
            f"SELECT {_SUMS}, key, quarter, model, {step} AS step FROM ("
            f"SELECT *, {_QUARTER} AS quarter, {_SIZE} AS size FROM usage WHERE {self._chosen()}) "
            f"WHERE TRUE{times} GROUP BY key, quarter, model, step",
            *self._values,
            *limits,
        )
        width = len(FIGURES)
        sums = [
            RollUp(
                **dict(zip(FIGURES, row[:width], strict=True)),
                session=self._numbers[row[width]],
                quarter=row[width + 1],
                model=row[width + 2] or "",
                step=row[width + 3],
            )
            for row in rows
        ]
        return [*sums, *self._unknown()]

    def _unknown(self) -> Iterable[RollUp]:
        """An entry for each conversation without a request, so that it counts as a session."""
        known = {
            key for (key,) in self._lake.rows(f"SELECT DISTINCT key FROM usage WHERE {self._chosen()}", *self._values)
        }
        begin = quarter(micros(self._criteria.since)) if self._criteria.since is not None else None
        end = quarter(micros(self._criteria.until)) if self._criteria.until is not None else None
        for number, row in self._silent.items():
            is_timed = (begin is None and end is None) or row.quarter != UNTIMED
            in_time = (begin is None or row.quarter >= begin) and (end is None or row.quarter <= end)
            if self.sessions[number].key not in known and is_timed and in_time:
                yield row

    def _chosen(self) -> str:
        return f"key IN (SELECT key FROM sessions WHERE {self._where})"


def usage_of(lake: Lake, places: Places) -> UsageService:
    """What the sessions of a lake used and cost, by the user's prices."""
    return UsageService(
        lambda question: question(lake),
        settings=places.settings,
        prices=places.prices,
        queries=LakeUsageQueries,
    )
