"""The result of a search."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pollux.index.search.passages import PassageKind
from pollux.model import NO_MARKS, Author, Kind, Marks, Role, Value

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


class IndexHit(Value, frozen=True, kw_only=True):
    """A message that was found: the best of its passages.

    `session` is the session's number in the index, `message` the place in the session. `spans` are the matching parts
    of `snippet`. `scattered`: this passage matches only a part of the query, other passages of the session the rest.
    """

    session: int
    message: int
    kind: PassageKind
    at: datetime | None
    score: float
    snippet: str
    spans: tuple[Span, ...] = ()
    scattered: bool = False


class Hit(Value, frozen=True, kw_only=True):
    """A message that matches a query.

    `spans` are the matching parts of `snippet`. `scattered`: the message matches only a part of the query, and other
    messages of the session match the rest. `widened`: nothing matches the query itself, and this message matches a
    wider one. `marks` are those of its session, `message_marks` its own. `short_id` and `short_message_id` are the
    shortest unique beginnings of the ids. `person` is who pushed the session, in a lake.
    """

    key: str
    short_id: str
    message_id: str
    short_message_id: str
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
    widened: bool = False
    marks: Marks = NO_MARKS
    message_marks: Marks = NO_MARKS
    person: str | None = None

    @property
    def shown_title(self) -> str | None:
        """What people read as the title of its session: the name that the user gave it, or its own title."""
        return self.marks.name or self.title


class Substitution(Value, frozen=True, kw_only=True):
    """What was searched for instead of a typed word or phrase; `near`: also its words near one another."""

    typed: str
    instead: tuple[str, ...]
    near: bool = False


class SearchResult(Value, frozen=True, kw_only=True):
    """Hits, the best first.

    `counts`, on request, say how many messages of each session match the whole query. `widened` says what was searched
    for instead, where nothing matches the query itself. `hints` and `meant` are for a person: what the query may have
    meant differently, and words to try instead. `pending` says how many sessions were searched directly, because their
    words are not in the index yet, and `unfinished` names the files of those that could not be.
    """

    hits: tuple[Hit, ...]
    counts: Mapping[str, int] = {}
    widened: tuple[Substitution, ...] = ()
    hints: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()
    pending: int = 0
    unfinished: tuple[str, ...] = ()
