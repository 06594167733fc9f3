"""From what a person types to messages: the text index finds them, the catalogue knows what they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pollux.model import Author, Role, Summary
from pollux.store.found import Findings, Found
from pollux.store.passages import PassageKind
from pollux.store.query import Both, Query, Sort, Words
from pollux.store.questions import Questions
from pollux.store.rows import Marks
from pollux.store.searching import Hit
from pollux.store.shortest import shortest
from pollux.store.text import TextIndex


def find(  # noqa: PLR0913
    index: TextIndex,
    questions: Questions,
    query: Query,
    *,
    limit: int,
    sort: Sort,
    per_session: int | None,
    kinds: Collection[PassageKind] | None,
    counted: bool,
) -> Findings:
    """Hits in sessions that are still there. The index may hold more than the catalogue, never less."""
    size = limit
    while True:
        raw = index.search(query, limit=size, sort=sort, per_session=per_session, kinds=kinds)
        known = _known(raw, questions)
        found = [hit for hit in known if hit is not None]
        if len(found) >= limit or len(raw) < size:
            break
        size *= 4
    if found:
        keys = {hit.session: one.key for hit, one in zip(raw, known, strict=True) if one is not None}
        counts = _counts(index, query, keys, kinds) if counted else {}
        return Findings(hits=tuple(found[:limit]), counts=counts, hints=query.hints)
    return Findings(hits=(), hints=query.hints, meant=tuple(_meant(index, query)))


def _known(raw: list[Hit], questions: Questions) -> list[Found | None]:
    """What the catalogue knows about each hit; None where the session is no more."""
    sessions = questions.numbered(hit.session for hit in raw)
    told = {number: Told(*known, questions) for number, known in sessions.items()}
    return [told[hit.session].found(hit) if hit.session in told else None for hit in raw]


class Told:
    """A session in which something was found."""

    def __init__(self, summary: Summary, marks: Marks, questions: Questions) -> None:
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
    index: TextIndex, query: Query, keys: Mapping[int, str], kinds: Collection[PassageKind] | None
) -> dict[str, int]:
    return {keys[number]: count for number, count in index.counts(query, list(keys), kinds).items()}


def _meant(index: TextIndex, query: Query) -> list[tuple[str, str]]:
    """For each word that occurs nowhere the one that is written almost alike and does."""
    words = [node for node in query.node.nodes if isinstance(node, Words) and not node.prefix and " " not in node.text]
    strange = [one.text for one in words if not index.search(Query(text=one.text, node=Both(nodes=(one,))), limit=1)]
    return [(word, near[0]) for word in strange if (near := index.words_like(word, 1))]
