"""What may be pushed from this machine, what was, and what a push would look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from pollux.lake.documents import Level
from pollux.lake.journal import Entry, Journal
from pollux.lake.permissions import Permission, Permissions, covered
from pollux.lake.plan import Planner
from pollux.lake.settings import PushSettings, known_machine
from pollux.lake.store import lake_name
from pollux.library.library import Library
from pollux.model import Value
from pollux.system.clock import since_epoch
from pollux.system.directories import Places


class Allowed(Value, frozen=True, kw_only=True):
    """A permission with the level that counts, and how many sessions it covers. Without a path, for every project."""

    path: str | None
    level: Level
    name: str | None
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
    """What is set and allowed, what was pushed, and what the next push to the lake that is set will look at."""

    lake: str | None
    person: str
    machine: str | None
    level: Level
    most: Level
    allowed: tuple[Allowed, ...]
    changed: int
    held: Mapping[str, int]
    pushed: tuple[PushedTo, ...]


def allowed(library: Library, settings: PushSettings, permissions: Iterable[Permission]) -> Iterator[Allowed]:
    """What is allowed, as it counts."""
    known = list(permissions)
    counts = covered(known, library.projects.all()) if known else {}
    for one in known:
        level, sessions = settings.level_of(one), counts.get(one.path, 0)
        yield Allowed(path=one.path or None, level=level, name=one.name, sessions=sessions)


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
        changed=len(plan.sessions),
        held=plan.held,
        pushed=tuple(_pushed(lake, list(entries.values())) for lake, entries in pushed.items()),
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
