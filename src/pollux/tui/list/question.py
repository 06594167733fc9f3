"""What the list shows: the question, and its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pollux.text.figures import plural
from pollux.text.shell import shell_line
from pollux.text.unfinished_query import query_while_typing

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.tui.list.rows import Row

HITS, EACH = 50, 3
"""How many messages a search gives at first, and how many of one session."""

MORE = 4
"""At the end of the list, so many times as many are asked for."""

SCOPES = ("project", "all", "everything")
"""Sessions of this project; all; also sub-agents, saved checkpoints and logs of prompts by themselves."""


class Question(NamedTuple):
    """What is typed, and what it is about. `project` is the directory that pollux was started in."""

    text: str = ""
    scope: str = "all"
    project: str | None = None
    unfolded: frozenset[str] = frozenset()
    hits: int = HITS

    @property
    def query(self) -> str:
        """What is searched for: the word that is being typed is a beginning, and its first letter alone is none yet."""
        return query_while_typing(self.text)

    @property
    def is_search(self) -> bool:
        """Are words searched for? Filters alone narrow the list down."""
        from pollux.library.filters import has_only_filters  # the first screen is drawn without it

        return not has_only_filters(self.query)

    def is_like(self, other: Question) -> bool:
        """Are the same sessions asked for, though perhaps more of them?"""
        return self._replace(hits=HITS, unfolded=frozenset()) == other._replace(hits=HITS, unfolded=frozenset())

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        within = ["--project", self.project] if self.scope == "project" and self.project else []
        if self.is_search:
            options = ["--limit", str(self.hits), "--each", str(EACH), *within]
            # Behind two dashes, words that begin with a dash are no options.
            words = [*options, "--", self.query] if self.query.startswith("-") else [self.query, *options]
            return shell_line("pollux", "search", *words)
        from pollux.library.filters import query_words

        typed = query_words(self.query)
        if any(word.startswith("project:") for word in typed):  # it counts instead
            within = []
        return shell_line("pollux", "list", *typed, *within, *(["--all"] if self.scope == "everything" else []))


class Answer(NamedTuple):
    """The rows, how many sessions they are of, and what to say about them.

    `more` says that only the best matches are among the rows. `named` are the sessions whose id begins with what was
    typed: the first rows. `unread_files` are not read yet; None if nothing is stored at all.

    Without rows, those of the answer before stay.
    """

    question: Question
    rows: list[Row] | None
    sessions: int = 0
    remark: str = ""
    entries: tuple[ListEntry, ...] = ()
    more: bool = False
    named: tuple[str, ...] = ()
    unread_files: int | None = 0

    @property
    def status(self) -> str:
        """How many sessions there are, in words, and how many files are not read yet."""
        if self.rows is None:
            return "not searched"
        unread = f" · {plural(self.unread_files, 'file')} unread" if self.unread_files else ""
        if self.question.is_search:
            return f"{'the best ' if self.more else ''}{self.sessions:,} found{unread}"
        return f"{plural(self.sessions, 'session')}{unread}"

    @property
    def may_grow(self) -> bool:
        """Is it worth asking again as soon as more files are read? To search again would take long."""
        return self.unread_files is None or (self.unread_files > 0 and not self.question.is_search)
