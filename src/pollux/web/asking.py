"""What the list of sessions shows: the question in its address, and the answer of the library."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from pollux.answers.search import pending_sentence, search_remarks
from pollux.draw.families import families
from pollux.draw.results import by_session
from pollux.errors import BadQuery, PolluxError
from pollux.library.filters import filter_of, filter_words, has_only_filters, query_words
from pollux.library.library import Filter, Sort
from pollux.text.shell import shell_line
from pollux.text.unfinished_query import query_while_typing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pollux.library.library import Hit, Library, ListedKey, ListEntry, SearchResult

T = TypeVar("T")
PER_PAGE = 50
HITS, EACH = 100, 3
"""How many messages a search gives, and how many of one session."""

FIRST_HITS = 30
"""How many it gives while the query is being typed."""

FACETS = ("agent", "project", "is", "tag", "model", "branch", "tool", "failed", "day")
_SEARCHED = ("model", "tool", "failed")
"""Facets of which messages are searched for: a list takes no such filter."""

_REMEMBERED = 32


class Question(NamedTuple):
    """What is asked. `everything` adds checkpoints and logs of prompts; `typing`: the last word is not finished."""

    text: str = ""
    page: int = 1
    everything: bool = False
    typing: bool = False

    @property
    def query(self) -> str:
        """The query: the word that is being typed is a beginning, and its first letter alone is none yet."""
        return " ".join((query_while_typing(self.text) if self.typing else self.text).split())

    @property
    def is_search(self) -> bool:
        """Are words searched for? Filters alone narrow the list down."""
        return not has_only_filters(self.query)

    @property
    def command(self) -> str:
        """The command line that gives the same answer."""
        if self.is_search:
            options = ["--limit", str(HITS), "--each", str(EACH)]
            words = [*options, "--", self.query] if self.query.startswith("-") else [self.query, *options]
            return shell_line("pollux", "search", *words)
        return shell_line("pollux", "list", *query_words(self.query), *(["--all"] if self.everything else []))


class Row(NamedTuple):
    """A session in the list. `depth`: so many levels below the one that it was handed over from.

    `children` are its sub-agents. `hits` are what was found in it, and `more` says how many hits are not shown.
    """

    entry: ListEntry
    depth: int = 0
    children: tuple[ListEntry, ...] = ()
    hits: tuple[Hit, ...] = ()
    more: int = 0


class Answer(NamedTuple):
    """The rows of a page, and what is known of all of them. `problem` and `hint` say what is wrong with the query.

    `apart` are sub-agents that stand in the list because the sessions that started them do not. `others` are those that
    are left out though nothing else matches: logs, checkpoints and sub-agents. `result` is what a search gave.
    """

    question: Question
    rows: tuple[Row, ...] = ()
    sessions: int = 0
    apart: int = 0
    others: int = 0
    pages: int = 1
    facets: dict[str, dict[str, int]] = {}
    remarks: tuple[str, ...] = ()
    problem: str | None = None
    hint: str | None = None
    is_cut: bool = False
    result: SearchResult | None = None


class Asker:
    """Asks the library, and remembers what does not change until something is stored."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._state: object = None
        self._known: OrderedDict[object, object] = OrderedDict()

    def ask(self, question: Question) -> Answer:
        """The answer. A query that makes no sense has a problem and no rows."""
        try:
            return self._found(question) if question.is_search else self._listed(question)
        except PolluxError as error:
            sentence = error.sentence if isinstance(error, BadQuery) else str(error)
            return Answer(question, problem=sentence, hint=error.hint)

    # ------------------------------------------------------------------ the list

    def _listed(self, question: Question) -> Answer:
        criteria = filter_of(words=filter_words(question.query))
        self._library.homes.require_agent(criteria.agent)
        members, children, apart = self._remember(
            ("list", criteria, question.everything),
            lambda: self._members(criteria, everything=question.everything),
            fresh=bool(criteria.marks),
        )
        pages = max(1, -(-len(members) // PER_PAGE))
        first = (min(question.page, pages) - 1) * PER_PAGE
        shown = members[first : first + PER_PAGE]
        below = {key: children.get(key, ()) for key, _ in shown}
        wanted = dict.fromkeys(one for key, _ in shown for one in (key, *below[key]))
        entries = {entry.summary.key: entry for entry in self._library.index.entries(wanted)}
        rows = tuple(
            Row(entries[key], depth, tuple(entries[one] for one in below[key] if one in entries))
            for key, depth in shown
            if key in entries
        )
        counted = replace(criteria, everything=question.everything)
        facets = self._facets(counted) if not question.typing else {}
        sessions = len(members) - apart
        if question.everything:  # then what is folded counts, too
            sessions += apart + sum(map(len, children.values()))
            apart = 0
        others = 0 if members else self._library.count(criteria)
        return Answer(question, rows, sessions, apart, others, pages, facets)

    def _members(
        self, criteria: Filter, *, everything: bool
    ) -> tuple[list[tuple[str, int]], dict[str, tuple[str, ...]], int]:
        """The sessions in their order with their depths, the sub-agents of each, and how many of these stand apart."""
        listed = self._library.index.listed_keys(replace(criteria, everything=True))
        known = {one.key for one in listed}
        children: dict[str, tuple[str, ...]] = {}
        top: list[ListedKey] = []
        for one in listed:
            if one.kind == "subagent" and one.parent in known:
                children[one.parent] = (one.key, *children.get(one.parent, ()))
            elif everything or one.kind in ("main", "subagent"):
                top.append(one)
        grouped = families(top, lambda one: one.key, lambda one: one.origin)
        members = [(one.key, depth) for family in grouped for one, depth in family]
        return members, children, sum(one.kind == "subagent" for one in top)

    # ------------------------------------------------------------------ the search

    def _found(self, question: Question) -> Answer:
        # Filters alone ask for no words, by which hits could be ranked.
        sort = Sort.RELEVANCE if any(":" not in word for word in question.query.split()) else Sort.NEWEST
        most = FIRST_HITS if question.typing else HITS
        matching = None if question.typing else self._library.index.matching(question.query)
        result = self._library.search(
            question.query, Filter(everything=True), limit=most, per_session=EACH, counted=True, sort=sort
        )
        groups = by_session(result)
        entries = self._entries([group.hits[0].key for group in groups])
        rows = tuple(
            Row(entries[group.hits[0].key], hits=tuple(group.hits), more=group.more)
            for group in groups
            if group.hits[0].key in entries
        )
        remarks = list(search_remarks(result, option=None))
        if result.pending:
            remarks.append(pending_sentence(result.pending, self._library.count(Filter(everything=True))))
        if not rows and result.meant:
            remarks.append("Did you mean: " + ", ".join(other for _, other in result.meant))
        facets = {}
        if matching is not None and not result.widened:  # the page is kept as a whole
            facets = self._library.index.facets(question.query, Filter(everything=True), FACETS, matching)
        is_cut = len(result.hits) >= most
        return Answer(question, rows, len(rows), facets=facets, remarks=tuple(remarks), is_cut=is_cut, result=result)

    def _entries(self, keys: Sequence[str]) -> dict[str, ListEntry]:
        return {entry.summary.key: entry for entry in self._library.index.entries(keys)}

    # ------------------------------------------------------------------ what is remembered

    def _facets(self, criteria: Filter) -> dict[str, dict[str, int]]:
        index = self._library.index
        lasting = tuple(name for name in FACETS if name not in ("is", "tag", *_SEARCHED))
        searched = replace(criteria, everything=True)  # these lead to a search, which has sub-agents, too
        known: dict[str, dict[str, int]] = self._remember(
            ("facets", criteria),
            lambda: {**index.facets("", criteria, lasting), **index.facets("", searched, _SEARCHED)},
            fresh=bool(criteria.marks),
        )
        own = index.facets("", criteria, ("is", "tag"))  # a mark may be set at any moment, and changes no state
        return {name: own.get(name) or known.get(name) or {} for name in FACETS}

    def _remember(self, about: object, make: Callable[[], T], *, fresh: bool = False) -> T:
        """What was made before, unless something was stored since; `fresh` makes it anew in any case."""
        state = self._library.index.state()
        with self._lock:
            if state != self._state:
                self._state = state
                self._known.clear()
            if not fresh and about in self._known:
                self._known.move_to_end(about)
                return self._known[about]  # type: ignore[return-value]
        made = make()
        with self._lock:
            if state == self._state:
                self._known[about] = made
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return made
