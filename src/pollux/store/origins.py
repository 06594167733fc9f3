"""Where a figure counts that a session inherited: in the session that made the request, however often it was forked."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.model import Session
from pollux.store.questions import Questions

BEQUESTS = ("forked_from", "continues")
"""The links to a session of which another took messages over."""


def counting(current: Questions, session: Session) -> dict[str, str]:
    """The key of the session that counts each inherited message, by the message's id; as far as that is known."""
    first = next((link.target for link in session.links if link.kind in BEQUESTS), None)
    inherited = {message.id for message in session.messages if message.inherited and message.usage is not None}
    if first is None:
        return {}
    found: dict[str, str] = {}
    seen = {session.key}
    here: str | None = first
    while inherited and here is not None and here not in seen:
        seen.add(here)
        found.update(dict.fromkeys(inherited, here))
        numbers = _numbers(current, here)
        inherited &= _inherited(current, numbers)
        here = _origin(current, numbers)
    return found


def _numbers(current: Questions, key: str) -> list[int]:
    asked = f"SELECT no FROM sessions WHERE key=? AND id=? AND {current.here}"  # noqa: S608 (roots by number)
    return [no for (no,) in current.catalogue.rows(asked, key, key.partition(":")[2])]


def _inherited(current: Questions, numbers: Iterable[int]) -> set[str]:
    """The messages that a session has from another."""
    asked = "SELECT message FROM usage WHERE session=? GROUP BY 1 HAVING MIN(inherited)"
    return {message for number in numbers for (message,) in current.catalogue.rows(asked, number)}


def _origin(current: Questions, numbers: Iterable[int]) -> str | None:
    asked = "SELECT target FROM links WHERE session=? AND kind IN ('forked_from', 'continues')"
    return next((target for number in numbers for (target,) in current.catalogue.rows(asked, number)), None)
