"""Words in a row, some of which are known only in part: beginnings of words, names with `*` and `?`.

tantivy refuses a row whose patterns stand for too many words. Such a pattern is taken apart, by the letters that the
words begin with, until each part stands for few enough; together the parts stand for the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product

import tantivy
from tantivy import Query as Asked

from pollux.errors import RequestError
from pollux.index.search.fields import schema

MOST = 1 << 14
"""For so many words all patterns of a row may stand together, by tantivy's own bound."""

_WILD = re.compile(r"[*?]")


def in_a_row(searcher: tantivy.Searcher, field: str, row: Sequence[Sequence[str]]) -> list[Asked]:
    """The questions of which one must be answered: neighbours, each of which is one of several patterns.

    Between two neighbours there may be a word of which nothing is known: the one pattern `*`.
    """
    known = [(place, globs) for place, globs in enumerate(row) if list(globs) != ["*"] or place in (0, len(row) - 1)]
    if len(known) == 1:
        return [_whole(field, _joined(map(_regex, globs))) for _, globs in known]
    share = MOST // len(known)
    if not share:
        raise RequestError("A row of words in the query is too long.")
    choices = [_parts(searcher, field, globs, share) for _, globs in known]
    for pattern in {each for choice in choices for each in choice}:
        _whole(field, pattern)
    first = known[0][0]
    places = [place - first for place, _ in known]
    return [
        Asked.regex_phrase_query(schema(), field, list(zip(places, chosen, strict=True)))
        for chosen in product(*choices)
    ]


def _whole(field: str, pattern: str) -> Asked:
    """One word. tantivy refuses here what is too much work, in a row only later."""
    try:
        return Asked.regex_query(schema(), field, pattern)
    except ValueError:
        raise RequestError("A beginning or a pattern in the query is too long.") from None


def _parts(searcher: tantivy.Searcher, field: str, globs: Sequence[str], share: int) -> list[str]:
    """Regular expressions for all words that match one of the patterns, each for at most `share` of them."""
    if not any(map(_WILD.search, globs)):
        return [_joined(map(_regex, globs))]
    match = re.compile(_joined(map(_regex, globs)), re.DOTALL).fullmatch
    begins = {glob[: wild.start()] if (wild := _WILD.search(glob)) else glob for glob in globs}
    terms = {term for begin in begins for term, _ in searcher.terms_with_prefix(field, begin) if match(term)}
    if len(terms) <= share:
        return [_joined(map(_regex, globs))]
    parts: list[str] = []
    room = 0
    for pattern, size in _split("", frozenset(globs), sorted(terms), share):
        if size > room:
            parts.append(pattern)
            room = share - size
        else:
            parts[-1] = _joined((parts[-1], pattern))
            room -= size
    return parts


def _split(begin: str, rests: frozenset[str], terms: Sequence[str], share: int) -> Iterator[tuple[str, int]]:
    """Regular expressions for these words, which all begin alike and go on by one of the patterns; and for how many."""
    if len(terms) <= share:
        yield re.escape(begin) + _joined(map(_regex, sorted(rests))), len(terms)
        return
    place = len(begin)
    for letter, some in groupby(terms, key=lambda term: term[place : place + 1]):
        if letter:
            left = frozenset(after for rest in rests for after in _after(rest, letter))
            yield from _split(begin + letter, left, list(some), share)
        else:
            yield re.escape(begin), 1


def _after(glob: str, letter: str) -> Iterator[str]:
    """How a word goes on that matches the pattern and begins with the letter."""
    if glob.startswith("*"):
        yield glob
        yield from _after(glob[1:], letter)
    elif glob and glob[0] in ("?", letter):
        yield glob[1:]


def _joined(patterns: Iterable[str]) -> str:
    several = list(patterns)
    return several[0] if len(several) == 1 else f"({'|'.join(several)})"


def _regex(glob: str) -> str:
    return "".join(".*" if each == "*" else "." if each == "?" else re.escape(each) for each in glob)
