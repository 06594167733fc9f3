"""Searches sessions in the moment when they are read for the catalogue, so that no file is read twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from pollux.index.search.direct.examine import DirectRequest, Examiner, SessionMatches
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Query
from pollux.model import Session
from pollux.text.surrogates import escape_surrogates

Found = Callable[[Sequence[SessionMatches]], None]
"""Hears of sessions in which something matches, as they are found."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[SessionMatches]).decode


class SearchVisit:
    """Compares sessions with a query while they are read. `found` hears what matches."""

    def __init__(
        self, query: Query, request: DirectRequest, kinds: Collection[PassageKind] | None, found: Found = lambda _: None
    ) -> None:
        self._question = (query, request, kinds)
        self._examiner = Examiner(DirectQuery(query, kinds), request)
        self._found = found
        self._seen: dict[int, SessionMatches] = {}

    def look(self, sessions: Sequence[Session]) -> bytes:
        """What matches in the sessions of a bundle. This is done in the process that reads them."""
        matches = [self._examiner.examine(session, place) for place, session in enumerate(sessions)]
        try:
            return _encode(matches)
        except UnicodeEncodeError:
            return _encode(escape_surrogates(matches, list[SessionMatches]))

    def note(self, numbers: Sequence[int], seen: bytes) -> None:
        """Keep what was found in sessions that now have these numbers."""
        new = [msgspec.structs.replace(matches, number=numbers[matches.number]) for matches in _decode(seen)]
        self._seen |= {matches.number: matches for matches in new}
        if present := [matches for matches in new if matches.count]:
            self._found(present)

    def answers(
        self, query: Query, request: DirectRequest, kinds: Collection[PassageKind] | None, numbers: Collection[int]
    ) -> Mapping[int, SessionMatches]:
        """What was found in the sessions with these numbers, if the question was the same.

        It is not used if something was found in another session, such as a copy: it may have displaced better hits.
        """
        displaced = any(matches.hits and number not in numbers for number, matches in self._seen.items())
        return self._seen if (query, request, kinds) == self._question and not displaced else {}
