"""Words of the index that may be another form of a word: `retries` of `retry`, `книги` of `книга`.

tantivy has stemmers for eighteen languages. The language of a word is not known, so all languages with its letters are
tried, and the forms on which most of them agree come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import tantivy

from pollux.index.catalogue.prefixes import shared_length

_SCRIPTS = (
    ("\u024f", "english", "danish", "dutch", "finnish", "french", "german", "hungarian", "italian", "norwegian"),
    ("\u024f", "portuguese", "romanian", "spanish", "swedish", "turkish"),
    ("\u03ff", "greek"),
    ("\u052f", "russian"),
    ("\u06ff", "arabic"),
    ("\u0bff", "tamil"),
)
"""The last letter of a script, and the languages that are written with it."""

_SHORTEST = 3
_MOST_COMPARED = 3_000
_LONGER = 6
"""How many letters longer or shorter another form of a word may be."""

_ENDING = 3
_SAME = 0.6
"""Without a stemmer: how long an ending may be, and how much of two words must be the same."""


def forms(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Other words of the index that languages take for the same word, the likeliest first."""
    languages = _languages(word)
    if len(word) < _SHORTEST or not languages:
        return []
    known = beginning(searcher, word, [_stemmer(language).analyze(word)[0] for language in languages])
    votes = Counter[str]()
    text = " ".join((word, *known))
    for language in languages:
        own, *stems = _stemmer(language).analyze(text)
        votes.update(term for term, stem in zip(known, stems, strict=True) if stem == own)
    preferred = [term for term, count in votes.items() if count > 1]
    return sorted(preferred or votes, key=lambda term: (-votes[term], -known[term], term))[:most]


def endings(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Other words of the index that differ only in their ending, for languages without a stemmer."""
    known = beginning(searcher, word, [word[:-_ENDING]])
    shared_lengths = {term: shared_length(word, term) for term in known}
    similar = [
        term
        for term, length in shared_lengths.items()
        if max(len(word), len(term)) - length <= _ENDING and length >= max(_SHORTEST + 1, _SAME * len(term))
    ]
    return sorted(similar, key=lambda term: (-shared_lengths[term], -known[term], term))[:most]


def beginning(searcher: tantivy.Searcher, word: str, stems: Sequence[str]) -> dict[str, int]:
    """The most frequent words of about the same length with the beginning of all these stems, less one letter."""
    length = max(min(shared_length(word, stem) for stem in stems) - 1, _SHORTEST)
    matches = searcher.terms_with_prefix("text", word[:length], limit=_MOST_COMPARED)
    return {term: count for term, count in matches if term != word and abs(len(term) - len(word)) <= _LONGER}


def _languages(word: str) -> list[str]:
    last = max(word)
    if not word.isalpha():
        return []
    script = next((script[0] for script in _SCRIPTS if last <= script[0]), None)
    return [language for end, *languages in _SCRIPTS if end == script for language in languages]


@cache
def _stemmer(language: str) -> tantivy.TextAnalyzer:
    stemmer = tantivy.Filter.stemmer(language)
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(stemmer).build()
