"""The sessions that a session came from, and those that came from it."""

from __future__ import annotations

from typing import NamedTuple

from pollux.index.catalogue.queries import CatalogueQueries

_BACK = {
    "continues": "continued by",
    "forked_from": "fork",
    "handed_over_from": "handed over to",
    "subagent_of": "sub-agent",
    "copy_of": "copy",
}
_FORTH = {
    "continues": "continues",
    "forked_from": "forked from",
    "handed_over_from": "handed over from",
    "subagent_of": "parent",
    "copy_of": "copy of",
}
_FIRST = (
    *("parent", "sub-agent", "continues", "continued by"),
    *("forked from", "fork", "handed over from", "handed over to"),
)


class Relative(NamedTuple):
    """Another session, and what it is to this one, in words."""

    relation: str
    key: str


def relatives(queries: CatalogueQueries, key: str) -> list[Relative]:
    """Parent, sub-agents, forks, continuations and hand-overs of a session, as far as they are known."""
    id = key.partition(":")[2]
    here = f"s.key=? AND s.id=? AND +s.{queries.here}"
    found = [
        Relative("parent", parent)
        for (parent,) in queries.catalogue.rows(f"SELECT parent FROM sessions s WHERE {here}", key, id)
        if parent
    ]
    children = f"SELECT key FROM sessions s WHERE parent=? AND {queries.preferred} ORDER BY moment"
    found += [Relative("sub-agent", child) for (child,) in queries.catalogue.rows(children, key)]
    forth = f"SELECT l.kind, target FROM links l JOIN sessions s ON s.no=l.session WHERE {here}"
    found += [Relative(_FORTH.get(kind, kind), to) for kind, to in queries.catalogue.rows(forth, key, id)]
    back = f"SELECT l.kind, s.key FROM links l JOIN sessions s ON s.no=l.session WHERE target=? AND +s.{queries.here}"
    found += [Relative(_BACK.get(kind, kind), other) for kind, other in queries.catalogue.rows(back, key)]
    once = dict.fromkeys(one for one in found if one.key != key and queries.has(one.key))
    return sorted(once, key=lambda one: _FIRST.index(one.relation) if one.relation in _FIRST else len(_FIRST))
