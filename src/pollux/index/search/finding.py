"""From what a person types to messages: the text index finds them, the catalogue knows what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec

from pollux.index.catalog.prefixes import shortest
from pollux.index.catalog.queries import CatalogQueries
from pollux.index.catalog.rows import Marks
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import Both, Query, Sort, Words
from pollux.index.search.results import Findings, Found
from pollux.index.search.search import Hit
from pollux.index.search.word_index import WordIndex
from pollux.model import Author, Role, Summary, Value
from pollux.text.folding import fold

_COMPARED = 5
"""In so many hits it is looked up how a word is written."""


class Wish(Value, frozen=True, kw_only=True):
    """How many hits, in which order, at most how many of a session, and of which kinds of passages.

    `counted` also tells how many messages of each session there are. `exact`: nothing is looked for but what was typed.
    """

    limit: int = 20
    sort: Sort = Sort.RELEVANCE
    per_session: int | None = None
    kinds: Collection[PassageKind] | None = None
    counted: bool = False
    exact: bool = False


def find(index: WordIndex, questions: CatalogQueries, query: Query, wish: Wish) -> Findings:
    """Hits in sessions that are still there. Where nothing holds what was typed, what is like it is looked for."""
    hints = (*query.hints, *index.strangers(query))
    if (found := _exactly(index, questions, query, wish)) is not None:
        return msgspec.structs.replace(found, hints=hints)
    if wish.exact:
        return Findings(hits=(), hints=hints, meant=tuple(_meant(index, query)))
    for further in (False, True):
        wider = index.widened(query, further=further)
        if wider is not None and (found := _exactly(index, questions, wider.query, wish)) is not None:
            hits = tuple(msgspec.structs.replace(hit, widened=True) for hit in found.hits)
            instead = tuple(
                msgspec.structs.replace(
                    one, instead=tuple(dict.fromkeys(_written(index, word) for word in one.instead))
                )
                for one in wider.instead
            )
            return Findings(hits=hits, counts=found.counts, hints=hints, widened=instead)
    return Findings(hits=(), hints=hints)


def _exactly(index: WordIndex, questions: CatalogQueries, query: Query, wish: Wish) -> Findings | None:
    """What a query finds; None where that is nothing. The index may hold more than the catalogue, never less."""
    size = wish.limit
    while True:
        raw = index.search(query, limit=size, sort=wish.sort, per_session=wish.per_session, kinds=wish.kinds)
        known = _known(raw, questions)
        found = [hit for hit in known if hit is not None]
        if len(found) >= wish.limit or len(raw) < size:
            break
        size *= 4
    if not found:
        return None
    keys = {hit.session: one.key for hit, one in zip(raw, known, strict=True) if one is not None}
    counts = _counts(index, query, keys, wish.kinds) if wish.counted else {}
    return Findings(hits=tuple(found[: wish.limit]), counts=counts)


def _known(raw: list[Hit], questions: CatalogQueries) -> list[Found | None]:
    """What the catalogue knows about each hit; None where the session is no more."""
    sessions = questions.numbered(hit.session for hit in raw)
    told = {number: Told(*known, questions) for number, known in sessions.items()}
    return [told[hit.session].found(hit) if hit.session in told else None for hit in raw]


class Told:
    """A session in which something was found."""

    def __init__(self, summary: Summary, marks: Marks, questions: CatalogQueries) -> None:
        self._summary = summary
        self._marks = marks
        self._short = questions.short(summary.id)

    def found(self, hit: Hit) -> Found:
        """The hit, with what is known about its message."""
        marks, place = self._marks, hit.message
        known = place < len(marks.ids)
        id = marks.ids[place] if known else ""
        return Found(
            key=self._summary.key,
            short_id=self._short,
            message_id=id,
            short_message_id=shortest(id, marks.ids),
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


def _meant(index: WordIndex, query: Query) -> list[tuple[str, str]]:
    """For each word that occurs nowhere the one that is written almost alike and does."""
    words = [node for node in query.node.nodes if isinstance(node, Words) and not node.prefix and " " not in node.text]
    strange = [one.text for one in words if not index.search(Query(text=one.text, node=Both(nodes=(one,))), limit=1)]
    return [(word, _written(index, near[0])) for word in strange if (near := index.words_like(word, 1))]


def _written(index: WordIndex, word: str) -> str:
    """A word of the index, or a beginning with its star, as texts mostly write it."""
    begun = word.rstrip("*")
    node = Words(text=begun, prefix=begun != word)
    hits = index.search(Query(text=word, node=Both(nodes=(node,))), limit=_COMPARED)
    marked = [hit.snippet[start:end] for hit in hits for start, end in hit.spans]
    written = Counter(
        text[:length] for text in marked for length in range(1, len(text) + 1) if fold(text[:length]) == begun
    )
    return written.most_common(1)[0][0] + word[len(begun) :] if written else word
