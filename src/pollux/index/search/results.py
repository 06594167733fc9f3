"""What a search gives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pollux.index.search.passages import PassageKind
from pollux.model import Author, Kind, Role, Value

Span = tuple[int, int]
"""Where a part of a text begins and ends."""


class Found(Value, frozen=True, kw_only=True):
    """A message that answers to a query.

    `spans` are the parts of `snippet` that were looked for. `scattered`: it holds only some of what was looked for,
    other messages of the session the rest. `widened`: nothing holds what was typed, and this holds something like it.
    `short_id` and `short_message_id` are the beginnings that suffice to name the session, and the message in it.
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


class Widened(Value, frozen=True, kw_only=True):
    """What was looked for instead of a word or phrase as it was typed; `near`: its words near one another, too."""

    typed: str
    instead: tuple[str, ...]
    near: bool = False


class Findings(Value, frozen=True, kw_only=True):
    """What was found, best first.

    `counts`, where they were asked for, tell how many messages of each session hold everything that was looked for.
    `widened` tells what the hits were found by, where nothing holds what was typed. `hints` and `meant` are for a
    person: what was not understood as it may have been meant, and what else may be tried.
    """

    hits: tuple[Found, ...]
    counts: Mapping[str, int] = {}
    widened: tuple[Widened, ...] = ()
    hints: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()
