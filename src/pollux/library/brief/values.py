"""What a brief is made of: items that could be told, lines that are told, and the account of both."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum

from pollux.index.search.results import Substitution
from pollux.model import Fate, Summary, Value

Unit = tuple[int, int]
"""A piece of a session: the place of its message, and of the part in it, or `WORDS` for all that the message says."""

WORDS = -1


class Section(StrEnum):
    """What a line is about. Sections stand in this order."""

    FOUND = "found"
    STATE = "state"
    COURSE = "course"
    DECIDED = "decided"
    FAILED = "failed"
    CHANGED = "changed"
    LINKED = "linked"
    RAN = "ran"


TITLES = {
    Section.FOUND: "What matches",
    Section.STATE: "Where it stands",
    Section.COURSE: "What was asked and answered",
    Section.DECIDED: "What was decided",
    Section.FAILED: "What failed",
    Section.CHANGED: "What changed",
    Section.LINKED: "Other sessions",
    Section.RAN: "What else was run",
}


class Importance(IntEnum):
    """What a brief tells first, if there is not room for all."""

    FOUND = 0
    STATE = 1
    FRAME = 2
    DECISION = 3
    PROMPT = 4
    CHANGE = 5
    REPLY = 6
    SOLVED = 7
    ROUTINE = 8


class Item(Value, frozen=True, kw_only=True):
    """Something that a brief could tell, whole: `what` is our word for it, `text` and `detail` are old words.

    `note` stands between them. `places` are those of the messages that are cited, `covers` the pieces of the session
    that the item stands for. `least` is the number of characters without which `text` says too little.
    """

    section: Section
    what: str
    text: str
    importance: Importance
    places: tuple[int, ...]
    note: str = ""
    detail: str = ""
    covers: tuple[Unit, ...] = ()
    least: int = 120
    at: datetime | None = None
    fate: Fate = Fate.LIVE


class Line(Value, frozen=True, kw_only=True):
    """An item as a brief tells it. `shortened`: not all of its words are here; `citations` show them."""

    section: Section
    what: str
    text: str
    note: str
    detail: str
    citations: tuple[str, ...]
    message_ids: tuple[str, ...]
    at: datetime | None
    fate: Fate
    shortened: bool


class Share(Value, frozen=True, kw_only=True):
    """How much of something a brief tells; the rest is left out."""

    shown: int
    total: int

    @property
    def left_out(self) -> int:
        """What is not told."""
        return self.total - self.shown


class Account(Value, frozen=True, kw_only=True):
    """What a brief tells and what it leaves out: of the items of each section, and of all pieces of the session."""

    sections: Mapping[Section, Share]
    pieces: Mapping[str, Share]
    shortened: int


class SessionBrief(Value, frozen=True, kw_only=True):
    """What a brief tells of one session.

    `name` is what citations and commands call it. `tokens` is what its lines take. `matches` says how many messages
    match the query, where there is one.
    """

    name: str
    summary: Summary
    lines: tuple[Line, ...]
    account: Account
    tokens: int
    matches: int | None = None


class Searched(Value, frozen=True, kw_only=True):
    """A query, how many sessions match it, and whether there may be `more`.

    `widened` says what was searched for instead, where nothing matches the query itself. `hints` are for a person, and
    `unfinished` names files that could not be searched.
    """

    query: str
    matched: int
    more: bool = False
    widened: tuple[Substitution, ...] = ()
    hints: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()


class Brief(Value, frozen=True, kw_only=True):
    """A brief: `text` takes `tokens`, which is never more than `limit`. `body` is what stands inside its fence.

    `redacted` is the number of secrets that were replaced, None where nobody looked for any. `search` says what was
    searched for, None where sessions were named.
    """

    text: str
    body: str
    tokens: int
    limit: int
    sessions: tuple[SessionBrief, ...]
    search: Searched | None = None
    redacted: int | None = None
