"""Words of the index that may be meant by a mistyped word."""

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
    """See `WordIndex.words_like`. `mistakes`: only words with exactly this many mistakes, 1 or 2.

    Two mistakes are tried only where one gives nothing, and only in words with the same first letter.
    """
    parts = tokens(word)
    if len(parts) != 1 or len(parts[0]) < _SHORTEST:
        return []
    typed = parts[0]
    similar: dict[str, tuple[int, int]] = {}
    if mistakes != 2:
        similar = {guess: (1, -count) for guess in _one_mistake(typed) if (count := searcher.doc_freq("text", guess))}
    if mistakes != 1 and not similar and len(typed) >= _TWO_MISTAKES_FROM:
        for term, count in searcher.terms_with_prefix("text", typed[0], limit=_MOST_COMPARED):
            if abs(len(term) - len(typed)) <= 2 and distance(typed, term) == 2:
                similar[term] = (2, -count)
    return sorted(similar, key=lambda guess: (similar[guess], guess))[:most]


def beginnings_like(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Beginnings of words of the index with one mistake in this one, the most frequent first."""
    first = {guess: searcher.terms_with_prefix("text", guess, limit=1) for guess in _one_mistake(word)}
    counts = {guess: -terms[0][1] for guess, terms in first.items() if terms}
    return sorted(counts, key=lambda guess: (counts[guess], guess))[:most]


def _letters(word: str) -> str:
    """The letters that a word may have: those of ASCII, or the neighbours of its own letters in Unicode."""
    if word.isascii():
        return ascii_lowercase + digits
    blocks = {ord(letter) // _BLOCK for letter in word if letter > "\x7f"}
    candidates = (chr(code) for block in blocks for code in range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(letter for letter in candidates if letter.isalpha() and fold(letter) == letter)


def _one_mistake(word: str) -> Iterator[str]:
    """Every word with one mistake in this one: a letter too many, missing, wrong, or swapped with its neighbour."""
    variants: set[str] = set()
    letters = _letters(word)
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        variants.update(before + letter + after for letter in letters)
        if after:
            variants.add(before + after[1:])
            variants.update(before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            variants.add(before + after[1] + after[0] + after[2:])
    variants.discard(word)
    return iter(variants)


def distance(first: str, second: str) -> int:
    """How many mistakes lie between two words; swapped neighbours are one mistake; 3 means three or more."""
    if len(set(first) ^ set(second)) > 4:
        return 3
    older: list[int] = []
    old = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        new = [i]
        for j, b in enumerate(second, 1):
            best = min(old[j] + 1, new[j - 1] + 1, old[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            new.append(best)
        if min(new) > 2:
            return 3
        older, old = old, new
    return min(old[-1], 3)
