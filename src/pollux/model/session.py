"""A session, its messages, and its links to other sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from pollux.model.base import NOTHING, Extra, Value
from pollux.model.notices import Notice
from pollux.model.parts import Part, Text
from pollux.model.usage import NOTHING_USED, Usage, add


class Kind(StrEnum):
    """What sort of session it is."""

    MAIN = "main"
    SUBAGENT = "subagent"
    CHECKPOINT = "checkpoint"
    PROMPTS = "prompts"


class Role(StrEnum):
    """The place that a message has in the API."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Author(StrEnum):
    """Who really wrote the words."""

    HUMAN = "human"
    MODEL = "model"
    CLIENT = "client"


_USER, _HUMAN = Role.USER, Author.HUMAN  # they are asked for in every message


class Fate(StrEnum):
    """What became of a message: the agent would resume what is `live`; the rest is only in the files."""

    LIVE = "live"
    REWOUND = "rewound"
    COMPRESSED = "compressed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Origin(Value, frozen=True, kw_only=True):
    """Where a message stands: a line of a file, the n-th item (from 0) of a document's list, or a row of a database.

    `row` names the table and what identifies the row in it, such as `message/msg_1`.
    """

    file: str
    line: int | None = None
    item: int | None = None
    row: str | None = None


class Message(Value, frozen=True, kw_only=True):
    """One utterance. Messages stand in the order in which they happened; `at` is data, not the order."""

    id: str
    role: Role
    author: Author
    at: datetime | None = None
    parts: tuple[Part, ...] = ()
    model: str | None = None
    usage: Usage | None = None
    fate: Fate = Fate.LIVE
    inherited: bool = False
    origin: Origin | None = None
    extra: Extra = NOTHING

    @property
    def text(self) -> str:
        """The words of the message, without thinking, files and tools."""
        return "\n".join([part.text for part in self.parts if type(part) is Text])


class Gap(Value, frozen=True, kw_only=True):
    """Tokens that were used and not recorded: `certain`, or only possible. `why` is one sentence."""

    why: str
    certain: bool
    file: str | None = None
    line: int | None = None


def gap(why: str, message: Message, *, certain: bool = False) -> Gap:
    """A gap at a message."""
    origin = message.origin
    file, line = (origin.file, origin.line) if origin is not None else (None, None)
    return Gap(why=why, certain=certain, file=file, line=line)


def exactness(gaps: Iterable[Gap]) -> bool | None:
    """True where there is no gap, False where a gap is certain, else None."""
    known = list(gaps)
    return False if any(gap.certain for gap in known) else None if known else True


class Tally(Value, frozen=True, kw_only=True):
    """The agent's own total of tokens, and of dollars where it counts them.

    `scope` says what the total covers: the `session`, its `family` (with the sub-agents), or the `thread` (with what
    was inherited). `rule` says in a sentence how the agent calculates it.
    """

    name: str
    scope: str
    rule: str
    total: int
    cost_usd: float | None = None
    file: str | None = None
    line: int | None = None


HANDED_OVER = "handed_over_from"
"""The kind of a link to the session that this one is a copy of: pollux or another program wrote it."""


class Link(Value, frozen=True, kw_only=True):
    """How this session is related to another one, and the evidence for it."""

    kind: str
    target: str
    evidence: str


FACTS = {
    "branch": "the git branch",
    "commit": "the git commit",
    "repository": "where the git repository comes from",
    "directory": "the directory worked in, and those added to it",
    "version": "the agent's release",
    "client": "how the agent was started: in a terminal, by a program, in an editor",
    "provider": "who served the models, or how the user signed in",
    "mode": "what the agent was allowed to do without asking",
    "effort": "how much the model was to think",
    "subagent": "what kind of sub-agent it is",
    "name": "another name that the agent gave the session",
}
"""Facts about a session's surroundings."""


class Session(Value, frozen=True, kw_only=True):
    """One conversation with one agent, however many files hold it.

    `kept` says that the agent's own files are gone, or hold less than the archive. `facts` has all values that each of
    the `FACTS` ever had, in their order.
    """

    agent: str
    id: str
    kind: Kind = Kind.MAIN
    parent: str | None = None
    title: str | None = None
    project: str | None = None
    project_evidence: str | None = None
    project_hash: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    messages: tuple[Message, ...] = ()
    links: tuple[Link, ...] = ()
    notices: tuple[Notice, ...] = ()
    files: tuple[str, ...] = ()
    exact: bool | None = None
    gaps: tuple[Gap, ...] = ()
    tallies: tuple[Tally, ...] = ()
    extra: Extra = NOTHING
    kept: bool = False
    facts: Mapping[str, tuple[str, ...]] = NOTHING

    @property
    def key(self) -> str:
        """The name of this session in every command."""
        return f"{self.agent}:{self.id}"

    @property
    def usage(self) -> Usage:
        """What the session itself used: nothing inherited, nothing of its sub-agents.

        The sum is too low where a request does not say what it read or wrote. Nothing was used where nothing was
        recorded and nothing is missing.
        """
        own = [m.usage for m in self.messages if m.usage is not None and not m.inherited]
        if self.exact and not own:
            return NOTHING_USED
        requests = [request for usage in own for request in usage.each or (usage,)]
        known = None not in [one.input for one in requests] and None not in [one.output for one in requests]
        return add(own, exact=self.exact if known else False)

    @property
    def prompts(self) -> list[Message]:
        """What the human said, in order."""
        return [m for m in self.messages if m.role is _USER and m.author is _HUMAN]
