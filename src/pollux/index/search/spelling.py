"""Words of the index that a mistyped word may have meant."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase, digits

import tantivy

from pollux.index.search.fields import tokens
from pollux.text.folding import fold

_SHORTEST = 3
_TWO_MISTAKES_FROM = 5
_MOST_COMPARED = 8_000
_BLOCK = 0x80


def words_like(searcher: tantivy.Searcher, word: str, most: int, mistakes: int = 0) -> list[str]:
    """See `WordIndex.words_like`. `mistakes`: only words that lie one or two mistakes away.

    Two mistakes are looked for only where one explains nothing, and in words that begin with the same letter.
    """
    found = tokens(word)
    if len(found) != 1 or len(found[0]) < _SHORTEST:
        return []
    asked = found[0]
    near: dict[str, tuple[int, int]] = {}
    if mistakes != 2:
        near = {guess: (1, -often) for guess in _one_mistake(asked) if (often := searcher.doc_freq("text", guess))}
    if mistakes != 1 and not near and len(asked) >= _TWO_MISTAKES_FROM:
        for term, often in searcher.terms_with_prefix("text", asked[0], limit=_MOST_COMPARED):
            if abs(len(term) - len(asked)) <= 2 and distance(asked, term) == 2:
                near[term] = (2, -often)
    return sorted(near, key=lambda guess: (near[guess], guess))[:most]


def beginnings_like(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Beginnings of words of the index that lie one mistake away from this one, the most frequent first."""
    first = {guess: searcher.terms_with_prefix("text", guess, limit=1) for guess in _one_mistake(word)}
    often = {guess: -known[0][1] for guess, known in first.items() if known}
    return sorted(often, key=lambda guess: (often[guess], guess))[:most]


def _letters(word: str) -> str:
    """The letters that may stand in a word: those of ASCII, or those beside its own in Unicode."""
    if word.isascii():
        return ascii_lowercase + digits
    blocks = {ord(letter) // _BLOCK for letter in word if letter > "\x7f"}
    every = (chr(code) for block in blocks for code in range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(letter for letter in every if letter.isalpha() and fold(letter) == letter)


def _one_mistake(word: str) -> Iterator[str]:
    """Every word that one letter too many, too few, wrong, or swapped with its neighbour makes of this one."""
    made: set[str] = set()
    letters = _letters(word)
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        made.update(before + letter + after for letter in letters)
        if after:
            made.add(before + after[1:])
            made.update(before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            made.add(before + after[1] + after[0] + after[2:])
    made.discard(word)
    return iter(made)


def distance(one: str, other: str) -> int:
    """How many mistakes lie between two words, where swapped neighbours are one mistake; 3 for three or more."""
    if len(set(one) ^ set(other)) > 4:
        return 3
    older: list[int] = []
    old = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        new = [i]
        for j, b in enumerate(other, 1):
            best = min(old[j] + 1, new[j - 1] + 1, old[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            new.append(best)
        if min(new) > 2:
            return 3
        older, old = old, new
    return min(old[-1], 3)
