"""What the list shows: the question, and its answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pollux.text.shell import shell_line

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.tui.list.rows import Row

_LISTED = "agent|project|since|until|before|branch|commit|repository|directory|version|client|is|tag|note|name"
_FILTER = re.compile(rf"(?:{_LISTED}):[^\s\"']+")
_BEGUN = re.compile(r"(?<=\S)\s+\w$")
_UNFINISHED = re.compile(r"(?:^|\s)\w{2,}$")

HITS = 100
"""How many messages a search gives."""

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
        """What is searched for: the word that is being typed is a beginning, and its first letter alone is none yet."""
        text = self.text.strip()
        if self.text != self.text.rstrip():
            return text
        return f"{text}*" if _UNFINISHED.search(text) else _BEGUN.sub("", text)

    @property
    def is_search(self) -> bool:
        """Are words searched for? Filters alone narrow the list down."""
        return bool(self.text.strip()) and not all(_FILTER.fullmatch(word) for word in self.text.split())

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        search = ["pollux", "search", self.query, "--limit", str(HITS)]
        words = search if self.is_search else ["pollux", "list", *self.text.split()]
        words += ["--project", self.project] if self.scope == "project" and self.project else []
        words += ["--all"] if self.scope == "everything" and not self.is_search else []
        return shell_line(*words)


class Answer(NamedTuple):
    """The rows, how many sessions they are of, and what to say about them.

    `more` says that only the best matches are among the rows; `by_id`, that the first ones are sessions whose id begins
    with what was typed.

    Without rows, those of the answer before stay.
    """

    question: Question
    rows: list[Row] | None
    sessions: int = 0
    remark: str = ""
    entries: tuple[ListEntry, ...] = ()
    more: bool = False
    by_id: bool = False
