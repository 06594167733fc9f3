"""Widens a query that found nothing: words in other forms and spellings, phrases as words near one another.

Filters and excluded words stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import tantivy

from pollux.index.search.fields import schema, tokens
from pollux.index.search.inflections import endings, forms
from pollux.index.search.prepare.unspaced import is_own_word
from pollux.index.search.query import And, Near, Node, Or, Query, Words
from pollux.index.search.results import Substitution
from pollux.index.search.spelling import beginnings_like, words_like
from pollux.model import Value

_MOST = 8
"""How many other words may replace one."""

_SPELLINGS = 3
_SHORTEST, _LONGEST = 4, 60
_LONGEST_PHRASE = 12
_MOST_WORDS, _FEW_WORDS = 24, 4
"""A query of more words is not widened, or not further: it is a pasted text, and each word takes time."""


class WiderQuery(Value, frozen=True, kw_only=True):
    """A wider query, and what it searches for instead of the typed words."""

    query: Query
    instead: tuple[Substitution, ...]


def widen(searcher: tantivy.Searcher, query: Query, *, further: bool) -> WiderQuery | None:
    """A query that finds more; None where nothing similar occurs.

    Words that do not occur count as mistyped. With `further`, all words do.
    """
    if _count(query.node) > (_FEW_WORDS if further else _MOST_WORDS):
        return None
    widener = _Widener(searcher, further=further)
    try:
        node = widener.widen_all(query.node)
    except _NothingSimilar:
        return None
    wider = Query(text=query.text, node=node, hints=query.hints)
    return WiderQuery(query=wider, instead=tuple(widener.instead.values())) if widener.instead else None


def _count(node: Node) -> int:
    if isinstance(node, Words):
        return len(tokens(node.text))
    return sum(map(_count, node.nodes)) if isinstance(node, And | Or) else 0


class _NothingSimilar(Exception):
    """Nothing similar occurs to a word that must occur."""


class _Widener:
    """Widens the nodes of a query, and collects the substitutions in `instead`."""

    def __init__(self, searcher: tantivy.Searcher, *, further: bool) -> None:
        self._searcher = searcher
        self._further = further
        self.instead: dict[str, Substitution] = {}

    def widen_all(self, node: And) -> And:
        """Widen nodes that must all match. Raises `_NothingSimilar`."""
        return And(nodes=tuple(map(self._widen, node.nodes)))

    def _widen(self, node: Node) -> Node:
        if isinstance(node, And):
            return self.widen_all(node)
        if isinstance(node, Or):
            return Or(nodes=tuple(map(self._try_widen, node.nodes)))
        if not isinstance(node, Words):
            return node
        row = tokens(node.text)
        if len(row) == 1:
            return self._beginning(node, row[0]) if node.prefix else self._word(node, row[0])
        return self._phrase(node, row) if 1 < len(row) <= _LONGEST_PHRASE else node

    def _try_widen(self, node: Node) -> Node:
        """Widen a node that need not match, because another may."""
        try:
            return self._widen(node)
        except _NothingSimilar:
            return node

    def _word(self, node: Words, word: str) -> Node:
        others = self._alternatives(word) or [" ".join(pair) for pair in self._split_word(word)]
        if not others:
            return self._require(node, [word])
        self._note(node, others)
        return Or(nodes=(node, *(Words(text=other) for other in others)))

    def _beginning(self, node: Words, word: str) -> Node:
        if self._searcher.terms_with_prefix("text", word, limit=1):
            return node
        others = beginnings_like(self._searcher, word, _MOST) if _may_be_mistyped(word) else []
        if not others:
            raise _NothingSimilar
        self._note(node, [f"{other}*" for other in others])
        return Or(nodes=tuple(Words(text=other, prefix=True) for other in others))

    def _phrase(self, node: Words, row: list[str]) -> Node:
        """The words of a phrase near one another in any order, or joined to one word."""
        if not self._further and not node.prefix and self._occurs_as_phrase(row):
            return node
        places = [[word, *self._alternatives(word)] for word in row]
        if node.prefix:
            terms = self._searcher.terms_with_prefix("text", row[-1], limit=_MOST)
            places[-1] = [*(term for term, _ in terms), *places[-1]]
        others = [other for word, place in zip(row, places, strict=True) for other in place if other != word]
        joined = "".join(row)
        compound = [joined] if self._occurs(joined) and not any(map(is_own_word, joined)) else []
        if not compound:
            self._require(node, [word for word, place in zip(row, places, strict=True) if len(place) == 1])
        self._note(node, [*compound, *others], near=True)
        nearby = Near(words=tuple(tuple(dict.fromkeys(place)) for place in places))
        return Or(nodes=(nearby, *(Words(text=text) for text in compound)))

    def _require(self, node: Words, words: list[str]) -> Words:
        """The same node. Raises `_NothingSimilar` where one of its words does not occur."""
        if not all(map(self._occurs, words)):
            raise _NothingSimilar
        return node

    def _alternatives(self, word: str) -> list[str]:
        """Other words of the index that may have been meant."""
        if any(letter.isdigit() or is_own_word(letter) for letter in word) or len(word) > _LONGEST:
            return []
        words = forms(self._searcher, word, _MOST)
        if _may_be_mistyped(word) and (self._further or not self._occurs(word)):
            words += words_like(self._searcher, word, _SPELLINGS, mistakes=1)
            if self._further or not words:
                words += endings(self._searcher, word, _MOST)
                words += words_like(self._searcher, word, _SPELLINGS, mistakes=2)
        return list(dict.fromkeys(words))[:_MOST]

    def _split_word(self, word: str) -> list[tuple[str, str]]:
        """The two words that were written as one."""
        if not _may_be_mistyped(word) or self._occurs(word):
            return []
        pairs = [(word[:place], word[place:]) for place in range(2, len(word) - 1)]
        return [pair for pair in pairs if all(map(self._occurs, pair)) and self._occurs_as_phrase(pair)][:1]

    def _occurs_as_phrase(self, row: Sequence[str]) -> bool:
        """Do these words stand side by side somewhere?"""
        phrase = tantivy.Query.phrase_query(schema(), "text", list(row))
        return bool(self._searcher.search(phrase, 1, count=False).hits)

    def _occurs(self, word: str) -> bool:
        return bool(self._searcher.doc_freq("text", word))

    def _note(self, node: Words, others: Sequence[str], *, near: bool = False) -> None:
        typed = f"{node.text}*" if node.prefix else node.text
        self.instead[typed] = Substitution(typed=typed, instead=tuple(others), near=near)


def _may_be_mistyped(word: str) -> bool:
    """May a word be mistyped? A short word would be similar to any other, and another number is another thing."""
    return _SHORTEST <= len(word) <= _LONGEST and not any(letter.isdigit() or is_own_word(letter) for letter in word)
