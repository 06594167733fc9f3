"""Names in a question that no session has, and those that were probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.near import closest
from pollux.store.query import Both, Either, Node, Not, Only
from pollux.store.questions import Questions, is_project

_COLUMNS = {
    "model": "SELECT DISTINCT model FROM quarters WHERE model != ''",
    "tool": "SELECT name FROM calls UNION SELECT canonical FROM calls",
}


def meant(current: Questions, project: str | None, nodes: Iterable[Node]) -> Iterator[str]:
    """What a project, and the projects, models and tools of a query, were probably meant to be: as one types it."""
    if project is not None and (close := _project(current, project)) is not None:
        yield f"--project {close}"
    for only in _filters(nodes):
        value = str(only.value)
        close = _project(current, value) if only.name == "project" else _other(current, only.name, value)
        if close is not None:
            yield f"{only.name}:{close}"


def _filters(nodes: Iterable[Node]) -> Iterator[Only]:
    for node in nodes:
        match node:
            case Only() if node.name in ("project", *_COLUMNS):
                yield node
            case Both() | Either():
                yield from _filters(node.nodes)
            case Not():
                yield from _filters([node.node])


def _project(current: Questions, asked: str) -> str | None:
    known = current.projects()
    if any(is_project(asked, one.path, digest) for one in known for digest in one.hashes or (None,)):
        return None
    paths = [one.path for one in known if one.path is not None]
    return closest(asked, paths if "/" in asked else [one.name for one in known])


def _other(current: Questions, name: str, asked: str) -> str | None:
    known = [value for (value,) in current.catalogue.rows(_COLUMNS[name])]
    if any(asked.casefold() in value.casefold() for value in known):
        return None
    return closest(asked, known)
