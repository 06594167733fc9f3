"""What the list asks the library, in a thread of its own: the sessions, or what a query finds."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from pollux.answers.search import search_remarks
from pollux.draw.results import by_session
from pollux.errors import BadQuery, PolluxError, StoreError
from pollux.library.filters import filter_of
from pollux.library.library import Filter, ListEntry
from pollux.tui.list.rows import Row, rows_by_day, rows_of_hits

if TYPE_CHECKING:
    from pollux.library.library import Library

HITS, EACH = 100, 3
"""How many messages a search gives, and how many of one session."""

FIRST = 100
"""So many sessions are shown at once where nothing is stored yet."""

_ID = re.compile(r"(?:[a-z]+:)?[0-9a-f]{4,8}(?:-?[0-9a-f]{1,12})*", re.IGNORECASE)
_LONG = 12
_UNFINISHED = re.compile(r"(?:^|\s)\w{2,}$")

SCOPES = ("project", "all", "everything")
"""Sessions of this project; all; also sub-agents, saved checkpoints and logs of prompts by themselves."""


class Question(NamedTuple):
    """What is typed, and what it is about. `project` is the directory that pollux was started in."""

    text: str = ""
    scope: str = "all"
    project: str | None = None
    unfolded: frozenset[str] = frozenset()

    @property
    def query(self) -> str:
        """What is searched for: the word that is being typed is a beginning."""
        text = self.text.strip()
        return f"{text}*" if self.text == self.text.rstrip() and _UNFINISHED.search(text) else text

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        words = ["pollux", "search", self.query] if self.query else ["pollux", "list"]
        words += ["--project", self.project] if self.scope == "project" and self.project else []
        words += ["--all"] if self.scope == "everything" and not self.query else []
        return " ".join(shlex.quote(word) for word in words)


class Answer(NamedTuple):
    """The rows, how many sessions they are of, and what to say about them. `jump` is the session of a pasted id."""

    question: Question
    rows: list[Row] | None
    sessions: int = 0
    remark: str = ""
    entries: tuple[ListEntry, ...] = ()
    jump: str | None = None


def answer(library: Library, question: Question) -> Answer:
    """Ask the library. What is wrong with the question becomes a remark, and the rows stay as they are."""
    try:
        return _found(library, question) if question.text.strip() else _listed(library, question)
    except BadQuery as error:
        return Answer(question, None, remark=str(error))
    except PolluxError as error:
        return Answer(question, None, remark=" ".join(filter(None, [str(error), error.hint])))


def _listed(library: Library, question: Question) -> Answer:
    criteria = filter_of(project=question.project if question.scope == "project" else None, everything=True)
    try:
        listed = library.index.listed_keys(criteria)
    except StoreError:  # nothing is stored yet: the newest are read now, the rest behind
        return Answer(question, [], remark="Reading your sessions for the first time …")
    everything = question.scope == "everything"
    rows = rows_by_day(listed, question.unfolded, everything=everything)
    return Answer(question, rows, sum(everything or one.kind == "main" for one in listed))


def _found(library: Library, question: Question) -> Answer:
    text = question.text.strip()
    criteria = Filter(project=question.project if question.scope == "project" else None)
    if len(text) >= _LONG and _ID.fullmatch(text) and (keys := _with_id(library, text)):
        return Answer(question, rows_of_keys(keys), len(keys), jump=keys[0] if len(keys) == 1 else None)
    result = library.search(question.query, criteria, limit=HITS, per_session=EACH, counted=True)
    groups = by_session(result)
    remarks = [*search_remarks(result)]
    if not groups and result.meant:
        remarks.append("Did you mean: " + ", ".join(other for _, other in result.meant))
    return Answer(question, rows_of_hits(groups), len(groups), " ".join(remarks))


def _with_id(library: Library, text: str) -> list[str]:
    """The sessions whose id begins like a pasted one."""
    agent, _, prefix = text.rpartition(":")
    return [
        f"{name}:{id}"
        for name, id, _ in library.index.with_prefix(prefix.lower())
        if not agent or agent.lower() == name
    ]


def rows_of_keys(keys: list[str]) -> list[Row]:
    """Sessions without days."""
    from pollux.tui.list.rows import SessionRow

    return [SessionRow(key) for key in keys]
