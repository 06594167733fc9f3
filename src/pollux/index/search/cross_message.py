"""Sessions that hold everything a query asks for, but not in one passage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, assert_never

import tantivy
from tantivy import Query as Asked

from pollux.index.search.compile import any_of, ask, one_of, together
from pollux.index.search.query import Both, Either, Near, Node, Not, Only, Sort, Words
from pollux.index.search.ranking import Ranked, best, sessions_with, top
from pollux.index.search.shortcut import frequency

_MOST_PASSAGES = 2_000
"""So many of the best passages with the rarest word are followed up. Two common words meet in one passage anyway."""

_MOST_WANTED = 64
"""Who looks for more words at once has pasted a text, and means one message."""

_DEEDS = {"tool", "file", "failed"}


class _Split(NamedTuple):
    """A query's filters that hold for every passage, what some passage must hold, and what none may."""

    where: list[Node]
    wanted: list[Node]
    unwanted: list[Node]


def scattered(
    searcher: tantivy.Searcher, node: Both, scope: Sequence[Asked], found: Collection[int], limit: int
) -> list[Ranked]:
    """The best passage of each session that was not found yet and holds everything in several passages.

    The rarest word goes first, and the others are looked for only in the sessions that hold it.
    """
    split = _split(node)
    if not 2 <= len(split.wanted) <= _MOST_WANTED:
        return []
    where = [*scope, *(question for each in split.where if (question := ask(each, searcher)) is not None)]
    wanted = sorted(split.wanted, key=lambda each: _rarity(frequency(searcher, each)))
    asked = [together(question, *where) for each in wanted if (question := ask(each, searcher)) is not None]
    unwanted = [question for each in split.unwanted if (question := ask(each, searcher)) is not None]
    some = any_of(asked)
    if len(asked) < 2 or some is None:
        return []
    held: list[int] = []
    for group in _groups(searcher, asked[0], found, 4 * limit):
        left = set(group)
        for question in asked[1:]:
            left = sessions_with(searcher, question, left) if left else left
        for question in unwanted:
            left -= sessions_with(searcher, question, left) if left else left
        held += [session for session in group if session in left]
        if len(held) >= limit:
            break
    if not held:
        return []
    return best(searcher, together(some, one_of("session", held)), Sort.RELEVANCE, min(limit, len(held)), 1)


def _groups(searcher: tantivy.Searcher, rarest: Asked, found: Collection[int], size: int) -> Iterator[list[int]]:
    """The sessions of the rarest word, the best first, a few at a time and then more."""
    ranked = top(searcher, rarest, Sort.RELEVANCE, _MOST_PASSAGES)
    sessions = [s for s in dict.fromkeys(each.session for each in ranked) if s not in found]
    while sessions:
        yield sessions[:size]
        sessions = sessions[size:]
        size *= 2


def _split(node: Both) -> _Split:
    """What was done (with which tool, to which file, in vain) may be another passage than what was said."""
    where: list[Node] = []
    wanted: list[Node] = []
    unwanted: list[Node] = []
    deeds: list[Node] = []
    for each in node.nodes:
        names = set(_filters(each))
        if None not in names:
            (deeds if names <= _DEEDS and not isinstance(each, Not) else where).append(each)
        elif isinstance(each, Not):
            unwanted.append(each.node)
        else:
            wanted.append(each)
    if deeds:
        wanted.append(Both(nodes=tuple(deeds)))
    return _Split(where, wanted, unwanted)


def _filters(node: Node) -> Iterator[str | None]:
    """The names of all filters in a part of a query; None for what is no filter."""
    match node:
        case Only():
            yield node.name
        case Words() | Near():
            yield None
        case Not():
            yield from _filters(node.node)
        case Both() | Either():
            for each in node.nodes:
                yield from _filters(each)
        case _:
            assert_never(node)


def _rarity(frequency: int | None) -> tuple[bool, int]:
    """The rarest first; what is not known counts as common."""
    return frequency is None, frequency or 0
