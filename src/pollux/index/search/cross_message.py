"""Sessions that hold everything that a query searches for, but not in one passage."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, assert_never

import tantivy
from tantivy import Query as IndexQuery

from pollux.index.search.compile import all_of, any_of, compile_node, one_of
from pollux.index.search.query import And, FieldFilter, Near, Node, Not, Or, Sort, Words
from pollux.index.search.ranking import RankedPassage, best, sessions_with, top
from pollux.index.search.shortcut import frequency

_MOST_PASSAGES = 2_000
"""How many of the best passages with the rarest word are examined. Two common words meet in one passage anyway."""

MOST_WANTED = 64
"""A query of more words is a pasted text, which means one message."""

_ACTION_FILTERS = {"tool", "file", "failed"}


class Split(NamedTuple):
    """The filters that every passage must pass, the nodes that some passage must match, and those that none may."""

    where: list[Node]
    wanted: list[Node]
    unwanted: list[Node]


def cross_message_hits(
    searcher: tantivy.Searcher, node: And, scope: Sequence[IndexQuery], known_sessions: Collection[int], limit: int
) -> list[RankedPassage]:
    """The best passage of each further session that holds everything in several passages.

    The rarest word is searched for first, and the others only in the sessions that hold it.
    """
    split = split_query(node)
    if not 2 <= len(split.wanted) <= MOST_WANTED:
        return []
    where = [*scope, *(question for child in split.where if (question := compile_node(child, searcher)) is not None)]
    wanted = sorted(split.wanted, key=lambda child: _rarity(frequency(searcher, child)))
    questions = [
        all_of(question, *where) for child in wanted if (question := compile_node(child, searcher)) is not None
    ]
    unwanted = [question for child in split.unwanted if (question := compile_node(child, searcher)) is not None]
    any_wanted = any_of(questions)
    if len(questions) < 2 or any_wanted is None:
        return []
    matches: list[int] = []
    for group in _groups(searcher, questions[0], known_sessions, 4 * limit):
        remaining = set(group)
        for question in questions[1:]:
            remaining = sessions_with(searcher, question, remaining) if remaining else remaining
        for question in unwanted:
            remaining -= sessions_with(searcher, question, remaining) if remaining else remaining
        matches += [session for session in group if session in remaining]
        if len(matches) >= limit:
            break
    if not matches:
        return []
    return best(searcher, all_of(any_wanted, one_of("session", matches)), Sort.RELEVANCE, min(limit, len(matches)), 1)


def _groups(
    searcher: tantivy.Searcher, rarest: IndexQuery, known_sessions: Collection[int], size: int
) -> Iterator[list[int]]:
    """The sessions with the rarest word, the best first, in groups of growing size."""
    ranked = top(searcher, rarest, Sort.RELEVANCE, _MOST_PASSAGES)
    sessions = [s for s in dict.fromkeys(passage.session for passage in ranked) if s not in known_sessions]
    while sessions:
        yield sessions[:size]
        sessions = sessions[size:]
        size *= 2


def split_query(node: And) -> Split:
    """Divide a query. The filters on actions (tool, file, failed) may match another passage than the words."""
    where: list[Node] = []
    wanted: list[Node] = []
    unwanted: list[Node] = []
    actions: list[Node] = []
    for child in node.nodes:
        names = set(_filters(child))
        if None not in names:
            (actions if names <= _ACTION_FILTERS and not isinstance(child, Not) else where).append(child)
        elif isinstance(child, Not):
            unwanted.append(child.node)
        else:
            wanted.append(child)
    if actions:
        wanted.append(And(nodes=tuple(actions)))
    return Split(where, wanted, unwanted)


def _filters(node: Node) -> Iterator[str | None]:
    """The names of all filters in a part of a query; None for words."""
    match node:
        case FieldFilter():
            yield node.name
        case Words() | Near():
            yield None
        case Not():
            yield from _filters(node.node)
        case And() | Or():
            for child in node.nodes:
                yield from _filters(child)
        case _:
            assert_never(node)


def _rarity(frequency: int | None) -> tuple[bool, int]:
    """A sort key: the rarest first. An unknown frequency counts as common."""
    return frequency is None, frequency or 0
