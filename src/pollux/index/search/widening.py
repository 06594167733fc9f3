"""A query that found nothing, made wider: words in other forms and spellings, phrases as words near one another.

Filters stay as they are, and so does what is to be left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import tantivy

from pollux.index.search.fields import schema, tokens
from pollux.index.search.query import Both, Either, Near, Node, Query, Words
from pollux.index.search.results import Widened
from pollux.index.search.spelling import beginnings_like, words_like
from pollux.index.search.word_forms import endings, forms
from pollux.index.search.words import stands_alone
from pollux.model import Value

_MOST = 8
"""So many other words stand for one."""

_SPELLINGS = 3
_SHORTEST, _LONGEST = 4, 60
_LONGEST_PHRASE = 12
_MOST_WORDS, _FEW_WORDS = 24, 4
"""A query of more words is not widened, or not further: each takes its time, and somebody pasted a text."""


class Wider(Value, frozen=True, kw_only=True):
    """A wider query, and what it looks for instead of what was typed."""

    query: Query
    instead: tuple[Widened, ...]


def widened(searcher: tantivy.Searcher, query: Query, *, further: bool) -> Wider | None:
    """A query that finds more; None where nothing else is like what was typed.

    Words that do not occur at all are taken for mistyped. All others are, where one goes `further`.
    """
    if _count(query.node) > (_FEW_WORDS if further else _MOST_WORDS):
        return None
    widening = _Widening(searcher, further=further)
    try:
        node = widening.of_all(query.node)
    except _InVain:
        return None
    wider = Query(text=query.text, node=node, hints=query.hints)
    return Wider(query=wider, instead=tuple(widening.instead.values())) if widening.instead else None


def _count(node: Node) -> int:
    if isinstance(node, Words):
        return len(tokens(node.text))
    return sum(map(_count, node.nodes)) if isinstance(node, Both | Either) else 0


class _InVain(Exception):
    """There is nothing like a word that has to occur."""


class _Widening:
    """On the way through a query; `instead` fills."""

    def __init__(self, searcher: tantivy.Searcher, *, further: bool) -> None:
        self._searcher = searcher
        self._further = further
        self.instead: dict[str, Widened] = {}

    def of_all(self, node: Both) -> Both:
        """What must all be found. Raises `_InVain`."""
        return Both(nodes=tuple(map(self._of, node.nodes)))

    def _of(self, node: Node) -> Node:
        if isinstance(node, Both):
            return self.of_all(node)
        if isinstance(node, Either):
            return Either(nodes=tuple(map(self._of_one, node.nodes)))
        if not isinstance(node, Words):
            return node
        row = tokens(node.text)
        if len(row) == 1:
            return self._beginning(node, row[0]) if node.prefix else self._word(node, row[0])
        return self._phrase(node, row) if 1 < len(row) <= _LONGEST_PHRASE else node

    def _of_one(self, node: Node) -> Node:
        """What need not be found, where something else is."""
        try:
            return self._of(node)
        except _InVain:
            return node

    def _word(self, node: Words, word: str) -> Node:
        others = self._others(word) or [" ".join(pair) for pair in self._halves(word)]
        if not others:
            return self._unchanged(node, [word])
        self._tell(node, others)
        return Either(nodes=(node, *(Words(text=other) for other in others)))

    def _beginning(self, node: Words, word: str) -> Node:
        if self._searcher.terms_with_prefix("text", word, limit=1):
            return node
        others = beginnings_like(self._searcher, word, _MOST) if _changeable(word) else []
        if not others:
            raise _InVain
        self._tell(node, [f"{other}*" for other in others])
        return Either(nodes=tuple(Words(text=other, prefix=True) for other in others))

    def _phrase(self, node: Words, row: list[str]) -> Node:
        """Its words in any order, a few others between them; or all of them in one word."""
        if not self._further and not node.prefix and self._follow(row):
            return node
        places = [[word, *self._others(word)] for word in row]
        if node.prefix:
            begun = self._searcher.terms_with_prefix("text", row[-1], limit=_MOST)
            places[-1] = [*(term for term, _ in begun), *places[-1]]
        others = [other for word, place in zip(row, places, strict=True) for other in place if other != word]
        joined = "".join(row)
        whole = [joined] if self._occurs(joined) and not any(map(stands_alone, joined)) else []
        if not whole:
            self._unchanged(node, [word for word, place in zip(row, places, strict=True) if len(place) == 1])
        self._tell(node, [*whole, *others], near=True)
        near = Near(words=tuple(tuple(dict.fromkeys(place)) for place in places))
        return Either(nodes=(near, *(Words(text=text) for text in whole)))

    def _unchanged(self, node: Words, words: list[str]) -> Words:
        """Where one of its words does not occur, the search is in vain."""
        if not all(map(self._occurs, words)):
            raise _InVain
        return node

    def _others(self, word: str) -> list[str]:
        """Other words of the index that may be meant."""
        if any(letter.isdigit() or stands_alone(letter) for letter in word) or len(word) > _LONGEST:
            return []
        found = forms(self._searcher, word, _MOST)
        if _changeable(word) and (self._further or not self._occurs(word)):
            found += words_like(self._searcher, word, _SPELLINGS, mistakes=1)
            if self._further or not found:
                found += endings(self._searcher, word, _MOST)
                found += words_like(self._searcher, word, _SPELLINGS, mistakes=2)
        return list(dict.fromkeys(found))[:_MOST]

    def _halves(self, word: str) -> list[tuple[str, str]]:
        """The two words that were written as one."""
        if not _changeable(word) or self._occurs(word):
            return []
        pairs = [(word[:place], word[place:]) for place in range(2, len(word) - 1)]
        return [pair for pair in pairs if all(map(self._occurs, pair)) and self._follow(pair)][:1]

    def _follow(self, row: Sequence[str]) -> bool:
        """Do these words stand in a row somewhere?"""
        phrase = tantivy.Query.phrase_query(schema(), "text", list(row))
        return bool(self._searcher.search(phrase, 1, count=False).hits)

    def _occurs(self, word: str) -> bool:
        return bool(self._searcher.doc_freq("text", word))

    def _tell(self, node: Words, others: Sequence[str], *, near: bool = False) -> None:
        typed = f"{node.text}*" if node.prefix else node.text
        self.instead[typed] = Widened(typed=typed, instead=tuple(others), near=near)


def _changeable(word: str) -> bool:
    """May a word be mistyped? Of a short one that would be any other, and a number is another number."""
    return _SHORTEST <= len(word) <= _LONGEST and not any(letter.isdigit() or stands_alone(letter) for letter in word)
