"""What may be pushed from this machine, what was, and what a push would look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from pollux.lake.documents import Level
from pollux.lake.journal import Entry, Journal
from pollux.lake.permissions import Permission, Permissions, covered
from pollux.lake.plan import Plan, Planner
from pollux.lake.settings import PushSettings, known_machine
from pollux.lake.store import lake_name
from pollux.library.library import Library
from pollux.model import Value
from pollux.system.clock import since_epoch
from pollux.system.directories import Places


class Allowed(Value, frozen=True, kw_only=True):
    """A permission, the level that counts, and how many sessions it covers."""

    permission: Permission
    level: Level
    sessions: int


class PushedTo(Value, frozen=True, kw_only=True):
    """What was pushed to a lake. `unfinished` documents may lie there, but it was not told of them yet."""

    lake: str
    sessions: int
    bytes: int
    secrets: int
    unfinished: int
    last: datetime | None


class PushStatus(Value, frozen=True, kw_only=True):
    """What is set and allowed, what was pushed, and the plan of the next push to the lake that is set."""

    lake: str | None
    person: str
    machine: str | None
    level: Level
    most: Level
    allowed: tuple[Allowed, ...]
    pushed: tuple[PushedTo, ...]
    plan: Plan


def allowed(library: Library, settings: PushSettings, permissions: Iterable[Permission]) -> Iterator[Allowed]:
    """What is allowed, as it counts."""
    known = list(permissions)
    counts = covered(known, library.projects.all()) if known else {}
    for one in known:
        yield Allowed(permission=one, level=settings.level_of(one), sessions=counts.get(one.path, 0))


def push_status(library: Library, places: Places, settings: PushSettings) -> PushStatus:
    """The state of this machine. Nothing is asked of a lake, and nothing is written."""
    journal, permissions = Journal(places.lake), Permissions(places.lake).all()
    pushed = {lake: journal.entries(lake) for lake in journal.lakes()}
    lake = lake_name(settings.url) if settings.url is not None else next(iter(pushed)) if len(pushed) == 1 else None
    planner = Planner(library, settings, permissions, lambda key, _: key.partition(":")[2])
    plan = planner.plan(pushed.get(lake or "", {}), journal.next_seq())
    journal.close()
    machine = known_machine(places)
    return PushStatus(
        lake=lake,
        person=settings.person,
        machine=machine.id if machine is not None else None,
        level=settings.level,
        most=settings.most,
        allowed=tuple(allowed(library, settings, permissions)),
        pushed=tuple(_pushed(lake, list(entries.values())) for lake, entries in pushed.items()),
        plan=plan,
    )


def _pushed(lake: str, entries: list[Entry]) -> PushedTo:
    told = [entry for entry in entries if entry.told]
    last = max((entry.at for entry in entries if entry.at is not None), default=None)
    return PushedTo(
        lake=lake,
        sessions=len(told),
        bytes=sum(entry.bytes for entry in told),
        secrets=sum(entry.redactions or 0 for entry in told),
        unfinished=len(entries) - len(told),
        last=since_epoch(last, 1_000_000),
    )
