"""Decides which sessions are pushed, without reading one: by permissions, marks, and the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from pollux.lake.documents import Level
from pollux.lake.journal import Entry, microseconds
from pollux.lake.permissions import Permission, permission_for
from pollux.lake.prepare import Planned
from pollux.lake.settings import PushSettings
from pollux.library.library import Filter, Library
from pollux.model import Summary, Value
from pollux.system.clock import now
from pollux.writers.json import stamp

PAUSE = timedelta(minutes=15)
"""A session that grows is pushed so often at most."""

UNDATED = "undated"


HELD = ("not_allowed", "private", "waiting", "unchanged")
"""Why sessions are not pushed: nobody allowed it, it is private, it was pushed a moment ago, it is as it was."""


class Plan(Value, frozen=True, kw_only=True):
    """The sessions to push, and how many are `held` back, for each reason."""

    sessions: tuple[Planned, ...]
    held: Mapping[str, int]


class Planner:
    """Makes the plan of one push to one lake. `lake_id` says what a lake calls a session, by its key and level."""

    def __init__(
        self,
        library: Library,
        settings: PushSettings,
        permissions: Sequence[Permission],
        lake_id: Callable[[str, Level], str],
    ) -> None:
        self._library = library
        self._settings = settings
        self._permissions = permissions
        self._lake_id = lake_id

    def plan(self, journal: Mapping[str, Entry], seq: int, *, again: bool = False) -> Plan:
        """The plan, by the journal of the lake. Numbers begin with `seq`. With `again`, also what is as it was."""
        entries = {entry.summary.key: entry.summary for entry in self._library.list(Filter(everything=True))}
        hidden = self._library.for_agents.hidden()
        stamps = self._library.index.stamps()
        held, planned = dict.fromkeys(HELD, 0), list[Planned]()
        for key, summary in entries.items():
            permission = permission_for(_project(summary, entries), self._permissions)
            before = journal.get(key)
            if permission is None:
                held["not_allowed"] += 1
                continue
            if key in hidden.keys or key in hidden.partly:
                held["private"] += 1
                continue
            wanted = self._planned(summary, permission, before, stamps.get(key, ""), seq + len(planned))
            reason = None if again else _reason_to_wait(wanted)
            if reason is None:
                planned.append(wanted)
            else:
                held[reason] += 1
        return Plan(sessions=tuple(planned), held=held)

    def _planned(self, summary: Summary, permission: Permission, before: Entry | None, files: str, seq: int) -> Planned:
        level = self._settings.level_of(permission)
        how = (files, level, self._settings.person, permission.name or "")
        return Planned(
            key=summary.key,
            id=before.id if before is not None else self._lake_id(summary.key, level),
            level=level,
            month=before.month if before is not None else _month(summary),
            seq=seq,
            stamp="\n".join(how),
            project=permission.name,
            before=before,
        )


def _reason_to_wait(planned: Planned) -> str | None:
    """Why a session is not pushed now; None where it is."""
    before = planned.before
    if before is None or not before.told:
        return None
    if before.stamp == planned.stamp:
        return "unchanged"
    if planned.level.rank < before.level.rank:  # less is to be seen, at once
        return None
    since = microseconds(now()) - (before.at or 0)
    return "waiting" if 0 <= since < PAUSE // timedelta(microseconds=1) else None


def _project(summary: Summary, others: Mapping[str, Summary]) -> str | None:
    """The project of a session; that of the session which started it, where nobody recorded its own."""
    seen: set[str] = set()
    while summary.project is None and summary.key not in seen and (above := others.get(summary.parent or "")):
        seen.add(summary.key)
        summary = above
    return summary.project


def _month(summary: Summary) -> str:
    """The month in which a session began, in UTC."""
    return (stamp(summary.started or summary.ended) or UNDATED)[:7]


def ids_in(plan: Plan, journal: Mapping[str, Entry]) -> dict[str, str]:
    """What the lake calls sessions, where that is not the agent's own id."""
    known = {key: entry.id for key, entry in journal.items()}
    known |= {planned.key: planned.id for planned in plan.sessions}
    return {key: id for key, id in known.items() if key.partition(":")[2] != id}
