"""The origin of an inherited figure: it counts in the session that made the request, if that exists."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.model import Session, Value

INHERITANCE = ("forked_from", "continues", "handed_over_from")
"""The links to a session whose messages another session took over."""


class RequestOrigin(Value, frozen=True):
    """The session in which a request counts: the one that made it or, if that is gone, another one with a copy.

    If neither `exists`, the session is the one that made the request, and no session counts it.
    """

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
    gone = {message for message, origin in origins.items() if not origin.exists}
    return origins | (_copies(current, session, gone) if gone else {})


def _copies(current: CatalogueQueries, session: Session, gone: set[str]) -> dict[str, RequestOrigin]:
    """The sessions that count copies of some inherited messages: those with the same id and the same time."""
    statement = (
        "SELECT own.message, sessions.key FROM usage AS own"
        " JOIN usage AS other ON other.message=own.message AND other.at=own.at AND NOT other.inherited"
        f" JOIN sessions ON sessions.no=other.session AND {current.here} AND kind IN ('main', 'subagent')"
        " WHERE own.session=? AND own.inherited AND agent=? AND key<>? ORDER BY key DESC"
    )
    numbers = _numbers(current, session.key)
    rows = [row for no in numbers for row in current.catalogue.rows(statement, no, session.agent, session.key)]
    return {message: RequestOrigin(key, exists=True) for message, key in rows if message in gone}


def _numbers(current: CatalogueQueries, key: str) -> list[int]:
    statement = f"SELECT no FROM sessions WHERE key=? AND id=? AND {current.here}"
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
    kinds = ", ".join(f"'{kind}'" for kind in INHERITANCE)
    statement = f"SELECT target FROM links WHERE session=? AND kind IN ({kinds})"
    return next((target for number in numbers for (target,) in current.catalogue.rows(statement, number)), None)
