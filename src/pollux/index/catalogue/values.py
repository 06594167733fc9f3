"""What the catalogue is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from pollux.model import Notice, SessionMarks, Summary, Usage, Value


class Filter(Value, frozen=True, kw_only=True):
    """The criteria for sessions. None means any.

    `project` is a path, a name, part of a name, or the first digits of an unknown project's hash; `words` must all
    occur in the title, the prompts or the project; `facts` are pairs of a name of `FACTS` and a value, or part of one;
    `marks` are pairs of a filter that asks for marks and its value; `everything` adds sub-agents, checkpoints, prompt
    logs.
    """

    agent: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    marks: tuple[tuple[str, str], ...] = ()
    everything: bool = False


class ListEntry(Value, frozen=True, kw_only=True):
    """A session in a list.

    `family_usage` is the usage of its whole family, None while some may be unread; `short` the beginning of its id
    that no other session has. `troubled` says that its files caused a warning. `marks` are those of the session and its
    messages. `unread`: there is something new since it was read; None where nothing was ever read.
    """

    summary: Summary
    family_usage: Usage | None
    short: str
    troubled: bool = False
    marks: SessionMarks | None = None
    unread: bool | None = None

    @property
    def title(self) -> str | None:
        """What a list calls it: the name that the user gave it, or its title."""
        return shown_title(self.marks, self.summary.title)


def shown_title(marks: SessionMarks | None, title: str | None) -> str | None:
    """What people read as the title of a session: the name that the user gave it, or its own title."""
    return marks.session.name or title if marks is not None else title


class ListedKey(NamedTuple):
    """A session's place in a list, without its summary.

    `moment` (microseconds) is when it was last used, `origin` the session that it was handed over from.
    """

    key: str
    kind: str
    parent: str | None
    moment: int | None
    origin: str | None = None


class Project(Value, frozen=True, kw_only=True):
    """A directory that people worked in, or the hash of an unknown one."""

    path: str | None
    name: str
    agents: Mapping[str, int]
    hashes: tuple[str, ...]
    evidence: str | None


class SessionLocation(Value, frozen=True, kw_only=True):
    """Where a session is read from: its root and the bundle that holds it."""

    key: str
    agent: str
    id: str
    root: str
    bundle: str


class Cursor(Value, frozen=True, kw_only=True):
    """A position in the catalogue: the number grows whenever a session is read."""

    born: str
    number: int


class BundleOutcome(Value, frozen=True, kw_only=True):
    """The outcome of reading a bundle."""

    problem: str | None
    notices: tuple[Notice, ...]
    sessions: tuple[tuple[str, tuple[str, ...], tuple[Notice, ...]], ...]
