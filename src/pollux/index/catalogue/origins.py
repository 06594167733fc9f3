"""The origin of an inherited figure: it counts in the session that made the request, if that exists."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.model import Session, Value

INHERITANCE = ("forked_from", "continues")
"""The links to a session whose messages another session took over."""


class RequestOrigin(Value, frozen=True):
    """The session that made a request. If it no longer `exists`, no session counts the request."""

    key: str
    exists: bool


def request_origins(current: CatalogueQueries, session: Session) -> dict[str, RequestOrigin]:
    """The origin of the request of each inherited message, by the message's id, as far as it is known."""
    first = next((link.target for link in session.links if link.kind in INHERITANCE), None)
    inherited = {message.id for message in session.messages if message.inherited and message.usage is not None}
    if first is None:
        return {}
    origins: dict[str, RequestOrigin] = {}
    seen = {session.key}
    key: str | None = first
    while inherited and key is not None and key not in seen:
        seen.add(key)
        numbers = _numbers(current, key)
        origins.update(dict.fromkeys(inherited, RequestOrigin(key, _counts(current, numbers))))
        inherited &= _inherited(current, numbers)
        key = _origin(current, numbers)
    return origins


def _numbers(current: CatalogueQueries, key: str) -> list[int]:
    statement = f"SELECT no FROM sessions WHERE key=? AND id=? AND {current.here}"  # noqa: S608 (roots by number)
    return [no for (no,) in current.catalogue.rows(statement, key, key.partition(":")[2])]


def _counts(current: CatalogueQueries, numbers: Iterable[int]) -> bool:
    """Is one of these sessions a conversation? Checkpoints and typed lines have no figures."""
    statement = "SELECT 1 FROM sessions WHERE no=? AND kind IN ('main', 'subagent')"
    return any(current.catalogue.rows(statement, number) for number in numbers)


def _inherited(current: CatalogueQueries, numbers: Iterable[int]) -> set[str]:
    """The messages that a session inherited."""
    statement = "SELECT message FROM usage WHERE session=? GROUP BY 1 HAVING MIN(inherited)"
    return {message for number in numbers for (message,) in current.catalogue.rows(statement, number)}


def _origin(current: CatalogueQueries, numbers: Iterable[int]) -> str | None:
    statement = "SELECT target FROM links WHERE session=? AND kind IN ('forked_from', 'continues')"
    return next((target for number in numbers for (target,) in current.catalogue.rows(statement, number)), None)
