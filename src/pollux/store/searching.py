"""From a query to hits: ranked, one for each message, with the line that shows why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum

import tantivy
from tantivy import Query as Asked

from pollux.model import Kind, Value
from pollux.store.asking import any_of, ask, one_of, together
from pollux.store.fields import EPOCH, KINDS, kind_numbers, tokens
from pollux.store.passages import PassageKind
from pollux.store.query import Both, Node, Not, Only, Query, Words
from pollux.store.snippets import Needle, Span, needles, snippet
from pollux.store.words import plain

_MOST_SESSIONS = 10_000
_MOST_RAW = 20_000
_DEED = ("tool", "file", "failed")
"""Filters on what was done. The rest are about where and when something was said."""


class Sort(StrEnum):
    """What comes first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


class Hit(Value, frozen=True, kw_only=True):
    """A message that was found: the best of its passages.

    `session` is the number it was added under, `message` the place in the session. `spans` are the parts of `snippet`
    that were looked for. `scattered`: this passage holds only some of it, other passages of the session the rest.
    """

    session: int
    message: int
    kind: PassageKind
    at: datetime | None
    score: float
    snippet: str
    spans: tuple[Span, ...] = ()
    scattered: bool = False


class _Raw(Value, frozen=True, kw_only=True):
    """A passage that matches, not yet read."""

    session: int
    message: int
    score: float
    address: tantivy.DocAddress


def search(  # noqa: PLR0913
    searcher: tantivy.Searcher,
    query: Query,
    *,
    limit: int,
    sort: Sort,
    per_session: int | None,
    kinds: Collection[PassageKind] | None,
    session_kinds: Collection[Kind] | None,
) -> list[Hit]:
    """See `TextIndex.search`."""
    scope = [one_of("kind", kind_numbers(kinds))] if kinds is not None else []
    if session_kinds is not None:
        scope.append(one_of("session_kind", list(session_kinds)))
    question = ask(query.node, searcher)
    if question is None or limit <= 0:
        return []
    looked_for = needles(query.node)
    order = sort if looked_for else Sort.NEWEST
    raws = list(_best(searcher, together(question, *scope), order, limit, per_session))
    hits = [_hit(searcher, raw, looked_for) for raw in raws]
    if len(raws) < limit and looked_for:
        found = {raw.session for raw in raws}
        rest = _scattered(searcher, query.node, scope, found, limit - len(raws))
        scale = min([0.9 * hits[-1].score / rest[0].score] if hits and rest and rest[0].score else [1.0])
        hits += [_hit(searcher, raw, looked_for, min(scale, 1.0), scattered=True) for raw in rest]
        if order is Sort.NEWEST:
            hits.sort(key=lambda hit: hit.at or EPOCH, reverse=True)
    return hits


def counts(searcher: tantivy.Searcher, query: Query, sessions: Collection[int]) -> dict[int, int]:
    """See `TextIndex.counts`."""
    question = ask(query.node, searcher)
    if question is None or not sessions:
        return {}
    return _sessions(searcher, together(question, one_of("session", list(sessions))))


def _best(
    searcher: tantivy.Searcher, question: Asked, sort: Sort, limit: int, per_session: int | None
) -> Iterator[_Raw]:
    """The best passage of each message. More and more passages are asked for until there are enough messages."""
    size = 4 * limit + 20
    while True:
        raws = _top(searcher, question, sort, size)
        chosen: dict[tuple[int, int], _Raw] = {}
        each: dict[int, int] = {}
        for raw in raws:
            place = (raw.session, raw.message)
            if place in chosen or (per_session is not None and each.get(raw.session, 0) >= per_session):
                continue
            each[raw.session] = each.get(raw.session, 0) + 1
            chosen[place] = raw
            if len(chosen) == limit:
                break
        if len(chosen) == limit or len(raws) < size or size >= _MOST_RAW:
            return iter(chosen.values())
        size = min(8 * size, _MOST_RAW)


def _top(searcher: tantivy.Searcher, question: Asked, sort: Sort, size: int) -> list[_Raw]:
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
        _Raw(session=int(s), message=int(m), score=score, address=address)
        for s, m, score, address in zip(sessions, messages, scores, addresses, strict=True)
        if s is not None and m is not None
    ]


def _hit(
    searcher: tantivy.Searcher, raw: _Raw, looked_for: list[Needle], scale: float = 1.0, *, scattered: bool = False
) -> Hit:
    at = searcher.fast_field_values("at", [raw.address])[0]
    kind = searcher.fast_field_values("kind", [raw.address])[0]
    shown = snippet(plain(searcher.doc(raw.address)["text"][0]), looked_for)
    return Hit(
        session=raw.session,
        message=raw.message,
        kind=KINDS[int(kind or 0)],
        at=None if at is None else EPOCH + timedelta(microseconds=int(at)),
        score=raw.score * scale,
        snippet=shown.text,
        spans=shown.spans,
        scattered=scattered,
    )


# -------------------------------------------------------------------------------------------------- in several passages


def _scattered(
    searcher: tantivy.Searcher, node: Both, scope: Iterable[Asked], found: Collection[int], limit: int
) -> list[_Raw]:
    """Sessions that hold everything asked for, but not in one passage: the best passage of each.

    The rarest word goes first: the others are looked for only in the sessions that hold it.
    """
    where, wanted, unwanted = _taken_apart(node)
    if len(wanted) < 2:
        return []
    limits = together(Asked.all_query(), *scope, *(ask(each, searcher) for each in where))
    asked = [
        question
        for each in sorted(wanted, key=lambda each: _frequency(searcher, each))
        if (question := ask(each, searcher))
    ]
    left: Collection[int] | None = None
    for question in asked:
        held = _sessions(searcher, together(question, limits, *_within(left)))
        left = set(held) - set(found)
        if not left:
            return []
    for each in unwanted:
        left = set(left or ()) - set(_sessions(searcher, together(ask(each, searcher), *_within(left))))
    some = any_of(asked)
    if not left or some is None:
        return []
    return list(_best(searcher, together(some, limits, *_within(left)), Sort.RELEVANCE, min(limit, len(left)), 1))


def _within(sessions: Collection[int] | None) -> list[Asked]:
    return [] if sessions is None else [one_of("session", list(sessions))]


def _taken_apart(node: Both) -> tuple[list[Node], list[Node], list[Node]]:
    """A query's filters that hold for every passage, what some passage of the session must hold, and what none may."""
    where: list[Node] = []
    wanted: list[Node] = []
    deeds: list[Node] = []
    unwanted: list[Node] = []
    for each in node.nodes:
        if isinstance(each, Not):
            (where if isinstance(each.node, Only) else unwanted).append(
                each if isinstance(each.node, Only) else each.node
            )
        elif isinstance(each, Only):
            (deeds if each.name in _DEED else where).append(each)
        else:
            wanted.append(each)
    if deeds:
        wanted.append(Both(nodes=tuple(deeds)))
    return where, wanted, unwanted


def _frequency(searcher: tantivy.Searcher, node: Node) -> int:
    """How many passages hold a word; of a phrase, its rarest word. Other things count as frequent."""
    if not isinstance(node, Words) or node.prefix:
        return 1 << 60
    return min((searcher.doc_freq("text", token) for token in tokens(node.text)), default=1 << 60)


def _sessions(searcher: tantivy.Searcher, question: Asked) -> dict[int, int]:
    """The sessions in which a question is answered, and by how many passages."""
    terms = {"terms": {"field": "session", "size": _MOST_SESSIONS}}
    answer = searcher.aggregate(question, {"sessions": terms})
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in answer["sessions"]["buckets"]}
