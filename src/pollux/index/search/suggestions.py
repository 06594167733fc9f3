"""What was probably meant by a project, a filter or a value that nothing has. The only place that asks back.

`near` says which of two names are alike; here is what there is to compare.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tantivy

from pollux.index.catalog.queries import CatalogQueries, Filter, is_project
from pollux.index.search.compile import KNOWN_VALUES, fitting, terms
from pollux.index.search.fields import path_tokens
from pollux.index.search.query import FILTERS, Both, Either, Node, Not, Only, likely_filter
from pollux.model.names import is_called, words_of
from pollux.text.folding import fold
from pollux.text.suggest import closest


def in_list(current: CatalogQueries, asked: Filter) -> list[str]:
    """A sentence for each thing that a list was asked for and that no session has."""
    project = likely_project(current, asked.project) if asked.project is not None else None
    found = [f"Did you mean: --project {project}?"] if project is not None else []
    for name, value in asked.facts:
        known = list(current.values(name))
        if not any(is_called(value, one) for one in known):
            found.append(_unlike(name, value, _word(value, known)))
    return [*found, *(hint for word in asked.words if (hint := _as_filter(word)) is not None)]


def in_query(searcher: tantivy.Searcher, node: Node) -> Iterator[str]:
    """A sentence for each filter of a search that cannot keep anything."""
    for only in _filters(node):
        if not isinstance(only.value, str):
            continue
        if only.name in KNOWN_VALUES and not fitting(searcher, only.name, only.value):
            known = terms(searcher, only.name)
            look = _project if only.name == "project" else _word
            yield _unlike(only.name, only.value, look(only.value, known))
        elif only.name == "file" and (part := _unknown(searcher, only.value)):
            word = _word(part, (term for term, _ in searcher.terms_with_prefix("file", part[:1])))
            yield _unlike(only.name, only.value, only.value.replace(part, word) if word is not None else None)


def likely_project(current: CatalogQueries, asked: str) -> str | None:
    """The project that was probably meant; None where a session has the one asked for, or nothing is like it."""
    known = current.projects()
    if any(is_project(asked, one.path, digest) for one in known for digest in one.hashes or (None,)):
        return None
    return _project(asked, [one.path or one.name for one in known])


def _project(asked: str, paths: Iterable[str]) -> str | None:
    """By its last folder, for all paths begin alike; of several with that name the path that is most like the whole.

    Who typed a path is told a path, who typed a name a name.
    """
    named: dict[str, list[str]] = {}
    for path in paths:
        if not path.startswith("#"):  # a hash whose path nobody knows
            named.setdefault(_last_folder(path), []).append(path)
    near = _near(_last_folder(asked), named)
    if near is None:
        return None
    return closest(asked, named[near.name], alike=0) if _last_folder(asked) != asked else near.name


def _last_folder(path: str) -> str:
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or path


class _Near(NamedTuple):
    """A known name, and the word of it, or the whole, that is like what was asked for."""

    name: str
    word: str


def _near(asked: str, known: Iterable[str]) -> _Near | None:
    found: dict[str, _Near] = {}
    for name in known:
        for word in (name, *words_of(name)):
            found.setdefault(fold(word), _Near(name, word))
    near = closest(fold(asked), list(found))
    return found[near] if near is not None else None


def _word(asked: str, known: Iterable[str]) -> str | None:
    near = _near(asked, known)
    return near.word if near is not None else None


def _unlike(name: str, value: str, meant: str | None) -> str:
    """A filter whose value nothing has, and what may have been meant."""
    if meant is None:
        return f'No {name} fits {value!r}. To look for the text itself, put it in quotes: "{name}:{value}"'
    return f"No {name} fits {value!r}. Did you mean: {name}:{meant}?"


def _as_filter(word: str) -> str | None:
    """What was probably meant by a word of a list that looks like a filter and is none."""
    name, _, value = word.partition(":")
    if not name.isalpha() or not value or value.startswith((":", "//", "\\")):
        return None
    if name.lower() in FILTERS:
        return f"{name}: is a filter of pollux search."
    near = likely_filter(name)
    return f"{name}: is no filter. Did you mean: {near}:{value}?" if near is not None else None


def _filters(node: Node) -> Iterator[Only]:
    if isinstance(node, Only):
        yield node
    elif isinstance(node, Not):
        yield from _filters(node.node)
    elif isinstance(node, Both | Either):
        for each in node.nodes:
            yield from _filters(each)


def _unknown(searcher: tantivy.Searcher, path: str) -> str | None:
    """A folder or name of a path that no file has; None where there is none, or where a pattern stands."""
    if any(sign in path for sign in "*?"):
        return None
    found = path_tokens(os.path.expanduser(path))  # noqa: PTH111 (a path of another system stays as it is)
    *folders, last = [each for each in found if each not in (".", "..")] or [""]
    if last and not searcher.doc_freq("file", last) and not searcher.terms_with_prefix("file", f"{last}.", limit=1):
        return last
    return next((each for each in folders if not searcher.doc_freq("file", each)), None)
