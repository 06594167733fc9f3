"""A message with its parts, before it is made."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

import msgspec

from pollux.sources.opencode.format.schema import MessageInfo
from pollux.sources.opencode.messages.ids import time_in
from pollux.sources.opencode.witnesses.records import Gathered, MessageRecord, PartRecord

_BY_RESPONSE = frozenset(("step-start", "step-finish", "reasoning", "tool"))
_SHELL = "The following tool was executed by the user"


class Told(msgspec.Struct, frozen=True, gc=False):
    """A message and its parts, in order. `kinds` are their types, `created` is the time of the message, if it has one.

    `place` is the time by which it stands among the others. `guessed`: its record does not say who spoke. `said` is the
    earliest time in its parts, where it has none itself.
    """

    id: str
    record: MessageRecord
    parts: list[PartRecord]
    kinds: list[str | None]
    created: float | None
    place: float
    guessed: bool
    said: float | None = None


def told_in_order(gathered: Gathered, near: float | None) -> list[Told]:
    """Every message, also those of which only parts are left. `near`: about when the session began."""
    return sorted(_told(gathered, near), key=attrgetter("place", "id"))


def _told(gathered: Gathered, near: float | None) -> Iterator[Told]:
    for id, record in gathered.messages.items():
        yield _one(id, record, _sorted(gathered.parts.get(id, {})), near)
    for id, parts in gathered.parts.items():
        if id not in gathered.messages:
            members = _sorted(parts)
            info = MessageInfo(id=id, role=_role_by([one.part.type for one in members]))
            yield _one(id, MessageRecord(info, members[0].origin, removed=True), members, near)


def _one(id: str, record: MessageRecord, parts: list[PartRecord], near: float | None) -> Told:
    info = record.info
    kinds = [one.part.type for one in parts]
    guessed = info.role is None
    if info.role is None:
        info.role = _role_by(kinds)
    created = info.time.created if info.time is not None else None
    place = created if created is not None else time_in(id, near)
    said = min(_times(parts), default=None) if created is None else None
    return Told(id, record, parts, kinds, created, place if place is not None else float("inf"), guessed, said)


def _times(parts: list[PartRecord]) -> Iterator[float]:
    """When the parts of a message began, of those that say so."""
    for record in parts:
        state = record.part.state
        for times in (record.part.time, state.time if state is not None else None):
            if times is not None and times.start is not None:
                yield times.start


def _role_by(kinds: list[str | None]) -> str:
    """Who spoke, as far as one can guess by the parts."""
    return "user" if _BY_RESPONSE.isdisjoint(kinds) else "assistant"


def _sorted(parts: dict[str, PartRecord]) -> list[PartRecord]:
    return [parts[id] for id in sorted(parts)]


def is_shell(one: Told) -> bool:
    """Does a message of the client only say that the user ran a tool?"""
    texts = [record.part.text for record in one.parts if record.part.type == "text"]
    return one.record.info.role == "user" and texts == [_SHELL]
