"""The query language: what a person types, as a small tree.

Words are looked for together, `"…"` is a phrase, `word*` a beginning, `-` excludes, `OR` joins its two neighbours,
parentheses group, and `name:value` narrows the search down. docs/search.md describes it for people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from unicodedata import category

from pollux.errors import BadQuery, RequestError
from pollux.index.search.passages import PassageKind
from pollux.model import FACTS, Fate, Kind, Role, Value
from pollux.system.clock import parse as parse_time
from pollux.text.suggest import closest, did_you_mean

ABOUT = tuple(name for name in FACTS if name != "name")
"""The facts of a session that are filters. Its names are words like those of its title."""

_DEEDS = ("model", "tool", "file", "failed", "exit", "since", "before", "until", "role", "fate", "in")
FILTERS = ("agent", "kind", "project", *ABOUT, *_DEEDS)

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
"""Where a search may look, by the words of `in:`."""

_NAMED = re.compile(r"([A-Za-z]+):(.*)", re.DOTALL)
_TRUTH = {"yes": True, "no": False}


class Sort(StrEnum):
    """What comes first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


class Words(Value, frozen=True, kw_only=True, tag=True):
    """A word or a phrase; with `prefix`, its last word is a beginning."""

    text: str
    prefix: bool = False


class Near(Value, frozen=True, kw_only=True, tag=True):
    """Words near one another in any order, each of them one of several; they are words of the index."""

    words: tuple[tuple[str, ...], ...]


class Only(Value, frozen=True, kw_only=True, tag=True):
    """A filter. Times are moments, `failed` is a truth value, everything else is text."""

    name: str
    value: str | bool | datetime


class Not(Value, frozen=True, kw_only=True, tag=True):
    """What must not be."""

    node: Node


class Both(Value, frozen=True, kw_only=True, tag=True):
    """All of several."""

    nodes: tuple[Node, ...]


class Either(Value, frozen=True, kw_only=True, tag=True):
    """One of several."""

    nodes: tuple[Node, ...]


Node = Words | Near | Only | Not | Both | Either


class Query(Value, frozen=True, kw_only=True):
    """What is looked for. `hints` tell what may have been meant otherwise."""

    text: str
    node: Both
    hints: tuple[str, ...] = ()

    def narrowed(self, *facts: tuple[str, str], **filters: str | bool | datetime | None) -> Query:
        """The same query with more filters, those that are not None."""
        asked = [*facts, *filters.items()]
        more = tuple(Only(name=name, value=value) for name, value in asked if value is not None)
        return Query(text=self.text, node=Both(nodes=(*self.node.nodes, *more)), hints=self.hints)


def parse(text: str, agents: Sequence[str] = ()) -> Query:
    """Understand a query. `agents` are the names that `agent:` may have; where none are given, all are taken."""
    reader = _Reader(text, agents)
    nodes = reader.sequence(depth=0)
    if not nodes:
        hint = _SIGNS if text.strip() else "Type a word, a part of a path, a name."
        raise BadQuery("There is nothing to look for.", text, 0, hint)
    if not any(_finds(node) for node in nodes):
        raise BadQuery("A query needs something to find, not only what to leave out.", text, reader.excluded)
    return Query(text=text, node=Both(nodes=tuple(nodes)), hints=tuple(reader.hints))


def likely_filter(name: str) -> str | None:
    """The filter that was probably meant by a name that none has."""
    return _SYNONYMS.get(name.lower()) or closest(name, FILTERS, alike=0.75)


def _finds(node: Node) -> bool:
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

    def sequence(self, depth: int, opened: int = 0) -> list[Node]:
        """Everything up to the end of the query or of the group."""
        nodes: list[Node] = []
        joining: int | None = None
        while self._more():
            start = self.place
            if self.text[start] == ")":
                if depth == 0:
                    raise BadQuery("This parenthesis was never opened.", self.text, start, _QUOTE)
                break
            if self._takes_or():
                if joining is not None or not nodes:
                    raise BadQuery("OR needs something on both sides.", self.text, start, _LITERAL_OR)
                joining = start
                continue
            node = self._item(depth)
            if node is None:
                self._passed_over(start)
                continue
            if joining is None:
                nodes.append(node)
                continue
            nodes.append(self._joined(nodes.pop(), node, joining))
            joining = None
        if joining is not None:
            raise BadQuery("OR needs something on both sides.", self.text, joining, _LITERAL_OR)
        if depth and not self._more():
            raise BadQuery("This parenthesis is never closed.", self.text, opened, _QUOTE)
        return list(dict.fromkeys(nodes))

    def _passed_over(self, start: int) -> None:
        """Tell of signs that were not looked for. Of a sign between words nobody expects it."""
        if not (passed := self.text[start : self.place].strip('-"()* ')).isascii():
            self.hints.append(f"{passed} was not looked for: it has neither letter nor digit. {_SIGNS}")

    def _joined(self, left: Node, right: Node, place: int) -> Node:
        if not (_finds(left) and _finds(right)):
            raise BadQuery("OR cannot join what is to be left out.", self.text, place, "Try: -(this OR that)")
        return Either(nodes=(*left.nodes, right) if isinstance(left, Either) else (left, right))

    def _more(self) -> bool:
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1
        return self.place < len(self.text)

    def _takes_or(self) -> bool:
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
            if nodes and not any(_finds(node) for node in nodes):
                raise BadQuery("A group needs something to find, not only what to leave out.", self.text, start)
            return None if not nodes else nodes[0] if len(nodes) == 1 else Both(nodes=tuple(nodes))
        return self._starred(self._phrase() if self.text[start] == '"' else self._word(depth))

    def _starred(self, node: Node | None) -> Node | None:
        """What is known in part only takes a look at all words there are, each time."""
        wild = (isinstance(node, Words) and node.prefix) or (
            isinstance(node, Only) and isinstance(node.value, str) and any(sign in node.value for sign in "*?")
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
        start, open_ = self.place, 0
        while self.place < len(self.text) and not (letter := self.text[self.place]).isspace():
            if letter == '"' and self.text[start : self.place].lower() in _FILTER_STARTS:
                return self._filter(self.text[start : self.place - 1].lower(), self._quoted(), start)
            open_ += (letter == "(") - (letter == ")")
            if open_ < 0:
                if depth == 0:
                    raise BadQuery("This parenthesis was never opened.", self.text, self.place, _QUOTE)
                break
            self.place += 1
        word = self.text[start : self.place]
        if word in _OTHERWISE:
            self.hints.append(f"{word} was looked for as a word. {_OTHERWISE[word]}")
        named = _NAMED.fullmatch(word)
        if named is None or named[2].startswith((":", "//", "\\")):
            return _words(word)
        if named[1].lower() in FILTERS:
            return self._filter(named[1].lower(), named[2], start)
        near = likely_filter(named[1])
        if named[2] and near:
            self.hints.append(f"{named[1]}: is no filter and was looked for as text. Did you mean: {near}:{named[2]}?")
        return _words(word)

    def _filter(self, name: str, value: str, start: int) -> Only:
        place = start + len(name) + 1
        if not value.strip():
            raise BadQuery(f"{name}: needs a value right after the colon.", self.text, place, _QUOTE)
        known: Sequence[str] = _KNOWN.get(name, self.agents if name == "agent" else ())
        if known and value.lower() not in known:
            hint = did_you_mean(value, known, f"It can be {', '.join(known)}.", f"{name}:")
            raise BadQuery(f"{name}: cannot be {value!r}.", self.text, place, hint)
        if name in ("since", "before", "until"):
            try:
                return Only(name=name, value=parse_time(value, end=name == "until"))
            except RequestError as error:
                raise BadQuery(str(error), self.text, place, error.hint) from None
        if name == "exit" and not _NUMBER.fullmatch(value):
            raise BadQuery("exit: needs the number of an exit code.", self.text, place, "Try: exit:1")
        if name == "failed":
            return Only(name=name, value=_TRUTH[value.lower()])
        return Only(name=name, value=value.lower() if known else value)


_DEEPEST = 20
_MOST_STARS = 100
_QUOTE = 'To look for the text itself, put it in quotes: "…"'
_LITERAL_OR = 'To look for the word itself, put it in quotes: "OR"'
_SIGNS = "Signs are found with: pollux search --regex PATTERN"
_OTHERWISE = {
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
}
_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)


def _words(text: str) -> Words | None:
    """A text to look for, or None where it has neither letter nor digit.

    A star makes a beginning of the letters before it. Behind a sign, as in `char *`, it is a sign too.
    """
    if not any(letter.isalnum() for letter in text):
        return None
    begun = text.rstrip("*")
    letter = begun[-1].isalnum() or category(begun[-1]).startswith("M")  # a vowel's sign, an accent
    return Words(text=begun, prefix=True) if begun != text and letter else Words(text=text)
