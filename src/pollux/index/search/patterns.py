"""Phrases with patterns: beginnings of words, names with `*` and `?`.

tantivy refuses a phrase whose patterns match too many words. Such a pattern is divided by the first letters of the
words, until each part matches few enough. All parts together match the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product

import tantivy
from tantivy import Query as IndexQuery

from pollux.errors import RequestError
from pollux.index.search.fields import schema

MOST = 1 << 14
"""How many words all patterns of a phrase may match, by tantivy's own limit."""

_WILD = re.compile(r"[*?]")


def phrase_queries(searcher: tantivy.Searcher, field: str, row: Sequence[Sequence[str]]) -> list[IndexQuery]:
    """Queries for a phrase, of which one must match. Each word of the phrase is one of several patterns.

    The single pattern `*` stands for any word between two others.
    """
    known = [(place, globs) for place, globs in enumerate(row) if list(globs) != ["*"] or place in (0, len(row) - 1)]
    if len(known) == 1:
        return [_word_query(field, regex(globs)) for _, globs in known]
    share = MOST // len(known)
    if not share:
        raise RequestError("A phrase in the query is too long.")
    choices = [_parts(searcher, field, globs, share) for _, globs in known]
    for pattern in {part for choice in choices for part in choice}:
        _word_query(field, pattern)
    first = known[0][0]
    places = [place - first for place, _ in known]
    return [
        IndexQuery.regex_phrase_query(schema(), field, list(zip(places, patterns, strict=True)))
        for patterns in product(*choices)
    ]


def _word_query(field: str, pattern: str) -> IndexQuery:
    """A query for one word. tantivy refuses an expensive pattern here, but in a phrase only later."""
    try:
        return IndexQuery.regex_query(schema(), field, pattern)
    except ValueError:
        raise RequestError("A beginning or a pattern in the query is too long.") from None


def _parts(searcher: tantivy.Searcher, field: str, globs: Sequence[str], share: int) -> list[str]:
    """Regular expressions that match all words of the patterns, each at most `share` words."""
    if not any(map(_WILD.search, globs)):
        return [regex(globs)]
    match = re.compile(regex(globs), re.DOTALL).fullmatch
    begins = {glob[: wild.start()] if (wild := _WILD.search(glob)) else glob for glob in globs}
    terms = {term for begin in begins for term, _ in searcher.terms_with_prefix(field, begin) if match(term)}
    if len(terms) <= share:
        return [regex(globs)]
    parts: list[str] = []
    room = 0
    for pattern, size in _split("", frozenset(globs), sorted(terms), share):
        if size > room:
            parts.append(pattern)
            room = share - size
        else:
            parts[-1] = _alternatives((parts[-1], pattern))
            room -= size
    return parts


def _split(begin: str, rests: frozenset[str], terms: Sequence[str], share: int) -> Iterator[tuple[str, int]]:
    """Regular expressions for words with this beginning and one of these rests, each with the number of its words."""
    if len(terms) <= share:
        yield re.escape(begin) + _alternatives(map(_regex, sorted(rests))), len(terms)
        return
    place = len(begin)
    for letter, group in groupby(terms, key=lambda term: term[place : place + 1]):
        if letter:
            remaining = frozenset(after for rest in rests for after in _after(rest, letter))
            yield from _split(begin + letter, remaining, list(group), share)
        else:
            yield re.escape(begin), 1


def _after(glob: str, letter: str) -> Iterator[str]:
    """What a pattern requires after the first letter of a word."""
    if glob.startswith("*"):
        yield glob
        yield from _after(glob[1:], letter)
    elif glob and glob[0] in ("?", letter):
        yield glob[1:]


def _alternatives(patterns: Iterable[str]) -> str:
    choices = list(patterns)
    return choices[0] if len(choices) == 1 else f"({'|'.join(choices)})"


def regex(globs: Iterable[str]) -> str:
    """A regular expression for words that match one of these patterns."""
    return _alternatives(map(_regex, globs))


def _regex(glob: str) -> str:
    return "".join(".*" if sign == "*" else "." if sign == "?" else re.escape(sign) for sign in glob)
