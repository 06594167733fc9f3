"""Filters whose value nothing has, and which value may have been meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import tantivy

from pollux.folding import fold
from pollux.near import closest
from pollux.projects import words_of
from pollux.store.asking import KNOWN_VALUES, fitting, terms
from pollux.store.fields import path_tokens
from pollux.store.query import Both, Either, Node, Not, Only


def strangers(searcher: tantivy.Searcher, node: Node) -> Iterator[str]:
    """A sentence for each filter that cannot keep anything."""
    for only in _filters(node):
        if not isinstance(only.value, str):
            continue
        if only.name in KNOWN_VALUES and not fitting(searcher, only.name, only.value):
            yield stranger(only.name, only.value, _names(only.name, terms(searcher, only.name)))
        elif only.name == "file" and (unknown := _unknown(searcher, only.value)):
            names = (term for term, _ in searcher.terms_with_prefix("file", unknown[:1]))
            yield stranger(only.name, only.value, names, unknown)


def _filters(node: Node) -> Iterator[Only]:
    if isinstance(node, Only):
        yield node
    elif isinstance(node, Not):
        yield from _filters(node.node)
    elif isinstance(node, Both | Either):
        for each in node.nodes:
            yield from _filters(each)


def _names(name: str, known: Iterable[str]) -> list[str]:
    """What values are called: a project by its last folder."""
    if name != "project":
        return list(known)
    return [os.path.basename(path.rstrip("/\\")) for path in known if not path.startswith("#")]  # noqa: PTH119


def _unknown(searcher: tantivy.Searcher, path: str) -> str | None:
    """A folder or name of a path that no file has; None where there is none, or where a pattern stands."""
    if any(sign in path for sign in "*?"):
        return None
    found = path_tokens(os.path.expanduser(path))  # noqa: PTH111 (a path of another system stays as it is)
    *folders, last = [each for each in found if each not in (".", "..")] or [""]
    if last and not searcher.doc_freq("file", last) and not searcher.terms_with_prefix("file", f"{last}.", limit=1):
        return last
    return next((each for each in folders if not searcher.doc_freq("file", each)), None)


def stranger(name: str, value: str, known: Iterable[str], part: str | None = None) -> str:
    """A filter whose value, or a part of it, nothing has; and what may have been meant, of what is known."""
    asked = part or value
    names = list(known)
    folded = {fold(part): part for each in names for part in (*words_of(each), each)}
    near = closest(fold(asked), list(folded))
    if near is None:
        return f'No {name} fits {value!r}. To look for the text itself, put it in quotes: "{name}:{value}"'
    return f"No {name} fits {value!r}. Did you mean: {name}:{value.replace(asked, folded[near])}?"
