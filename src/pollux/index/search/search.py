"""From a query to hits: one for each message, with the line that shows why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import msgspec
import tantivy

from pollux.index.search.compile import ask, one_of, together
from pollux.index.search.cross_message import scattered
from pollux.index.search.fields import EPOCH, KINDS, kind_numbers, shown as shown_text
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Query, Sort
from pollux.index.search.ranking import Ranked, best, messages_with
from pollux.index.search.results import Span
from pollux.index.search.shortcut import own_words
from pollux.index.search.snippets import Needle, needles, snippet
from pollux.model import Kind, Value

_BELOW = 0.9
"""What is scattered comes after everything that is not."""


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


class Wanted(Value, frozen=True, kw_only=True):
    """How many hits, in which order, at most how many of a session, of which kinds of passages and of sessions."""

    limit: int
    sort: Sort
    per_session: int | None = None
    kinds: Collection[PassageKind] | None = None
    session_kinds: Collection[Kind] | None = None


def search(searcher: tantivy.Searcher, query: Query, wanted: Wanted, youngest: float) -> list[Hit]:
    """See `WordIndex.search`. A query of filters alone has nothing to rank by, and gives the newest first."""
    question = ask(query.node, searcher)
    if question is None or wanted.limit <= 0:
        return []
    scope = []
    if wanted.kinds is not None:
        scope.append(one_of("kind", kind_numbers(wanted.kinds)))
    if wanted.session_kinds is not None:
        scope.append(one_of("session_kind", list(wanted.session_kinds)))
    looked_for = needles(query.node)
    sort = wanted.sort if looked_for else Sort.NEWEST
    whole = together(question, *scope)
    limit, each = wanted.limit, wanted.per_session
    ranked = None
    if sort is Sort.RELEVANCE:
        ranked = own_words(searcher, query.node, whole, youngest=youngest, limit=limit, per_session=each)
    if ranked is None:
        ranked = best(searcher, whole, sort, limit, each)
    hits = _hits(searcher, ranked, looked_for)
    if len(hits) == wanted.limit or not looked_for:
        return hits
    found = {each.session for each in ranked}
    rest = scattered(searcher, query.node, scope, found, wanted.limit - len(hits))
    scale = min(1.0, _BELOW * hits[-1].score / rest[0].score) if hits and rest else 1.0
    for hit in _hits(searcher, rest, looked_for):
        hits.append(msgspec.structs.replace(hit, score=hit.score * scale, scattered=True))
    return sorted(hits, key=lambda hit: hit.at or EPOCH, reverse=True) if sort is Sort.NEWEST else hits


def counts(
    searcher: tantivy.Searcher, query: Query, sessions: Collection[int], kinds: Collection[PassageKind] | None
) -> dict[int, int]:
    """See `WordIndex.counts`."""
    question = ask(query.node, searcher)
    if question is None or not sessions:
        return {}
    scope = [one_of("kind", kind_numbers(kinds))] if kinds is not None else []
    return messages_with(searcher, together(question, *scope), sessions)


def _hits(searcher: tantivy.Searcher, ranked: Sequence[Ranked], looked_for: Sequence[Needle]) -> list[Hit]:
    addresses = [each.address for each in ranked]
    times = searcher.fast_field_values("at", addresses)
    kinds = searcher.fast_field_values("kind", addresses)
    hits: list[Hit] = []
    for each, at, kind in zip(ranked, times, kinds, strict=True):
        shown = snippet(shown_text(searcher.doc(each.address)), looked_for)
        hits.append(
            Hit(
                session=each.session,
                message=each.message,
                kind=KINDS[int(kind or 0)],
                at=None if at is None else EPOCH + timedelta(microseconds=int(at)),
                score=each.score,
                snippet=shown.text,
                spans=shown.spans,
            )
        )
    return hits
