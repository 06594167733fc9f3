"""Words of the index that a mistyped word may have meant."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase, digits

import tantivy

from pollux.store.fields import tokens

_LETTERS = ascii_lowercase + digits
_SHORTEST = 3
_TWO_MISTAKES_FROM = 5
_MOST_COMPARED = 20_000


def words_like(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """See `TextIndex.words_like`.

    Two mistakes are looked for only where one explains nothing, and in words that begin with the same letter.
    """
    found = tokens(word)
    if len(found) != 1 or len(found[0]) < _SHORTEST:
        return []
    asked = found[0]
    near = {guess: (1, -often) for guess in _one_mistake(asked) if (often := searcher.doc_freq("text", guess))}
    if not near and len(asked) >= _TWO_MISTAKES_FROM:
        for term, often in searcher.terms_with_prefix("text", asked[0], limit=_MOST_COMPARED):
            if abs(len(term) - len(asked)) <= 2 and distance(asked, term) == 2:
                near[term] = (2, -often)
    return sorted(near, key=lambda guess: near[guess])[:most]


def _one_mistake(word: str) -> Iterator[str]:
    """Every word that one letter too many, too few, wrong, or swapped with its neighbour makes of this one."""
    made: set[str] = set()
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        made.update(before + letter + after for letter in _LETTERS)
        if after:
            made.add(before + after[1:])
            made.update(before + letter + after[1:] for letter in _LETTERS)
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
