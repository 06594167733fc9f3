"""A query as the text index understands it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any, assert_never

import tantivy
from tantivy import Occur, Query as Asked

from pollux.index.search.fields import kind_numbers, microseconds, path_tokens, schema, tokens
from pollux.index.search.patterns import in_a_row
from pollux.index.search.query import ABOUT, PLACES, Both, Either, Near, Node, Not, Only, Words
from pollux.index.search.words import name as whole_name, stands_alone
from pollux.model.names import fits, is_called
from pollux.text.folding import fold

NOTHING = Asked.empty_query()

KNOWN_VALUES = ("project", "model", "tool", *ABOUT)
"""Filters that a part of a value suffices for."""

_GLOB = re.compile(r"[*?]")
_DIGEST = 4
_DEEP = "**"
_ANYWHERE = (".", "..", _DEEP)


def ask(node: Node, searcher: tantivy.Searcher) -> Asked | None:
    """The question for one passage; None where there is nothing in it to ask for."""
    match node:
        case Words():
            return _words(node, searcher)
        case Near():
            return _near(node)
        case Only():
            return Asked.const_score_query(_only(node, searcher), 0.0)
        case Not():
            inner = ask(node.node, searcher)
            return None if inner is None else but(Asked.all_query(), inner)
        case Both():
            return _every(node, searcher)
        case Either():
            return any_of(ask(each, searcher) for each in node.nodes)
        case _:
            assert_never(node)


def _every(node: Both, searcher: tantivy.Searcher) -> Asked | None:
    """All of these, none of those that are to be left out."""
    clauses = [
        (Occur.MustNot, question) if isinstance(each, Not) else (Occur.Must, question)
        for each in node.nodes
        if (question := ask(each.node if isinstance(each, Not) else each, searcher)) is not None
    ]
    if len(clauses) == 1 and clauses[0][0] == Occur.Must:
        return clauses[0][1]
    return Asked.boolean_query(clauses) if clauses else None


def together(*asked: Asked | None) -> Asked:
    """All of these questions."""
    known = [question for question in asked if question is not None]
    return known[0] if len(known) == 1 else Asked.boolean_query([(Occur.Must, question) for question in known])


def any_of(asked: Iterable[Asked | None]) -> Asked | None:
    """At least one of these questions."""
    known = [question for question in asked if question is not None]
    if len(known) < 2:
        return known[0] if known else None
    return Asked.boolean_query([(Occur.Should, question) for question in known])


def but(question: Asked, unwanted: Asked) -> Asked:
    """What answers the one question and not the other."""
    return Asked.boolean_query([(Occur.Must, question), (Occur.MustNot, unwanted)])


def one_of(field: str, values: Sequence[Any]) -> Asked:
    """A filter: the field has one of these values. It says nothing about relevance.

    tantivy's own query for a set of terms walks through an automaton, and takes ten times as long.
    """
    terms = [Asked.term_query(schema(), field, value, "basic") for value in values]
    return Asked.const_score_query(any_of(terms) or NOTHING, 0.0)


def _words(words: Words, searcher: tantivy.Searcher) -> Asked | None:
    """Neighbours in a text. A character that is a word of its own has no longer words that begin with it."""
    found = tokens(words.text)
    if not found:
        return None
    if words.prefix and not stands_alone(found[-1][0]):
        row = [[word] for word in found[:-1]]
        return any_of(in_a_row(searcher, "text", [*row, [f"{found[-1]}*"]]))
    if len(found) == 1:
        return Asked.term_query(schema(), "text", found[0])
    return Asked.phrase_query(schema(), "text", list(found))


_APART = 8
"""So many other words may stand between two that are near one another."""


def _near(near: Near) -> Asked:
    """Each word near the one it was typed beside."""
    places = ["|".join(map(re.escape, words)) for words in near.words]
    rows = [any_of(_beside(one, other) for one, other in (pair, pair[::-1])) for pair in pairwise(places)]
    return together(*rows)


def _beside(one: str, other: str) -> Asked:
    return Asked.regex_phrase_query(schema(), "text", [f"({one})", f"({other})"], slop=_APART)


def _only(only: Only, searcher: tantivy.Searcher) -> Asked:
    name, value = only.name, only.value
    if isinstance(value, datetime):
        return _time(name, value)
    if isinstance(value, bool):
        return one_of(name, ["yes" if value else "no"])
    value = whole_name(value).replace("\0", "")
    match name:
        case "in":
            return one_of("kind", kind_numbers(PLACES[value]))
        case "file":
            return _file(value, searcher)
        case "kind":
            return one_of("session_kind", [value])
        case _ if name in KNOWN_VALUES:
            return one_of(name, fitting(searcher, name, value))
        case _:
            return one_of(name, [fold(value)])


def _time(name: str, moment: datetime) -> Asked:
    at = microseconds(moment)
    if name == "since":
        return Asked.range_query(schema(), "at", tantivy.FieldType.Integer, lower_bound=at)
    return Asked.range_query(schema(), "at", tantivy.FieldType.Integer, upper_bound=at, include_upper=name == "until")


def terms(searcher: tantivy.Searcher, field: str) -> list[str]:
    """All values of a field; of those that are asked for so, there are few."""
    return [term for term, _ in searcher.terms_with_prefix(field, "")]


def fitting(searcher: tantivy.Searcher, field: str, asked: str) -> list[str]:
    """The values of a field that answer to what was typed."""
    if field == "project":
        return [term for term in terms(searcher, field) if _is_project(asked, term)]
    return [term for term in terms(searcher, field) if is_called(asked, term, begins=field == "commit")]


def _is_project(asked: str, term: str) -> bool:
    if term.startswith("#"):
        return len(asked) >= _DIGEST and term.startswith(f"#{asked.lower()}")
    return fits(asked, term)


def _file(asked: str, searcher: tantivy.Searcher) -> Asked:
    """Paths that hold these folders and names in a row; the last may lack its ending: `file:main` is main.py too.

    `**` stands for any folders: what is before and behind it must both be there. A path that begins here or at a folder
    above is looked for without that beginning: nobody knows where the agent was.
    """
    found = path_tokens(os.path.expanduser(asked))  # noqa: PTH111 (a path of another system stays as it is)
    rows = [list(row) for deep, row in groupby(found, key=_ANYWHERE.__contains__) if not deep] or [["*"]]
    ended = found[-1:] != [_DEEP] and not _GLOB.search(rows[-1][-1])
    every = [[[each] for each in row] for row in rows]
    every[-1][-1] += [f"{rows[-1][-1]}.*"] if ended else []
    return together(*(any_of(in_a_row(searcher, "file", row)) for row in every))
