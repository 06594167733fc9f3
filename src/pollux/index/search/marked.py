"""Filters by marks: what they find is looked up when a search begins, because marks are not in the index."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.search.query import And, FieldFilter, Marked, Node, Not, Or, Query
from pollux.marks.store import MARK_FILTERS


def resolve_marks(query: Query, current: CatalogueQueries) -> Query:
    """The query with the sessions and messages that its filters by marks find."""
    return msgspec.structs.replace(query, node=And(nodes=_all(query.node.nodes, current)))


def asks_for_marks(node: Node) -> bool:
    """Does a query have a filter by marks?"""
    match node:
        case FieldFilter():
            return node.name in MARK_FILTERS
        case Not():
            return asks_for_marks(node.node)
        case And() | Or():
            return any(map(asks_for_marks, node.nodes))
        case _:
            return False


def _all(nodes: Iterable[Node], current: CatalogueQueries) -> tuple[Node, ...]:
    return tuple(_resolved(node, current) for node in nodes)


def _resolved(node: Node, current: CatalogueQueries) -> Node:
    match node:
        case FieldFilter(name=name, value=str(value)) if name in MARK_FILTERS:
            return FieldFilter(name=name, value=Marked(places=current.marked_places(name, value)))
        case Not():
            return Not(node=_resolved(node.node, current))
        case And():
            return And(nodes=_all(node.nodes, current))
        case Or():
            return Or(nodes=_all(node.nodes, current))
        case _:
            return node
