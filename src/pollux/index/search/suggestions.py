"""Hints at the project, filter or value that was probably meant where nothing has the typed one.

`pollux.text.suggest` compares names; this module provides the known names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tantivy

from pollux.index.catalogue.conditions import is_project
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Filter
from pollux.index.search.compile import KNOWN_VALUES, matching_values, value_matches
from pollux.index.search.fact_terms import fact_values
from pollux.index.search.fields import path_tokens
from pollux.index.search.prepare.prepare_text import normalize_name
from pollux.index.search.query import ABOUT, FILTERS, And, FieldFilter, Node, Not, Or, likely_filter
from pollux.model.names import name_matches, project_name, words_of
from pollux.text.folding import fold
from pollux.text.suggest import closest


def list_hints(current: CatalogueQueries, criteria: Filter) -> list[str]:
    """A sentence for each criterion of a list that no session meets."""
    project = likely_project(current, criteria.project) if criteria.project is not None else None
    hints = [f"Did you mean: --project {project}?"] if project is not None else []
    for name, value in criteria.facts:
        known = list(current.values(name))
        if not any(name_matches(value, other) for other in known):
            hints.append(_no_such_value(name, value, _similar_word(value, known)))
    tags = (value for name, value in criteria.marks if name == "tag")
    hints += [hint for tag in tags if (hint := _tag_hint(current, tag)) is not None]
    return [*hints, *(hint for word in criteria.words if (hint := _filter_hint(word)) is not None)]


def query_hints(searcher: tantivy.Searcher, node: Node) -> Iterator[str]:
    """A sentence for each filter of a search whose value nothing has."""
    for only in _filters(node):
        if not isinstance(only.value, str):
            continue
        if only.name in KNOWN_VALUES and not matching_values(searcher, only.name, only.value):
            known = fact_values(searcher, only.name)
            look = _project if only.name == "project" else _similar_word
            yield _no_such_value(only.name, only.value, look(only.value, known))
        elif only.name == "file" and (part := _unknown_part(searcher, only.value)):
            word = _similar_word(part, (term for term, _ in searcher.terms_with_prefix("file", part[:1])))
            yield _no_such_value(only.name, only.value, only.value.replace(part, word) if word is not None else None)


def catalogue_hints(current: CatalogueQueries, node: Node) -> Iterator[str]:
    """As `query_hints`, for filters by facts of whole sessions: the catalogue knows these before the index does."""
    for only in _filters(node):
        if not isinstance(only.value, str) or only.name not in ("project", *ABOUT):
            continue
        known = _known_values(current, only.name)
        if not any(value_matches(only.name, only.value, value) for value in known):
            look = _project if only.name == "project" else _similar_word
            yield _no_such_value(only.name, only.value, look(only.value, known))


def mark_hints(current: CatalogueQueries, node: Node) -> Iterator[str]:
    """A sentence for each filter by a tag that nothing has."""
    for only in _filters(node):
        if only.name == "tag" and isinstance(only.value, str) and (hint := _tag_hint(current, only.value)) is not None:
            yield hint


def _tag_hint(current: CatalogueQueries, typed: str) -> str | None:
    if current.marked("tag", typed):
        return None
    return _no_such_value("tag", typed, closest(fold(typed), list(current.marks().tags())))


def _known_values(current: CatalogueQueries, name: str) -> list[str]:
    if name != "project":
        return [fold(normalize_name(value)) for value in current.values(name)]
    paths = [normalize_name(project.path) for project in current.projects() if project.path]
    return paths + [f"#{digest}" for project in current.projects() for digest in project.hashes]


def likely_project(current: CatalogueQueries, typed: str) -> str | None:
    """The project that was probably meant; None where the typed one exists, or none is similar."""
    known = current.projects()
    if any(is_project(typed, project.path, digest) for project in known for digest in project.hashes or (None,)):
        return None
    return _project(typed, [project.path or project.name for project in known])


def _project(typed: str, paths: Iterable[str]) -> str | None:
    """The most similar project, compared by its last folder, because all paths begin alike.

    The hint for a path is a path, the hint for a name is a name.
    """
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        if not path.startswith("#"):  # a hash without a known path
            by_folder.setdefault(project_name(path), []).append(path)
    similar = _similar_name(project_name(typed), by_folder)
    if similar is None:
        return None
    return closest(typed, by_folder[similar.name], alike=0) if project_name(typed) != typed else similar.name


class _SimilarName(NamedTuple):
    """A known name, and the word of it, or the whole name, that is similar."""

    name: str
    word: str


def _similar_name(typed: str, known: Iterable[str]) -> _SimilarName | None:
    by_word: dict[str, _SimilarName] = {}
    for name in known:
        for word in (name, *words_of(name)):
            by_word.setdefault(fold(word), _SimilarName(name, word))
    similar = closest(fold(typed), list(by_word))
    return by_word[similar] if similar is not None else None


def _similar_word(typed: str, known: Iterable[str]) -> str | None:
    similar = _similar_name(typed, known)
    return similar.word if similar is not None else None


def _no_such_value(name: str, value: str, meant: str | None) -> str:
    """A sentence about a filter value that nothing has, with the value that may have been meant."""
    if meant is None:
        return f'No {name} matches {value!r}. To search for the text itself, put it in quotes: "{name}:{value}"'
    return f"No {name} matches {value!r}. Did you mean: {name}:{meant}?"


def _filter_hint(word: str) -> str | None:
    """A hint for a word of a list that looks like a filter."""
    name, _, value = word.partition(":")
    if not name.isalpha() or not value or value.startswith((":", "//", "\\")):
        return None
    if name.lower() in FILTERS:
        return f"{name}: is a filter of pollux search."
    similar = likely_filter(name)
    return f"{name}: is not a filter. Did you mean: {similar}:{value}?" if similar is not None else None


def _filters(node: Node) -> Iterator[FieldFilter]:
    if isinstance(node, FieldFilter):
        yield node
    elif isinstance(node, Not):
        yield from _filters(node.node)
    elif isinstance(node, And | Or):
        for child in node.nodes:
            yield from _filters(child)


def _unknown_part(searcher: tantivy.Searcher, path: str) -> str | None:
    """A folder or name of a path that no file has; None where all exist, or the path is a pattern."""
    if any(sign in path for sign in "*?"):
        return None
    parts = path_tokens(os.path.expanduser(path))  # noqa: PTH111 (a path of another system stays as it is)
    *folders, last = [part for part in parts if part not in (".", "..")] or [""]
    if last and not searcher.doc_freq("file", last) and not searcher.terms_with_prefix("file", f"{last}.", limit=1):
        return last
    return next((part for part in folders if not searcher.doc_freq("file", part)), None)
