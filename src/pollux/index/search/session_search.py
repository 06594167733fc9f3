"""From a typed query to messages: the index of words finds them, the catalogue describes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

from pollux.index.catalogue.prefixes import short_id
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import MessageIndex
from pollux.index.search.marked import resolve_marks
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import And, Query, Sort, Words
from pollux.index.search.results import Hit, IndexHit, SearchResult
from pollux.index.search.snippets import snippet
from pollux.index.search.suggestions import catalogue_hints, mark_hints
from pollux.index.search.word_index import WordIndex
from pollux.index.search.word_search import Show
from pollux.model import NO_MARKS, Author, Role, SessionMarks, Summary, Value
from pollux.text.folding import fold

if TYPE_CHECKING:
    from pollux.index.search.direct.examine import DirectRequest
    from pollux.index.search.direct.pending import PendingMatches, PendingSearch

SPELLINGS_LATER = "Other spellings are looked for only among words that are indexed."
"""The hint where nothing was found, and not all words are known that may have been meant."""

_COMPARED = 5
"""How many hits are compared to find the usual spelling of a word."""


class SearchRequest(Value, frozen=True, kw_only=True):
    """How many hits, in which order, at most how many of a session, and of which kinds of passages.

    `counted` also counts the matching messages of each session. `exact`: the query is never widened. `show` chooses
    the line of a passage, if the passage is in the index.
    """

    limit: int = 20
    sort: Sort = Sort.RELEVANCE
    per_session: int | None = None
    kinds: Collection[PassageKind] | None = None
    counted: bool = False
    exact: bool = False
    show: Show = snippet


def find(
    index: WordIndex,
    queries: CatalogueQueries,
    query: Query,
    request: SearchRequest,
    pending: PendingSearch | None = None,
) -> SearchResult:
    """Hits in sessions that still exist. Where nothing matches the query, a wider query is tried.

    `pending` searches the sessions whose words are not in the index yet. The catalogue describes these, too.
    """
    search = _Search(index, queries, request, pending if pending is not None and pending.bundles else None)
    hints = (*query.hints, *search.unknown_values(query), *mark_hints(queries, query.node))
    query = resolve_marks(query, queries)
    if (result := search.find_exact(query)) is not None:
        return msgspec.structs.replace(result, hints=hints)
    if search.pending is not None:
        hints = (*hints, SPELLINGS_LATER)
    if request.exact:
        meant = tuple(_likely_words(index, query)) if search.pending is None else ()
        return SearchResult(hits=(), hints=hints, meant=meant)
    for further in (False, True):
        wider = index.widened(query, further=further)
        if wider is not None and (result := search.find_exact(wider.query)) is not None:
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


def direct_request(index: WordIndex, query: Query, request: SearchRequest) -> DirectRequest:
    """What is asked of a direct search, whose hits are joined with those of the index."""
    from pollux.index.search.direct.examine import DirectRequest  # only needed where sessions are pending

    return DirectRequest(
        limit=request.limit, sort=request.sort, per_session=request.per_session, index=index.statistics(query)
    )


class _Search:
    """Searches the index, and the sessions that are not in it yet."""

    def __init__(
        self, index: WordIndex, queries: CatalogueQueries, request: SearchRequest, pending: PendingSearch | None
    ) -> None:
        self._index = index
        self._queries = queries
        self._request = request
        self.pending = pending

    def unknown_values(self, query: Query) -> list[str]:
        """A sentence for each filter whose value nothing has, as far as that is known."""
        if self.pending is None:
            return self._index.unknown_values(query)
        return list(catalogue_hints(self._queries, query.node))

    def find_exact(self, query: Query) -> SearchResult | None:
        """The result of a query; None where it is empty. The index may have more sessions than the catalogue."""
        request, size = self._request, self._request.limit
        pending = self._pending_matches(query)
        while True:
            index_hits = self._index.search(
                query,
                limit=size,
                sort=request.sort,
                per_session=request.per_session,
                kinds=request.kinds,
                pending=pending,
                show=request.show,
            )
            hits = with_facts(index_hits, self._queries, pending.numbers if pending is not None else ())
            present = [hit for hit in hits if hit is not None]
            if len(present) >= request.limit or len(index_hits) < size:
                break
            size *= 4
        if not present:
            return None
        keys = {hit.session: entry.key for hit, entry in zip(index_hits, hits, strict=True) if entry is not None}
        return SearchResult(hits=tuple(present[: request.limit]), counts=self._counts(query, keys, pending))

    def _pending_matches(self, query: Query) -> PendingMatches | None:
        if self.pending is None:
            return None
        return self.pending.matches(query, direct_request(self._index, query, self._request), self._request.kinds)

    def _counts(self, query: Query, keys: Mapping[int, str], pending: PendingMatches | None) -> dict[str, int]:
        if not self._request.counted:
            return {}
        direct = pending.numbers if pending is not None else ()
        counts = self._index.counts(query, [number for number in keys if number not in direct], self._request.kinds)
        counts |= pending.counts(keys) if pending is not None else {}
        return {keys[number]: count for number, count in counts.items() if number in keys}


def with_facts(index_hits: list[IndexHit], queries: CatalogueQueries, pending: Collection[int]) -> list[Hit | None]:
    """Each hit with the facts of the catalogue; None where the session does not exist any more.

    A file that is searched directly may have grown since it was catalogued: the catalogue does not know new messages.
    """
    sessions = queries.by_number(hit.session for hit in index_hits)
    state = queries.marks()
    by_session = {
        number: _SessionHits(number, summary, index, queries, state.of(summary.key) or SessionMarks())
        for number, (summary, index) in sessions.items()
    }
    hits: list[Hit | None] = []
    for hit in index_hits:
        session = by_session.get(hit.session)
        is_new = session is not None and hit.session in pending and not session.knows(hit)
        hits.append(None if session is None or is_new else session.hit(hit))
    return hits


class _SessionHits:
    """Makes the hits of one session."""

    def __init__(
        self, number: int, summary: Summary, index: MessageIndex, queries: CatalogueQueries, marks: SessionMarks
    ) -> None:
        self._summary = summary
        self._index = index
        self._marks = marks.session
        self._by_message = queries.marks_by_place(number, marks)
        self._short = queries.short(summary.id)

    def knows(self, hit: IndexHit) -> bool:
        """Does the catalogue know the message of a hit?"""
        return hit.message < len(self._index.ids)

    def hit(self, hit: IndexHit) -> Hit:
        """A hit of the index with the facts about its message."""
        index, place = self._index, hit.message
        known = self.knows(hit)
        id = index.ids[place] if known else ""
        return Hit(
            key=self._summary.key,
            short_id=self._short,
            message_id=id,
            short_message_id=short_id(id, index.ids),
            role=index.role(place) if known else Role.SYSTEM,
            author=index.author(place) if known else Author.CLIENT,
            kind=hit.kind,
            at=hit.at,
            session_kind=self._summary.kind,
            project=self._summary.project,
            title=self._summary.title,
            snippet=hit.snippet,
            spans=hit.spans,
            score=hit.score,
            scattered=hit.scattered,
            marks=self._marks,
            message_marks=self._by_message.get(place, NO_MARKS),
        )


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
