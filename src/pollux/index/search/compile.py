"""Compiles a query for the index of words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any, TypeGuard, assert_never

import tantivy
from tantivy import Occur, Query as IndexQuery

from pollux.index.search.fact_terms import fact_term, fact_values
from pollux.index.search.fields import kind_numbers, microseconds, path_tokens, schema, tokens
from pollux.index.search.patterns import phrase_queries
from pollux.index.search.prepare.prepare_text import normalize_name as whole_name
from pollux.index.search.prepare.unspaced import is_own_word
from pollux.index.search.query import ABOUT, NEAR_DISTANCE, PLACES, And, FieldFilter, Marked, Near, Node, Not, Or, Words
from pollux.model.names import name_matches, project_matches
from pollux.text.folding import fold

NOTHING = IndexQuery.empty_query()

KNOWN_VALUES = ("project", "model", "tool", *ABOUT)
"""Filters that match a part of a value."""

_GLOB = re.compile(r"[*?]")
_SHORTEST_HASH = 4
_ANY_FOLDERS = "**"
_NO_FOLDERS = (".", "..", _ANY_FOLDERS)


def compile_node(node: Node, searcher: tantivy.Searcher) -> IndexQuery | None:
    """The index query for one passage; None where the node has nothing to search for."""
    match node:
        case Words():
            return _words(node, searcher)
        case Near():
            return _near(node)
        case FieldFilter():
            return IndexQuery.const_score_query(_filter(node, searcher), 0.0)
        case Not():
            inner = compile_node(node.node, searcher)
            return None if inner is None else and_not(IndexQuery.all_query(), inner)
        case And():
            return _all(node, searcher)
        case Or():
            return any_of(compile_node(child, searcher) for child in node.nodes)
        case _:
            assert_never(node)


def _all(node: And, searcher: tantivy.Searcher) -> IndexQuery | None:
    """All children must match, and no excluded child. All times together are one range, which tantivy finds sooner."""
    times = [child for child in node.nodes if _is_time(child)]
    clauses = [
        (Occur.MustNot, question) if isinstance(child, Not) else (Occur.Must, question)
        for child in node.nodes
        if not _is_time(child)
        and (question := compile_node(child.node if isinstance(child, Not) else child, searcher)) is not None
    ]
    if times:
        clauses.append((Occur.Must, IndexQuery.const_score_query(_between(times), 0.0)))
    if len(clauses) == 1 and clauses[0][0] == Occur.Must:
        return clauses[0][1]
    return IndexQuery.boolean_query(clauses) if clauses else None


def all_of(*questions: IndexQuery | None) -> IndexQuery:
    """A query that matches where all of these match."""
    present = [question for question in questions if question is not None]
    return (
        present[0] if len(present) == 1 else IndexQuery.boolean_query([(Occur.Must, question) for question in present])
    )


def any_of(questions: Iterable[IndexQuery | None]) -> IndexQuery | None:
    """A query that matches where at least one of these matches."""
    present = [question for question in questions if question is not None]
    if len(present) < 2:
        return present[0] if present else None
    return IndexQuery.boolean_query([(Occur.Should, question) for question in present])


def and_not(question: IndexQuery, unwanted: IndexQuery) -> IndexQuery:
    """A query that matches where the first matches and the second does not."""
    return IndexQuery.boolean_query([(Occur.Must, question), (Occur.MustNot, unwanted)])


def one_of(field: str, values: Sequence[Any]) -> IndexQuery:
    """A filter: the field has one of these values. It does not change the relevance.

    tantivy's own query for a set of terms uses an automaton, and takes ten times as long.
    """
    terms = [IndexQuery.term_query(schema(), field, value, "basic") for value in values]
    return IndexQuery.const_score_query(any_of(terms) or NOTHING, 0.0)


def with_fact(name: str, values: Iterable[str]) -> IndexQuery:
    """A filter: the fact has one of these values."""
    return one_of("fact", [fact_term(name, value) for value in values])


def _words(words: Words, searcher: tantivy.Searcher) -> IndexQuery | None:
    """Words side by side in a text. A character that is a word of its own cannot be the beginning of a word."""
    parts = tokens(words.text)
    if not parts:
        return None
    if words.prefix and not is_own_word(parts[-1][0]):
        row = [[word] for word in parts[:-1]]
        return any_of(phrase_queries(searcher, "text", [*row, [f"{parts[-1]}*"]]))
    if len(parts) == 1:
        return IndexQuery.term_query(schema(), "text", parts[0])
    return IndexQuery.phrase_query(schema(), "text", list(parts))


def _near(near: Near) -> IndexQuery:
    """Each word near the word that was typed next to it."""
    places = ["|".join(map(re.escape, words)) for words in near.words]
    rows = [any_of(_near_pair(first, second) for first, second in (pair, pair[::-1])) for pair in pairwise(places)]
    return all_of(*rows)


def _near_pair(first: str, second: str) -> IndexQuery:
    return IndexQuery.regex_phrase_query(schema(), "text", [f"({first})", f"({second})"], slop=NEAR_DISTANCE)


def _filter(only: FieldFilter, searcher: tantivy.Searcher) -> IndexQuery:
    name, value = only.name, only.value
    if isinstance(value, datetime):
        return _between([only])
    if isinstance(value, bool):
        return with_fact(name, ["yes" if value else "no"])
    if isinstance(value, Marked):
        return _marked(value)
    value = whole_name(value).replace("\0", "")
    match name:
        case "in":
            return one_of("kind", kind_numbers(PLACES[value]))
        case "file":
            return _file(value, searcher)
        case "kind":
            return with_fact(name, [value])
        case _ if name in KNOWN_VALUES:
            return with_fact(name, matching_values(searcher, name, value))
        case _:
            return with_fact(name, [fold(value)])


def _marked(marked: Marked) -> IndexQuery:
    """The passages of marked sessions and messages."""
    whole = [number for number, messages in marked.places.items() if messages is None]
    single = [
        all_of(one_of("session", [number]), any_of(_number("message", place) for place in sorted(messages)))
        for number, messages in marked.places.items()
        if messages
    ]
    return any_of([one_of("session", whole) if whole else None, *single]) or NOTHING


def _number(field: str, number: int) -> IndexQuery:
    """A filter: the field, which only ranges can be searched for, has this number."""
    return IndexQuery.range_query(
        schema(), field, tantivy.FieldType.Unsigned, lower_bound=number, upper_bound=number, include_upper=True
    )


def _is_time(node: Node) -> TypeGuard[FieldFilter]:
    return isinstance(node, FieldFilter) and isinstance(node.value, datetime)


def _between(times: Sequence[FieldFilter]) -> IndexQuery:
    """The range of time in which all of these filters match."""
    moments = [(only.name, microseconds(only.value)) for only in times if isinstance(only.value, datetime)]
    lowest = max((at for name, at in moments if name == "since"), default=None)
    highest, included = min(((at, name == "until") for name, at in moments if name != "since"), default=(None, True))
    return IndexQuery.range_query(
        schema(), "at", tantivy.FieldType.Integer, lower_bound=lowest, upper_bound=highest, include_upper=included
    )


def matching_values(searcher: tantivy.Searcher, name: str, typed: str) -> list[str]:
    """The values of a fact that match what was typed."""
    return [value for value in fact_values(searcher, name) if value_matches(name, typed, value)]


def value_matches(name: str, typed: str, value: str) -> bool:
    """Does a value of a fact match what was typed?"""
    if name != "project":
        return name_matches(typed, value, begins=name == "commit")
    if value.startswith("#"):
        return len(typed) >= _SHORTEST_HASH and value.startswith(f"#{typed.lower()}")
    return project_matches(typed, value)


def _file(typed: str, searcher: tantivy.Searcher) -> IndexQuery:
    """Paths that match what was typed."""
    return all_of(*(any_of(phrase_queries(searcher, "file", row)) for row in file_patterns(typed)))


def file_patterns(typed: str) -> list[list[list[str]]]:
    """The folders and names that a path must have in a row, in several rows; each is one of several patterns.

    The last may lack its extension: `file:main` also finds main.py.

    `**` stands for any folders: the parts before and after it must both occur. A beginning `.` or `..` is left out,
    because the agent's directory is not known.
    """
    parts = path_tokens(os.path.expanduser(typed))  # noqa: PTH111 (a path of another system stays as it is)
    rows = [list(row) for deep, row in groupby(parts, key=_NO_FOLDERS.__contains__) if not deep] or [["*"]]
    complete = parts[-1:] != [_ANY_FOLDERS] and not _GLOB.search(rows[-1][-1])
    patterns = [[[part] for part in row] for row in rows]
    patterns[-1][-1] += [f"{rows[-1][-1]}.*"] if complete else []
    return patterns
