"""Words of the index that may be another form of a word: `retries` of `retry`, `книги` of `книга`.

For eighteen languages tantivy knows what remains of a word without its ending. Nobody knows in which language a word is
meant, so all of those with its letters are asked, and those forms come first about which most agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import tantivy

from pollux.index.catalog.prefixes import shared

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
"""By so many letters two forms of a word may differ in length."""

_ENDING = 3
_SAME = 0.6
"""Where no language knows a word: how long an ending may be, and how much of two words has to be the same."""


def forms(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Other words of the index that all languages, or some, take for the same word; the likeliest first."""
    languages = _languages(word)
    if len(word) < _SHORTEST or not languages:
        return []
    known = beginning(searcher, word, [_stemmer(language).analyze(word)[0] for language in languages])
    agreed = Counter[str]()
    text = " ".join((word, *known))
    for language in languages:
        own, *stems = _stemmer(language).analyze(text)
        agreed.update(term for term, stem in zip(known, stems, strict=True) if stem == own)
    several = [term for term, count in agreed.items() if count > 1]
    return sorted(several or agreed, key=lambda term: (-agreed[term], -known[term], term))[:most]


def endings(searcher: tantivy.Searcher, word: str, most: int) -> list[str]:
    """Other words of the index that differ from this one in their ending only, for languages that nobody knows here."""
    known = beginning(searcher, word, [word[:-_ENDING]])
    same = {term: shared(word, term) for term in known}
    near = [
        term
        for term, length in same.items()
        if max(len(word), len(term)) - length <= _ENDING and length >= max(_SHORTEST + 1, _SAME * len(term))
    ]
    return sorted(near, key=lambda term: (-same[term], -known[term], term))[:most]


def beginning(searcher: tantivy.Searcher, word: str, stems: Sequence[str]) -> dict[str, int]:
    """The most frequent words of about the same length that begin like all of these, but for one letter."""
    length = max(min(shared(word, stem) for stem in stems) - 1, _SHORTEST)
    found = searcher.terms_with_prefix("text", word[:length], limit=_MOST_COMPARED)
    return {term: often for term, often in found if term != word and abs(len(term) - len(word)) <= _LONGER}


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
