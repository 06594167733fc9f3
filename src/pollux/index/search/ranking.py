"""Which passages answer a question best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import tantivy
from tantivy import Query as Asked

from pollux.index.search.compile import but, one_of, together
from pollux.index.search.query import Sort
from pollux.model import Value


class Ranked(Value, frozen=True, kw_only=True):
    """A passage that answers, not yet read."""

    session: int
    message: int
    score: float
    address: tantivy.DocAddress


def best(
    searcher: tantivy.Searcher, question: Asked, sort: Sort, limit: int, per_session: int | None = None
) -> list[Ranked]:
    """The best passage of each message, at most `per_session` of one session.

    More and more passages are asked for until there are enough messages; sessions that gave theirs are left out.
    """
    chosen: dict[tuple[int, int], Ranked] = {}
    given: dict[int, int] = {}
    full: set[int] = set()
    size = 4 * limit + 20
    while True:
        ranked = top(searcher, but(question, one_of("session", list(full))) if full else question, sort, size)
        for each in ranked:
            place = (each.session, each.message)
            if each.session in full or place in chosen:
                continue
            chosen[place] = each
            if len(chosen) == limit:
                return list(chosen.values())
            given[each.session] = given.get(each.session, 0) + 1
            if given[each.session] == per_session:
                full.add(each.session)
        if len(ranked) < size:
            return list(chosen.values())
        size *= 4


def top(searcher: tantivy.Searcher, question: Asked, sort: Sort, size: int) -> list[Ranked]:
    """The first so many passages that answer."""
    if sort is Sort.NEWEST:
        found = searcher.search(question, size, count=False, order_by_field="at").hits
        scores = [0.0] * len(found)
    else:
        found = searcher.search(question, size, count=False, weight_by_field="weight").hits
        scores = [score for score, _ in found]
    addresses = [address for _, address in found]
    sessions = searcher.fast_field_values("session", addresses)
    messages = searcher.fast_field_values("message", addresses)
    return [
        Ranked(session=int(s), message=int(m), score=score, address=address)
        for s, m, score, address in zip(sessions, messages, scores, addresses, strict=True)
        if s is not None and m is not None
    ]


def sessions_with(searcher: tantivy.Searcher, question: Asked, among: Collection[int]) -> set[int]:
    """Those of some sessions in which a question is answered."""
    wanted = together(question, one_of("session", list(among)))
    return {int(bucket["key"]) for bucket in _buckets(searcher, wanted, among)}


def messages_with(searcher: tantivy.Searcher, question: Asked, among: Collection[int]) -> dict[int, int]:
    """In how many messages of some sessions a question is answered.

    tantivy counts quickly, but refuses to tell too many messages apart: then each passage is looked at.
    """
    wanted = together(question, one_of("session", list(among)))
    passages = sum(bucket["doc_count"] for bucket in _buckets(searcher, wanted, among))
    if passages <= _TOLD_APART:
        each = {"messages": {"terms": {"field": "message", "size": _TOLD_APART}}}
        buckets = _buckets(searcher, wanted, among, each)
        return {int(bucket["key"]): len(bucket["messages"]["buckets"]) for bucket in buckets}
    addresses = [address for _, address in searcher.search(wanted, passages, count=False, order_by_field="at").hits]
    sessions = searcher.fast_field_values("session", addresses)
    messages = searcher.fast_field_values("message", addresses)
    return Counter(int(session) for session, _ in set(zip(sessions, messages, strict=True)) if session is not None)


_TOLD_APART = 30_000
"""Of so many passages. Each may be a message, and a session, of its own; tantivy takes 65,000 of both."""


def _buckets(
    searcher: tantivy.Searcher, wanted: Asked, among: Collection[int], each: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    terms: dict[str, Any] = {"terms": {"field": "session", "size": max(1, len(among))}}
    answer = searcher.aggregate(wanted, {"sessions": terms | ({"aggs": each} if each else {})})
    buckets: list[dict[str, Any]] = answer["sessions"]["buckets"]
    return buckets
