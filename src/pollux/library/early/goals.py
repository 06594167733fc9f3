"""What an early answer needs: the newest sessions, or those of an id. The rest is read later."""

from __future__ import annotations

from collections.abc import Callable

from pollux.index.catalogue.prefixes import SHORTEST
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import BundleRows
from pollux.index.catalogue.values import Filter
from pollux.sources.base import Bundle

MOST_NEWEST = 100
"""Longer lists wait until all sessions are read."""

_FILES, _FILES_EACH = 100, 2
"""How many of the newest files are looked into, and how many more for each session of the list."""

_NANOSECONDS = 1000
"""A microsecond, in nanoseconds."""

_SLACK = 60 * 10**9
"""A file may be so much older (nanoseconds) than what it says: agents note a time, and then write."""


class Newest:
    """The newest sessions that match. Those that are not read yet are older, by the times of their files.

    If a session is newer than its own file, the times of files say nothing, and all must be read.
    """

    def __init__(self, current: Callable[[], CatalogueQueries], criteria: Filter, limit: int) -> None:
        self._current = current
        self._criteria = criteria
        self._limit = limit
        self._can_trust_files = True
        self.reached = False

    @staticmethod
    def can_answer(criteria: Filter, limit: int | None) -> bool:
        """Can a list be known early? The projects of some sessions are known only when all are read."""
        return (
            limit is not None
            and limit <= MOST_NEWEST
            and not any((criteria.project, criteria.words, criteria.facts, criteria.marks))
        )

    @property
    def newest(self) -> int:
        """Some files are no sessions, and some sessions are not on the list."""
        return _FILES + _FILES_EACH * self._limit

    def wants(self, agent: str, id: str) -> bool:  # noqa: ARG002 (the newest ones are read anyway)
        """No session is more important than a newer one."""
        return False

    def note(self, bundle: Bundle, rows: BundleRows) -> None:
        """Compare the times of sessions with that of their file."""
        latest = max((entry.moment for entry in rows.entries), default=0)
        self._can_trust_files &= latest * _NANOSECONDS <= bundle.changed_ns + _SLACK

    def is_reached(self, unread_since: int) -> bool:
        """Is every session on the list newer than all that is unread?"""
        if not self._can_trust_files:
            return False
        moments = self._current().newest_moments(self._criteria, self._limit)
        oldest = moments[-1] if len(moments) == self._limit else None
        self.reached = oldest is not None and oldest * _NANOSECONDS > unread_since + _SLACK
        return self.reached


class Lookup:
    """The sessions whose id begins like this.

    Some files hold sub-agents whose ids only their content tells, and which may begin alike. So the beginning must be
    as long as those that people are shown, or a whole id.
    """

    newest = 0

    def __init__(self, current: Callable[[], CatalogueQueries], prefix: str, agent: str | None) -> None:
        self._current = current
        self._prefix = prefix
        self._agent = agent
        self.reached = False

    def wants(self, agent: str, id: str) -> bool:
        """Is it such a session?"""
        return id.startswith(self._prefix) and self._agent in (None, agent)

    def note(self, bundle: Bundle, rows: BundleRows) -> None:
        """Whatever was read, the wanted bundles were read first."""

    def is_reached(self, unread_since: int) -> bool:  # noqa: ARG002 (its time does not matter)
        """Is there such a session? Otherwise the id may be that of a sub-agent, in any bundle."""
        ids = {place.id for place in self._current().with_prefix(self._prefix, self._agent)}
        self.reached = self._prefix in ids or (bool(ids) and len(self._prefix) >= SHORTEST)
        return self.reached
