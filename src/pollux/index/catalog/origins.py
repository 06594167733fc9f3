"""Whose a figure is that a session inherited: it counts in the session that made the request, if that is there."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.index.catalog.queries import CatalogQueries
from pollux.model import Session, Value

BEQUESTS = ("forked_from", "continues")
"""The links to a session of which another took messages over."""


class Maker(Value, frozen=True):
    """The session that made a request. Where its conversation is not `there`, nobody counts the request."""

    key: str
    there: bool


def makers(current: CatalogQueries, session: Session) -> dict[str, Maker]:
    """Who made the request of each inherited message, by the message's id; as far as that is known."""
    first = next((link.target for link in session.links if link.kind in BEQUESTS), None)
    inherited = {message.id for message in session.messages if message.inherited and message.usage is not None}
    if first is None:
        return {}
    found: dict[str, Maker] = {}
    seen = {session.key}
    here: str | None = first
    while inherited and here is not None and here not in seen:
        seen.add(here)
        numbers = _numbers(current, here)
        found.update(dict.fromkeys(inherited, Maker(here, _counts(current, numbers))))
        inherited &= _inherited(current, numbers)
        here = _origin(current, numbers)
    return found


def _numbers(current: CatalogQueries, key: str) -> list[int]:
    asked = f"SELECT no FROM sessions WHERE key=? AND id=? AND {current.here}"  # noqa: S608 (roots by number)
    return [no for (no,) in current.catalogue.rows(asked, key, key.partition(":")[2])]


def _counts(current: CatalogQueries, numbers: Iterable[int]) -> bool:
    """Is one of these a conversation? Checkpoints and typed lines have no figures."""
    asked = "SELECT 1 FROM sessions WHERE no=? AND kind IN ('main', 'subagent')"
    return any(current.catalogue.rows(asked, number) for number in numbers)


def _inherited(current: CatalogQueries, numbers: Iterable[int]) -> set[str]:
    """The messages that a session has from another."""
    asked = "SELECT message FROM usage WHERE session=? GROUP BY 1 HAVING MIN(inherited)"
    return {message for number in numbers for (message,) in current.catalogue.rows(asked, number)}


def _origin(current: CatalogQueries, numbers: Iterable[int]) -> str | None:
    asked = "SELECT target FROM links WHERE session=? AND kind IN ('forked_from', 'continues')"
    return next((target for number in numbers for (target,) in current.catalogue.rows(asked, number)), None)
