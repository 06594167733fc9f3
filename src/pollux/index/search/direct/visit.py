"""Searches sessions in the moment when they are read for the catalogue, so that no file is read twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from pollux.index.search.direct.examine import DirectRequest, Examiner, SessionMatches
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Query
from pollux.model import Session
from pollux.system.decoders import msgpack_decoder
from pollux.text.surrogates import escape_surrogates

Found = Callable[[Sequence[SessionMatches]], None]
"""Hears of sessions in which something matches, as they are found."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(list[SessionMatches]).decode


class _Visited(NamedTuple):
    """What matches in a session, and in which load it was read."""

    load: int
    key: str
    matches: SessionMatches


class SearchVisit:
    """Compares sessions with a query while they are read. `found` hears what matches."""

    def __init__(
        self, query: Query, request: DirectRequest, kinds: Collection[PassageKind] | None, found: Found = lambda _: None
    ) -> None:
        self._question = (query, request, kinds)
        self._examiner = Examiner(DirectQuery(query, kinds), request)
        self._found = found
        self._load = 0
        self._seen: dict[int, _Visited] = {}

    def begin(self) -> None:
        """Begin a load. Its processes compare what they read with one another, and with nothing else."""
        self._load += 1

    def look(self, sessions: Sequence[Session]) -> bytes:
        """What matches in the sessions of a bundle. This is done in the process that reads them."""
        matches = [self._examiner.examine(session, place) for place, session in enumerate(sessions)]
        try:
            return _encode(matches)
        except UnicodeEncodeError:
            return _encode(escape_surrogates(matches, list[SessionMatches]))

    def note(self, sessions: Sequence[tuple[str, int]], seen: bytes) -> None:
        """Keep what was found in sessions that now have these keys and numbers."""
        present: list[SessionMatches] = []
        for (key, number), matches in zip(sessions, _decode(seen), strict=True):
            numbered = msgspec.structs.replace(matches, number=number)
            self._seen[number] = _Visited(self._load, key, numbered)
            if numbered.count:
                present.append(numbered)
        if present:
            self._found(present)

    def answers(
        self,
        query: Query,
        request: DirectRequest,
        kinds: Collection[PassageKind] | None,
        sessions: Mapping[int, str],
    ) -> dict[int, SessionMatches]:
        """What was found in the sessions with these numbers and keys, if the question was the same."""
        if (query, request, kinds) != self._question or self._was_misled(sessions):
            return {}
        return {number: visited.matches for number, visited in self._seen.items()}

    def _was_misled(self, sessions: Mapping[int, str]) -> bool:
        """Was something found in a session that does not count, so that it may have displaced better hits?

        A copy does not count, nor what is gone. What was read again in a later load has the same texts, and counts; but
        more may be known about the session, so this is not sure if the query asks for facts of whole sessions.
        """
        keys = set(sessions.values())
        counting = {(each.load, each.key) for number, each in self._seen.items() if number in sessions}
        return any(
            self._examiner.query.asks_for_sessions or each.key not in keys or (each.load, each.key) in counting
            for number, each in self._seen.items()
            if each.matches.hits and number not in sessions
        )
