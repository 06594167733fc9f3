"""Which passages answer a question best."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import tantivy
from tantivy import Query as Asked

from pollux.model import Value
from pollux.store.asking import but, one_of
from pollux.store.query import Sort


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
    return {int(bucket["key"]) for bucket in _buckets(searcher, question, among)}


def messages_with(searcher: tantivy.Searcher, question: Asked, among: Collection[int]) -> dict[int, int]:
    """In how many messages of some sessions a question is answered; beyond a thousand it is no longer counted."""
    each = {"messages": {"terms": {"field": "message", "size": _COUNTED}}}
    buckets = _buckets(searcher, question, among, each)
    return {int(bucket["key"]): len(bucket["messages"]["buckets"]) for bucket in buckets}


_COUNTED = 1000


def _buckets(
    searcher: tantivy.Searcher, question: Asked, among: Collection[int], each: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    wanted = Asked.boolean_query([(tantivy.Occur.Must, question), (tantivy.Occur.Must, one_of("session", list(among)))])
    terms: dict[str, Any] = {"terms": {"field": "session", "size": max(1, len(among))}}
    answer = searcher.aggregate(wanted, {"sessions": terms | ({"aggs": each} if each else {})})
    buckets: list[dict[str, Any]] = answer["sessions"]["buckets"]
    return buckets
