"""From a query to hits: one for each message, with the line that matches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec
import tantivy
from tantivy import Occur, Query as IndexQuery

from pollux.index.search.compile import all_of, compile_node, one_of, with_fact
from pollux.index.search.cross_message import cross_message_hits
from pollux.index.search.fields import EPOCH, KINDS, kind_numbers, shown_text
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Query, Sort
from pollux.index.search.ranking import RankedPassage, all_sessions_with, best, messages_with
from pollux.index.search.results import IndexHit
from pollux.index.search.shortcut import average_length, rank_own_words
from pollux.index.search.snippets import Needle, Snippet, needles, snippet
from pollux.model import Fate, Kind, Value

if TYPE_CHECKING:
    from pollux.index.search.direct.pending import PendingMatches
    from pollux.index.search.direct.ranking import IndexStatistics

Show = Callable[[str, Sequence[Needle]], Snippet]
"""Chooses the line of a text that shows best why it matches."""

_BELOW = 0.9
"""Scattered hits come after all others."""


class IndexRequest(Value, frozen=True, kw_only=True):
    """How many hits, in which order, at most how many of a session, of which kinds of passages and of sessions.

    `pending` has the matches in sessions that are not in the index. `show` chooses the line of a passage in the index.
    """

    limit: int
    sort: Sort
    per_session: int | None = None
    kinds: Collection[PassageKind] | None = None
    session_kinds: Collection[Kind] | None = None
    pending: PendingMatches | None = None
    show: Show = snippet


def search(searcher: tantivy.Searcher, query: Query, request: IndexRequest, max_recency: float) -> list[IndexHit]:
    """See `WordIndex.search`. A query of filters alone has nothing to rank by, and gives the newest first."""
    question = compile_node(query.node, searcher)
    if question is None or request.limit <= 0:
        return []
    scope = []
    if request.kinds is not None:
        scope.append(one_of("kind", kind_numbers(request.kinds)))
    if request.session_kinds is not None:
        scope.append(with_fact("kind", request.session_kinds))
    targets = needles(query.node)
    sort = request.sort if targets else Sort.NEWEST
    pending = request.pending.numbers if request.pending is not None else ()
    full_query = _without_sessions(all_of(question, *scope), pending)
    limit, per_session = request.limit, request.per_session
    ranked = None
    if sort is Sort.RELEVANCE:
        ranked = rank_own_words(
            searcher, query.node, full_query, max_recency=max_recency, limit=limit, per_session=per_session
        )
    if ranked is None:
        ranked = best(searcher, full_query, sort, limit, per_session)
    hits = _hits(searcher, ranked, targets, request.show)
    if request.pending is not None:
        hits = request.pending.join(hits, sort, limit, per_session)
    if len(hits) == request.limit or not targets:
        return hits
    known_sessions = {*pending, *(passage.session for passage in ranked)}
    rest = cross_message_hits(searcher, query.node, scope, known_sessions, request.limit - len(hits))
    rest_hits = _hits(searcher, rest, targets, request.show)
    if request.pending is not None:
        rest_hits = request.pending.join_scattered(rest_hits, request.limit - len(hits))
    return with_scattered(hits, rest_hits, sort)


def with_scattered(hits: list[IndexHit], rest: Sequence[IndexHit], sort: Sort) -> list[IndexHit]:
    """Hits, and after them those that match a query together with other messages of their sessions."""
    scale = min(1.0, _BELOW * hits[-1].score / rest[0].score) if hits and rest else 1.0
    scattered = [msgspec.structs.replace(hit, score=hit.score * scale, scattered=True) for hit in rest]
    every = [*hits, *scattered]
    return sorted(every, key=lambda hit: hit.at or EPOCH, reverse=True) if sort is Sort.NEWEST else every


def _without_sessions(question: IndexQuery, sessions: Collection[int]) -> IndexQuery:
    """A query that leaves some sessions out. The relevance of the others stays the same."""
    if not sessions:
        return question
    return IndexQuery.boolean_query([(Occur.Must, question), (Occur.MustNot, one_of("session", list(sessions)))])


def counts(
    searcher: tantivy.Searcher, query: Query, sessions: Collection[int], kinds: Collection[PassageKind] | None
) -> dict[int, int]:
    """See `WordIndex.counts`."""
    question = compile_node(query.node, searcher)
    if question is None or not sessions:
        return {}
    scope = [one_of("kind", kind_numbers(kinds))] if kinds is not None else []
    return messages_with(searcher, all_of(question, *scope), sessions)


def all_sessions(searcher: tantivy.Searcher, query: Query, kinds: Collection[PassageKind] | None = None) -> set[int]:
    """See `WordIndex.sessions`."""
    question = compile_node(query.node, searcher)
    scope = [one_of("kind", kind_numbers(kinds))] if kinds is not None else []
    return set() if question is None else all_sessions_with(searcher, all_of(question, *scope))


def fates(searcher: tantivy.Searcher, sessions: Collection[int]) -> dict[tuple[int, int], Fate]:
    """See `WordIndex.fates`."""
    found: dict[tuple[int, int], Fate] = {}
    for fate in Fate if sessions else ():
        if fate is not Fate.LIVE:
            question = all_of(one_of("session", list(sessions)), with_fact("fate", [fate]))
            hits = searcher.search(question, max(1, int(searcher.num_docs)), count=False, order_by_field="at").hits
            addresses = [address for _, address in hits]
            numbers = searcher.fast_field_values("session", addresses)
            places = searcher.fast_field_values("message", addresses)
            found |= {
                (int(n), int(p)): fate for n, p in zip(numbers, places, strict=True) if n is not None and p is not None
            }
    return found


def statistics(searcher: tantivy.Searcher, query: Query) -> IndexStatistics:
    """See `WordIndex.statistics`."""
    from pollux.index.search.direct.query import DirectQuery  # only needed where sessions are not in the index
    from pollux.index.search.direct.ranking import IndexStatistics

    terms = DirectQuery(query).terms()
    frequencies = {term: searcher.doc_freq("text", term) for term in terms}
    known = next((term for term, count in frequencies.items() if count), None)
    average = average_length(searcher, known) if known is not None else None
    return IndexStatistics(passages=int(searcher.num_docs), average=average, frequencies=frequencies)


def _hits(
    searcher: tantivy.Searcher, ranked: Sequence[RankedPassage], targets: Sequence[Needle], show: Show
) -> list[IndexHit]:
    addresses = [passage.address for passage in ranked]
    times = searcher.fast_field_values("at", addresses)
    kinds = searcher.fast_field_values("kind", addresses)
    hits: list[IndexHit] = []
    for passage, at, kind in zip(ranked, times, kinds, strict=True):
        line = show(shown_text(searcher.doc(passage.address)), targets)
        hits.append(
            IndexHit(
                session=passage.session,
                message=passage.message,
                kind=KINDS[int(kind or 0)],
                at=None if at is None else EPOCH + timedelta(microseconds=int(at)),
                score=passage.score,
                snippet=line.text,
                spans=line.spans,
            )
        )
    return hits
