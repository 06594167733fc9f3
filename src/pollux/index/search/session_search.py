"""From a typed query to messages: the index of words finds them, the catalogue describes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec

from pollux.index.catalogue.prefixes import short_id
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import MessageIndex
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import And, Query, Sort, Words
from pollux.index.search.results import Hit, SearchResult
from pollux.index.search.word_index import WordIndex
from pollux.index.search.word_search import IndexHit
from pollux.model import Author, Role, Summary, Value
from pollux.text.folding import fold

_COMPARED = 5
"""How many hits are compared to find the usual spelling of a word."""


class SearchRequest(Value, frozen=True, kw_only=True):
    """How many hits, in which order, at most how many of a session, and of which kinds of passages.

    `counted` also counts the matching messages of each session. `exact`: the query is never widened.
    """

    limit: int = 20
    sort: Sort = Sort.RELEVANCE
    per_session: int | None = None
    kinds: Collection[PassageKind] | None = None
    counted: bool = False
    exact: bool = False


def find(index: WordIndex, queries: CatalogueQueries, query: Query, request: SearchRequest) -> SearchResult:
    """Hits in sessions that still exist. Where nothing matches the query, a wider query is tried."""
    hints = (*query.hints, *index.unknown_values(query))
    if (result := _find_exact(index, queries, query, request)) is not None:
        return msgspec.structs.replace(result, hints=hints)
    if request.exact:
        return SearchResult(hits=(), hints=hints, meant=tuple(_likely_words(index, query)))
    for further in (False, True):
        wider = index.widened(query, further=further)
        if wider is not None and (result := _find_exact(index, queries, wider.query, request)) is not None:
            hits = tuple(msgspec.structs.replace(hit, widened=True) for hit in result.hits)
            substitutions = tuple(
                msgspec.structs.replace(
                    substitution,
                    instead=tuple(dict.fromkeys(_usual_spelling(index, word) for word in substitution.instead)),
                )
                for substitution in wider.instead
            )
            return SearchResult(hits=hits, counts=result.counts, hints=hints, widened=substitutions)
    return SearchResult(hits=(), hints=hints)


def _find_exact(
    index: WordIndex, queries: CatalogueQueries, query: Query, request: SearchRequest
) -> SearchResult | None:
    """The result of a query; None where it is empty. The index may have more sessions than the catalogue."""
    size = request.limit
    while True:
        index_hits = index.search(
            query, limit=size, sort=request.sort, per_session=request.per_session, kinds=request.kinds
        )
        hits = _with_facts(index_hits, queries)
        present = [hit for hit in hits if hit is not None]
        if len(present) >= request.limit or len(index_hits) < size:
            break
        size *= 4
    if not present:
        return None
    keys = {hit.session: entry.key for hit, entry in zip(index_hits, hits, strict=True) if entry is not None}
    counts = _counts(index, query, keys, request.kinds) if request.counted else {}
    return SearchResult(hits=tuple(present[: request.limit]), counts=counts)


def _with_facts(index_hits: list[IndexHit], queries: CatalogueQueries) -> list[Hit | None]:
    """Each hit with the facts of the catalogue; None where the session does not exist any more."""
    sessions = queries.by_number(hit.session for hit in index_hits)
    by_session = {number: _SessionHits(*facts, queries) for number, facts in sessions.items()}
    return [by_session[hit.session].hit(hit) if hit.session in by_session else None for hit in index_hits]


class _SessionHits:
    """Makes the hits of one session."""

    def __init__(self, summary: Summary, marks: MessageIndex, queries: CatalogueQueries) -> None:
        self._summary = summary
        self._marks = marks
        self._short = queries.short(summary.id)

    def hit(self, hit: IndexHit) -> Hit:
        """A hit of the index with the facts about its message."""
        marks, place = self._marks, hit.message
        known = place < len(marks.ids)
        id = marks.ids[place] if known else ""
        return Hit(
            key=self._summary.key,
            short_id=self._short,
            message_id=id,
            short_message_id=short_id(id, marks.ids),
            role=marks.role(place) if known else Role.SYSTEM,
            author=marks.author(place) if known else Author.CLIENT,
            kind=hit.kind,
            at=hit.at,
            session_kind=self._summary.kind,
            project=self._summary.project,
            title=self._summary.title,
            snippet=hit.snippet,
            spans=hit.spans,
            score=hit.score,
            scattered=hit.scattered,
        )


def _counts(
    index: WordIndex, query: Query, keys: Mapping[int, str], kinds: Collection[PassageKind] | None
) -> dict[str, int]:
    return {keys[number]: count for number, count in index.counts(query, list(keys), kinds).items()}


def _likely_words(index: WordIndex, query: Query) -> list[tuple[str, str]]:
    """For each word that occurs nowhere, a similar word that occurs."""
    words = [node for node in query.node.nodes if isinstance(node, Words) and not node.prefix and " " not in node.text]
    unknown = [word.text for word in words if not index.search(Query(text=word.text, node=And(nodes=(word,))), limit=1)]
    return [(word, _usual_spelling(index, similar[0])) for word in unknown if (similar := index.words_like(word, 1))]


def _usual_spelling(index: WordIndex, word: str) -> str:
    """The usual spelling of a word of the index, or of a beginning with its star."""
    beginning = word.rstrip("*")
    node = Words(text=beginning, prefix=beginning != word)
    hits = index.search(Query(text=word, node=And(nodes=(node,))), limit=_COMPARED)
    matches = [hit.snippet[start:end] for hit in hits for start, end in hit.spans]
    spellings = Counter(
        text[:length] for text in matches for length in range(1, len(text) + 1) if fold(text[:length]) == beginning
    )
    return spellings.most_common(1)[0][0] + word[len(beginning) :] if spellings else word
