"""What the sessions of a list or a search can be narrowed down by, with counts."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pollux import registry
from pollux.errors import RequestError
from pollux.index.catalogue.facets import FACETS, Facets, facets
from pollux.index.catalogue.queries import CatalogueQueries, Filter
from pollux.library.fresh_index import FreshIndex
from pollux.text.suggest import did_you_mean
from pollux.usage.days import day_of


def facets_of(index: FreshIndex, text: str, criteria: Filter, names: Iterable[str]) -> Facets:
    """The facets of the sessions that a list has, or of those with a message that matches a query."""
    wanted = tuple(names)
    for name in wanted:
        if name not in FACETS:
            raise RequestError(f"{name!r} is no facet.", did_you_mean(name, FACETS, f"Known: {', '.join(FACETS)}."))
    if not text.strip():
        return index.ask(lambda current: facets(current, criteria, wanted, day_of(None)))
    return index.ask(lambda current: _of_search(index, current, text, criteria, wanted), frozen=False)


def _of_search(
    index: FreshIndex, current: CatalogueQueries, text: str, criteria: Filter, names: tuple[str, ...]
) -> Facets:
    from pollux.index.search.marked import resolve_marks
    from pollux.index.search.query import Sort, parse

    with index.store.words() as words:
        query = resolve_marks(parse(text, registry.source_names()), current)
        numbers = words.sessions(query)
        pending = index.pending_sessions(current)
        if pending is not None:
            from pollux.index.search.direct.examine import DirectRequest
            from pollux.index.search.direct.pending import PendingSearch

            search = PendingSearch(pending.bundles)
            request = DirectRequest(limit=1, sort=Sort.NEWEST, per_session=1, index=words.statistics(query))
            numbers = (numbers - search.numbers) | search.matches(query, request).matching
        everything = msgspec.structs.replace(criteria, everything=True)  # a search has sub-agents, too
        return facets(current, everything, names, day_of(None), numbers)
