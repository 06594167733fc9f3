"""Which passages match a query best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import tantivy
from tantivy import Query as IndexQuery

from pollux.index.search.compile import all_of, and_not, one_of
from pollux.index.search.query import Sort
from pollux.model import Value


class RankedPassage(Value, frozen=True, kw_only=True):
    """A matching passage whose text is not loaded yet."""

    session: int
    message: int
    score: float
    address: tantivy.DocAddress


def best(
    searcher: tantivy.Searcher, question: IndexQuery, sort: Sort, limit: int, per_session: int | None = None
) -> list[RankedPassage]:
    """The best passage of each message, at most `per_session` of one session.

    It fetches more and more passages until there are enough messages. Sessions that are full are left out.
    """
    messages: dict[tuple[int, int], RankedPassage] = {}
    counts: dict[int, int] = {}
    full: set[int] = set()
    size = 4 * limit + 20
    while True:
        ranked = top(searcher, and_not(question, one_of("session", list(full))) if full else question, sort, size)
        for passage in ranked:
            place = (passage.session, passage.message)
            if passage.session in full or place in messages:
                continue
            messages[place] = passage
            if len(messages) == limit:
                return list(messages.values())
            counts[passage.session] = counts.get(passage.session, 0) + 1
            if counts[passage.session] == per_session:
                full.add(passage.session)
        if len(ranked) < size:
            return list(messages.values())
        size *= 4


def top(searcher: tantivy.Searcher, question: IndexQuery, sort: Sort, size: int) -> list[RankedPassage]:
    """The first `size` passages that match."""
    if sort is Sort.NEWEST:
        hits = searcher.search(question, size, count=False, order_by_field="at").hits
        scores = [0.0] * len(hits)
    else:
        hits = searcher.search(question, size, count=False, weight_by_field="weight").hits
        scores = [score for score, _ in hits]
    addresses = [address for _, address in hits]
    sessions = searcher.fast_field_values("session", addresses)
    messages = searcher.fast_field_values("message", addresses)
    return [
        RankedPassage(session=int(s), message=int(m), score=score, address=address)
        for s, m, score, address in zip(sessions, messages, scores, addresses, strict=True)
        if s is not None and m is not None
    ]


def sessions_with(searcher: tantivy.Searcher, question: IndexQuery, among: Collection[int]) -> set[int]:
    """The sessions among these with a matching passage."""
    wanted = all_of(question, one_of("session", list(among)))
    return {int(bucket["key"]) for bucket in _buckets(searcher, wanted, among)}


def all_sessions_with(searcher: tantivy.Searcher, question: IndexQuery) -> set[int]:
    """All sessions with a matching passage. tantivy refuses to count more than so many at once."""
    found: set[int] = set()
    while True:
        wanted = and_not(question, one_of("session", list(found))) if found else question
        terms = {"terms": {"field": "session", "size": _MOST_BUCKETS}}
        buckets = searcher.aggregate(wanted, {"sessions": terms})["sessions"]["buckets"]
        found |= {int(bucket["key"]) for bucket in buckets}
        if len(buckets) < _MOST_BUCKETS:
            return found


def messages_with(searcher: tantivy.Searcher, question: IndexQuery, among: Collection[int]) -> dict[int, int]:
    """How many messages of each of these sessions match.

    tantivy counts fast, but refuses to distinguish too many messages: then each passage is fetched.
    """
    wanted = all_of(question, one_of("session", list(among)))
    passages = sum(bucket["doc_count"] for bucket in _buckets(searcher, wanted, among))
    if passages <= _MOST_BUCKETS:
        by_message = {"messages": {"terms": {"field": "message", "size": _MOST_BUCKETS}}}
        buckets = _buckets(searcher, wanted, among, by_message)
        return {int(bucket["key"]): len(bucket["messages"]["buckets"]) for bucket in buckets}
    addresses = [address for _, address in searcher.search(wanted, passages, count=False, order_by_field="at").hits]
    sessions = searcher.fast_field_values("session", addresses)
    messages = searcher.fast_field_values("message", addresses)
    return Counter(int(session) for session, _ in set(zip(sessions, messages, strict=True)) if session is not None)


_MOST_BUCKETS = 30_000
"""How many passages tantivy counts. Each may be its own message and session; tantivy takes 65,000 of both together."""


def _buckets(
    searcher: tantivy.Searcher, wanted: IndexQuery, among: Collection[int], inner: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    terms: dict[str, Any] = {"terms": {"field": "session", "size": max(1, len(among))}}
    answer = searcher.aggregate(wanted, {"sessions": terms | ({"aggs": inner} if inner else {})})
    buckets: list[dict[str, Any]] = answer["sessions"]["buckets"]
    return buckets
