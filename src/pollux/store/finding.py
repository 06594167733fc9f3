"""From what a person types to messages: the text index finds them, the catalogue knows what they are."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from pollux.model import Author, Kind, Role, Value
from pollux.store.passages import PassageKind
from pollux.store.query import Query, Words
from pollux.store.questions import Questions
from pollux.store.ranking import Sort
from pollux.store.searching import Hit
from pollux.store.snippets import Span
from pollux.store.text import TextIndex


class Found(Value, frozen=True, kw_only=True):
    """A message that answers to a query.

    `spans` are the parts of `snippet` that were looked for. `scattered`: it holds only some of what was looked for,
    other messages of the session the rest.
    """

    key: str
    message_id: str
    role: Role
    author: Author
    kind: PassageKind
    at: datetime | None
    session_kind: Kind
    project: str | None
    title: str | None
    snippet: str
    spans: tuple[Span, ...]
    score: float
    scattered: bool


class Findings(Value, frozen=True, kw_only=True):
    """What was found, best first. `hints` and `meant` are for a person who finds nothing: what else may be tried."""

    hits: tuple[Found, ...]
    hints: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()


def find(  # noqa: PLR0913
    index: TextIndex,
    questions: Questions,
    query: Query,
    *,
    limit: int,
    sort: Sort,
    per_session: int | None,
    kinds: Collection[PassageKind] | None,
) -> Findings:
    """Hits in sessions that are still there. The index may hold more than the catalogue, never less."""
    size = limit
    while True:
        raw = index.search(query, limit=size, sort=sort, per_session=per_session, kinds=kinds)
        found = _known(raw, questions)
        if len(found) >= limit or len(raw) < size:
            break
        size *= 4
    if found:
        return Findings(hits=tuple(found[:limit]), hints=query.hints)
    return Findings(hits=(), hints=query.hints, meant=tuple(_meant(index, query)))


def _known(raw: list[Hit], questions: Questions) -> list[Found]:
    sessions = questions.numbered(hit.session for hit in raw)
    found: list[Found] = []
    for hit in raw:
        if hit.session not in sessions:
            continue
        told, marks = sessions[hit.session]
        id, role, author = marks[hit.message] if hit.message < len(marks) else ("", Role.SYSTEM, Author.CLIENT)
        found.append(
            Found(
                key=told.key,
                message_id=id,
                role=role,
                author=author,
                kind=hit.kind,
                at=hit.at,
                session_kind=told.kind,
                project=told.project,
                title=told.title,
                snippet=hit.snippet,
                spans=hit.spans,
                score=hit.score,
                scattered=hit.scattered,
            )
        )
    return found


def _meant(index: TextIndex, query: Query) -> list[tuple[str, str]]:
    """For each word the one that is written almost alike and does occur."""
    words = [node.text for node in query.node.nodes if isinstance(node, Words) and not node.prefix]
    return [(word, near[0]) for word in words if " " not in word and (near := index.words_like(word, 1))]
