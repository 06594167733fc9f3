"""The query language: a typed query becomes a small tree.

Words must all occur, `"…"` is a phrase, `word*` a beginning, `-` excludes, `OR` joins its two neighbours,
parentheses group, and `name:value` narrows the search down. docs/search.md describes it for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from unicodedata import category

from pollux.errors import BadQuery, RequestError
from pollux.index.search.passages import PassageKind
from pollux.marks.store import MARK_FILTERS, STATES
from pollux.model import FACTS, Fate, Kind, Role, Value
from pollux.system.clock import parse as parse_time
from pollux.text.suggest import closest, did_you_mean

ABOUT = tuple(name for name in FACTS if name != "name")
"""The facts of a session that are filters. Its names are words like those of its title."""

_ACTIONS = ("model", "tool", "file", "failed", "exit", "since", "before", "until", "role", "fate", "in")
FILTERS = ("agent", "kind", "project", *ABOUT, *_ACTIONS, *MARK_FILTERS)

PLACES: dict[str, tuple[PassageKind, ...]] = {
    "all": tuple(PassageKind),
    "titles": (PassageKind.TITLE,),
    "prompts": (PassageKind.PROMPT,),
    "replies": (PassageKind.REPLY,),
    "thinking": (PassageKind.THINKING,),
    "tools": (PassageKind.TOOL,),
    "summaries": (PassageKind.SUMMARY,),
    "files": (PassageKind.FILE,),
    "context": (PassageKind.CONTEXT,),
}
"""The kinds of passages for each value of `in:`."""

_NAME_VALUE = re.compile(r"([A-Za-z]+):(.*)", re.DOTALL)
_TRUTH = {"yes": True, "no": False}


class Sort(StrEnum):
    """The order of hits."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


class Words(Value, frozen=True, kw_only=True, tag=True):
    """A word or a phrase; with `prefix`, its last word is a beginning."""

    text: str
    prefix: bool = False


class Near(Value, frozen=True, kw_only=True, tag=True):
    """Words near one another in any order. Each has several alternatives, which are words of the index."""

    words: tuple[tuple[str, ...], ...]


NEAR_DISTANCE = 8
"""How many other words may stand between two words that are near each other."""


class Marked(Value, frozen=True, kw_only=True):
    """The sessions that match a filter by marks, by their numbers; or the places of their messages that match."""

    places: Mapping[int, frozenset[int] | None]


class FieldFilter(Value, frozen=True, kw_only=True, tag=True):
    """A filter. Times are moments, `failed` is a truth value, everything else is text.

    The text of a filter by marks becomes what it finds, before the search begins: see `resolve_marks`.
    """

    name: str
    value: str | bool | datetime | Marked


class Not(Value, frozen=True, kw_only=True, tag=True):
    """A node that must not match."""

    node: Node


class And(Value, frozen=True, kw_only=True, tag=True):
    """All of these nodes must match."""

    nodes: tuple[Node, ...]


class Or(Value, frozen=True, kw_only=True, tag=True):
    """One of these nodes must match."""

    nodes: tuple[Node, ...]


Node = Words | Near | FieldFilter | Not | And | Or


class Query(Value, frozen=True, kw_only=True):
    """A parsed query. `hints` say what may have been meant differently."""

    text: str
    node: And
    hints: tuple[str, ...] = ()

    def narrowed(self, *facts: tuple[str, str], **filters: str | datetime | None) -> Query:
        """The same query with more filters, those that are not None."""
        pairs = [*facts, *filters.items()]
        added = tuple(FieldFilter(name=name, value=value) for name, value in pairs if value is not None)
        return Query(text=self.text, node=And(nodes=(*self.node.nodes, *added)), hints=self.hints)


def parse(text: str, agents: Sequence[str] = ()) -> Query:
    """Parse a query. `agents` are the names that `agent:` accepts; without any, it accepts all names."""
    reader = _Reader(text, agents)
    nodes = reader.sequence(depth=0)
    if not nodes:
        hint = _SIGNS if text.strip() else "Type a word, a part of a path, a name."
        raise BadQuery("There is nothing to look for.", text, 0, hint)
    if not any(_is_positive(node) for node in nodes):
        raise BadQuery("A query needs something to find, not only what to leave out.", text, reader.excluded)
    return Query(text=text, node=And(nodes=tuple(nodes)), hints=tuple(reader.hints))


def likely_filter(name: str) -> str | None:
    """The filter that was probably meant by an unknown name."""
    return _SYNONYMS.get(name.lower()) or closest(name, FILTERS, alike=0.75)


def _is_positive(node: Node) -> bool:
    return not isinstance(node, Not)


class _Reader:
    """Reads a query from left to right; `place` is the next character."""

    def __init__(self, text: str, agents: Sequence[str]) -> None:
        self.text = text
        self.agents = agents
        self.place = 0
        self.excluded = 0
        self.stars = 0
        self.hints: list[str] = []

    def sequence(self, depth: int, opening: int = 0) -> list[Node]:
        """Everything up to the end of the query or of the group."""
        nodes: list[Node] = []
        or_place: int | None = None
        while self._skip_spaces():
            start = self.place
            if self.text[start] == ")":
                if depth == 0:
                    raise BadQuery("This parenthesis was never opened.", self.text, start, _QUOTE)
                break
            if self._skip_or():
                if or_place is not None or not nodes:
                    raise BadQuery("OR needs something on both sides.", self.text, start, _LITERAL_OR)
                or_place = start
                continue
            node = self._item(depth)
            if node is None:
                self._note_skipped(start)
                continue
            if or_place is None:
                nodes.append(node)
                continue
            nodes.append(self._join(nodes.pop(), node, or_place))
            or_place = None
        if or_place is not None:
            raise BadQuery("OR needs something on both sides.", self.text, or_place, _LITERAL_OR)
        if depth and not self._skip_spaces():
            raise BadQuery("This parenthesis is never closed.", self.text, opening, _QUOTE)
        return list(dict.fromkeys(nodes))

    def _note_skipped(self, start: int) -> None:
        """Add a hint about signs that are not searched for. An ASCII sign between words needs none."""
        if not (signs := self.text[start : self.place].strip('-"()* ')).isascii():
            self.hints.append(f"{signs} was not looked for: it has neither letter nor digit. {_SIGNS}")

    def _join(self, left: Node, right: Node, place: int) -> Node:
        if not (_is_positive(left) and _is_positive(right)):
            raise BadQuery("OR cannot join what is to be left out.", self.text, place, "Try: -(this OR that)")
        return Or(nodes=(*left.nodes, right) if isinstance(left, Or) else (left, right))

    def _skip_spaces(self) -> bool:
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1
        return self.place < len(self.text)

    def _skip_or(self) -> bool:
        after = self.text[self.place + 2 : self.place + 3]
        if self.text.startswith("OR", self.place) and (not after or after.isspace() or after in "()"):
            self.place += 2
            return True
        return False

    def _item(self, depth: int) -> Node | None:
        start, after = self.place, self.text[self.place + 1 : self.place + 2]
        if self.text[start] != "-" or not after or after.isspace() or after in "-)":
            return self._primary(depth)
        self.place += 1
        self.excluded = start
        inner = self._primary(depth)
        return None if inner is None else Not(node=inner)

    def _primary(self, depth: int) -> Node | None:
        start = self.place
        if self.text[start] == "(":
            if depth == _DEEPEST:
                raise BadQuery("There are too many parentheses within one another.", self.text, start, _QUOTE)
            self.place += 1
            nodes = self.sequence(depth + 1, start)
            self.place += 1
            if nodes and not any(_is_positive(node) for node in nodes):
                raise BadQuery("A group needs something to find, not only what to leave out.", self.text, start)
            return None if not nodes else nodes[0] if len(nodes) == 1 else And(nodes=tuple(nodes))
        return self._count_stars(self._phrase() if self.text[start] == '"' else self._word(depth))

    def _count_stars(self, node: Node | None) -> Node | None:
        """Limit patterns: each of them examines all words of the index."""
        wild = (isinstance(node, Words) and node.prefix) or (
            isinstance(node, FieldFilter) and isinstance(node.value, str) and any(sign in node.value for sign in "*?")
        )
        self.stars += wild
        if self.stars > _MOST_STARS:
            raise BadQuery(f"A query may have at most {_MOST_STARS} words with a star.", self.text, self.place)
        return node

    def _phrase(self) -> Words | None:
        """A text in quotes. A star at its end makes its last word a beginning."""
        return _words(self._quoted())

    def _quoted(self) -> str:
        start = self.place
        end = self.text.find('"', start + 1)
        if end < 0:
            raise BadQuery("This quote is never closed.", self.text, start)
        self.place = end + 1
        return self.text[start + 1 : end]

    def _word(self, depth: int) -> Node | None:
        """A word up to the next space. Parentheses that it opens itself belong to it: `main()`."""
        start, parentheses = self.place, 0
        while self.place < len(self.text) and not (letter := self.text[self.place]).isspace():
            if letter == '"' and self.text[start : self.place].lower() in _FILTER_STARTS:
                return self._filter(self.text[start : self.place - 1].lower(), self._quoted(), start)
            parentheses += (letter == "(") - (letter == ")")
            if parentheses < 0:
                if depth == 0:
                    raise BadQuery("This parenthesis was never opened.", self.text, self.place, _QUOTE)
                break
            self.place += 1
        word = self.text[start : self.place]
        if word in _NOT_OPERATORS:
            self.hints.append(f"{word} was looked for as a word. {_NOT_OPERATORS[word]}")
        match = _NAME_VALUE.fullmatch(word)
        if match is None or match[2].startswith((":", "//", "\\")):
            return _words(word)
        if match[1].lower() in FILTERS:
            return self._filter(match[1].lower(), match[2], start)
        likely = likely_filter(match[1])
        if match[2] and likely:
            self.hints.append(
                f"{match[1]}: is not a filter and was looked for as text. Did you mean: {likely}:{match[2]}?"
            )
        return _words(word)

    def _filter(self, name: str, value: str, start: int) -> FieldFilter:
        place = start + len(name) + 1
        if not value.strip():
            raise BadQuery(f"{name}: needs a value right after the colon.", self.text, place, _QUOTE)
        known: Sequence[str] = _KNOWN.get(name, self.agents if name == "agent" else ())
        if known and value.lower() not in known:
            hint = did_you_mean(value, known, f"It can be {', '.join(known)}.", f"{name}:")
            raise BadQuery(f"{name}: cannot be {value!r}.", self.text, place, hint)
        if name in ("since", "before", "until"):
            try:
                return FieldFilter(name=name, value=parse_time(value, end=name == "until"))
            except RequestError as error:
                raise BadQuery(str(error), self.text, place, error.hint) from None
        if name == "exit" and not _NUMBER.fullmatch(value):
            raise BadQuery("exit: needs the number of an exit code.", self.text, place, "Try: exit:1")
        if name == "failed":
            return FieldFilter(name=name, value=_TRUTH[value.lower()])
        return FieldFilter(name=name, value=value.lower() if known else value)


_DEEPEST = 20
_MOST_STARS = 100
_QUOTE = 'To search for the text itself, put it in quotes: "…"'
_LITERAL_OR = 'To look for the word itself, put it in quotes: "OR"'
_SIGNS = "To search for punctuation: pollux search --regex PATTERN"
_NOT_OPERATORS = {
    "AND": "All words must occur anyway.",
    "NOT": "To leave out what follows, put a - before it.",
}
_SYNONYMS = {
    "after": "since",
    "from": "since",
    "to": "until",
    "path": "file",
    "repo": "repository",
    "folder": "directory",
    "cwd": "directory",
    "sha": "commit",
    "revision": "commit",
    "permission": "mode",
    "release": "version",
    "status": "failed",
}
_FILTER_STARTS = {f"{name}:" for name in FILTERS}
_KNOWN: dict[str, Sequence[str]] = {
    "failed": tuple(_TRUTH),
    "role": tuple(Role),
    "in": tuple(PLACES),
    "kind": tuple(Kind),
    "fate": tuple(Fate),
    "is": STATES,
}
_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)


def _words(text: str) -> Words | None:
    """A text to look for, or None where it has neither letter nor digit.

    A star after letters makes them a beginning. After a sign, as in `char *`, the star is a sign, too.
    """
    if not any(letter.isalnum() for letter in text):
        return None
    beginning = text.rstrip("*")
    letter = beginning[-1].isalnum() or category(beginning[-1]).startswith("M")  # a vowel's sign, an accent
    return Words(text=beginning, prefix=True) if beginning != text and letter else Words(text=text)
