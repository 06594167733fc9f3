"""A search while the words of some sessions are not in the index yet: these sessions are searched directly."""

from __future__ import annotations

import msgspec

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.search.direct.pending import PendingSearch
from pollux.index.search.query import Query
from pollux.index.search.results import SearchResult
from pollux.index.search.session_search import SearchRequest, find
from pollux.index.search.word_index import WordIndex
from pollux.index.sync.pending import PendingSessions
from pollux.system.progress import Report
from pollux.wire import display_path


def find_everywhere(  # noqa: PLR0913, PLR0917
    words: WordIndex,
    current: CatalogueQueries,
    query: Query,
    request: SearchRequest,
    pending: PendingSessions,
    report: Report,
) -> SearchResult:
    """The hits of the index and of the pending sessions. `report` hears how far the search of these is."""
    unfinished = {
        display_path(file): None
        for summary, _ in current.by_number(pending.changed).values()
        for file in summary.files[:1]
    }
    search = PendingSearch(
        pending.bundles,
        report=report,
        unfinished=lambda bundle: unfinished.update({display_path(bundle.files[0].path): None}),
    )
    result = find(words, current, query, request, search)
    return msgspec.structs.replace(result, pending=len(search.numbers), unfinished=tuple(unfinished))
