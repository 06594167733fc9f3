"""Sessions whose words are not in the index yet: searched directly, and their hits joined with those of the index."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from pollux.index.search.direct.examine import DirectHit, DirectRequest, Examiner, SessionMatches
from pollux.index.search.direct.look import count_matches, show
from pollux.index.search.direct.look_through import BundleMatches, PendingBundle, look_through
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.direct.ranking import Scale, Statistics, total
from pollux.index.search.direct.visit import Found, SearchVisit
from pollux.index.search.fields import EPOCH
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Query, Sort
from pollux.index.search.results import IndexHit
from pollux.index.search.snippets import Snippet
from pollux.model import Kind, Session
from pollux.sources.base import Bundle
from pollux.system.progress import Report

Unfinished = Callable[[Bundle], None]
"""Gets each bundle that could not be looked through."""


class PendingSearch:
    """Searches the sessions of these bundles directly. `report` gets the progress, and `found` what matches.

    A `visit` may have searched some of them while they were read for the catalogue. The index may already have words of
    these sessions. They do not count.
    """

    def __init__(  # noqa: PLR0913
        self,
        bundles: Sequence[PendingBundle],
        *,
        processes: int | None = None,
        report: Report = lambda _: None,
        unfinished: Unfinished = lambda _: None,
        visit: SearchVisit | None = None,
        found: Found = lambda _: None,
    ) -> None:
        self.bundles = bundles
        self.numbers = frozenset(number for task in bundles for number in task.numbers.values())
        self._processes = processes
        self._report = report
        self._unfinished = unfinished
        self._visit = visit
        self._found = found

    def matches(
        self,
        query: Query,
        request: DirectRequest,
        kinds: Collection[PassageKind] | None = None,
        session_kinds: Collection[Kind] | None = None,
    ) -> PendingMatches:
        """What matches a query in all these sessions."""
        examiner = Examiner(DirectQuery(query, kinds, session_kinds), request)
        counted = Statistics()
        sessions: list[SessionMatches] = []
        bundles: dict[int, PendingBundle] = {}
        seen = self._seen(query, request, kinds) if session_kinds is None else {}
        for task, result in self._results(examiner, seen):
            if not result.complete:
                self._unfinished(task.bundle)
            counted.add(total([result.skipped, *(matches.statistics for matches in result.sessions)]))
            present = [matches for matches in result.sessions if matches.count or matches.hits]
            sessions += present
            bundles |= {matches.number: task for matches in present}
        sessions.sort(key=lambda matches: matches.number)
        return PendingMatches(examiner, sessions, examiner.scale(counted), bundles, self.numbers)

    def _seen(
        self, query: Query, request: DirectRequest, kinds: Collection[PassageKind] | None
    ) -> Mapping[int, SessionMatches]:
        """What was found in sessions while they were read for the catalogue."""
        if self._visit is None:
            return {}
        sessions = {number: key for task in self.bundles for key, number in task.numbers.items()}
        return self._visit.answers(query, request, kinds, sessions)

    def _results(
        self, examiner: Examiner, seen: Mapping[int, SessionMatches]
    ) -> Iterator[tuple[PendingBundle, BundleMatches]]:
        """What matches in each bundle: first in those that were seen, then in those that are read now."""
        rest: list[PendingBundle] = []
        for task in self.bundles:
            known = [seen[number] for number in task.numbers.values() if number in seen]
            if len(known) == len(task.numbers):
                yield task, BundleMatches(known)
            else:
                rest.append(task)
        for task, result in look_through(rest, examiner, self._processes, self._report):
            if present := [matches for matches in result.sessions if matches.count]:
                self._found(present)
            yield task, result


class _Ranked(NamedTuple):
    """A hit with its session and its relevance."""

    session: int
    hit: DirectHit
    score: float


class PendingMatches:
    """What matches a query in sessions that were searched directly. `numbers` are those of all these sessions."""

    def __init__(
        self,
        examiner: Examiner,
        sessions: Sequence[SessionMatches],
        scale: Scale,
        bundles: dict[int, PendingBundle],
        numbers: Collection[int],
    ) -> None:
        self.numbers = numbers
        self._examiner = examiner
        self._sessions = sessions
        self._scale = scale
        self._bundles = bundles

    @property
    def matching(self) -> set[int]:
        """The sessions with a message that matches the whole query. All are known if the newest were asked for."""
        return {each.number for each in self._sessions if each.count}

    def counts(self, sessions: Collection[int]) -> dict[int, int]:
        """How many messages of these sessions match the whole query. Those that were not counted are read again."""
        wanted = [matches for matches in self._sessions if matches.number in sessions]
        counts = {each.number: each.count if each.counted else self._count(each.number) for each in wanted}
        return {number: count for number, count in counts.items() if count}

    def _count(self, number: int) -> int:
        session = self._session(number)
        return count_matches(self._examiner.query, session, number) if session is not None else 0

    def join(self, hits: Sequence[IndexHit], sort: Sort, limit: int, per_session: int | None) -> list[IndexHit]:
        """The best of these hits of the index and of the messages that match the whole query."""
        return self._join(hits, self._ranked(sort, per_session, scattered=False), sort, limit)

    def join_scattered(self, hits: Sequence[IndexHit], limit: int) -> list[IndexHit]:
        """The best of these hits of the index and of the sessions that match the query in several messages."""
        return self._join(hits, self._ranked(Sort.RELEVANCE, 1, scattered=True), Sort.RELEVANCE, limit)

    def _ranked(self, sort: Sort, per_session: int | None, *, scattered: bool) -> list[_Ranked]:
        """The hits of all sessions, best first."""
        ranked: list[_Ranked] = []
        for matches in self._sessions:
            if matches.scattered is scattered:
                own = [self._best(matches.number, hit, sort) for hit in matches.hits]
                own.sort(key=lambda item: _rank(item, sort))
                ranked += own[:per_session]
        return sorted(ranked, key=lambda item: _rank(item, sort))

    def _best(self, session: int, hit: DirectHit, sort: Sort) -> _Ranked:
        """A hit, or the better one beside it. Of equals the first counts, as in the index."""
        ranked = [_Ranked(session, each, self._score(each, sort)) for each in (hit, *hit.others)]
        return min(ranked, key=lambda item: (-item.score, item.hit.message, item.hit.place))

    def _score(self, hit: DirectHit, sort: Sort) -> float:
        if sort is Sort.NEWEST:
            return 0.0
        return self._scale.score(hit.frequencies, hit.length, hit.factor, hit.constant)

    def _join(self, hits: Sequence[IndexHit], ranked: Sequence[_Ranked], sort: Sort, limit: int) -> list[IndexHit]:
        both: list[Iterable[IndexHit | _Ranked]] = [hits, ranked]
        best = islice(heapq.merge(*both, key=lambda item: _rank(item, sort)), limit)
        return [self._shown(item) if isinstance(item, _Ranked) else item for item in best]

    def _shown(self, item: _Ranked) -> IndexHit:
        hit = item.hit
        text, spans = (hit.snippet, tuple(hit.spans)) if hit.snippet is not None else self._snippet(item)
        return msgspec.structs.replace(hit.shown(item.session), score=item.score, snippet=text, spans=spans)

    def _snippet(self, item: _Ranked) -> Snippet:
        """The text of a hit that was not shown before: its session is read again."""
        session = self._session(item.session)
        if session is None or item.hit.message >= len(session.messages):  # it changed meanwhile
            return Snippet("", ())
        return show(self._examiner.query, session, item.hit.message, item.hit.place)

    def _session(self, number: int) -> Session | None:
        """Read a session again."""
        task = self._bundles[number]
        return next((s for s in task.source.read(task.bundle).sessions if task.numbers.get(s.key) == number), None)


def _rank(item: IndexHit | _Ranked, sort: Sort) -> float:
    """A sort key: the best first."""
    if sort is Sort.RELEVANCE:
        return -item.score
    at = item.hit.moment if isinstance(item, _Ranked) else item.at
    return -((at or EPOCH) - EPOCH).total_seconds()
