"""One search in all sessions: in the index, and directly in those whose words are not in it yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.search.marked import asks_for_marks
from pollux.index.search.query import Query
from pollux.index.search.results import Hit, SearchResult
from pollux.index.search.session_search import SearchRequest, direct_request, find, with_facts
from pollux.library.fresh_index import FreshIndex
from pollux.system.progress import Report
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.index.search.direct.examine import SessionMatches
    from pollux.index.search.direct.visit import SearchVisit
    from pollux.index.search.word_index import WordIndex
    from pollux.index.sync.pending import PendingSessions

Found = Callable[[Callable[[], list[Hit]]], None]
"""Hears of each session in which something is found, and may ask for its best messages. They are not ranked yet."""


class Searching:
    """Answers one query. `report` hears how far the direct search is, and `found` what it finds, as it finds it."""

    def __init__(
        self, index: FreshIndex, query: Query, request: SearchRequest, report: Report, found: Found | None = None
    ) -> None:
        self._index = index
        self._query = query
        self._request = request
        self._report = report
        self._found = found
        self._visit: SearchVisit | None = None

    def without_waiting(self) -> SearchResult:
        """The result. Words are not indexed first: what must be read is searched while it is read."""
        return self._index.ask(self._answer, frozen=False, visitor=self._visitor)

    def with_words(self) -> SearchResult:
        """The result. All words are indexed first, if that is possible now."""
        if self._index.pending():
            self._index.add_words()
        return self._index.ask(self._answer, frozen=False)

    def leaving_new_words(self) -> SearchResult:
        """The result. If much must be read, it is searched while it is read, and its words are left to the next search.

        That one indexes them first. So nobody waits for words at once, and nobody looks through all sessions twice.
        """
        self._index.ask(lambda _: None, visitor=self._visitor)
        return self.with_words() if self._visit is None else self.without_waiting()

    def _visitor(self) -> SearchVisit | None:
        """Searches what is read for the catalogue. Which sessions are marked is only known when they are in it."""
        if asks_for_marks(self._query.node):
            return None
        if self._visit is None:
            from pollux.index.search.direct.visit import SearchVisit  # only needed where much must be read

            with self._index.store.words() as words:
                wanted = direct_request(words, self._query, self._request)
            self._visit = SearchVisit(self._query, wanted, self._request.kinds, self._tell)
        self._visit.begin()
        return self._visit

    def _answer(self, current: CatalogueQueries) -> SearchResult:
        with self._index.store.words() as words:
            pending = self._index.pending_sessions(current)
            if pending is None:
                return find(words, current, self._query, self._request)
            return self._find_everywhere(words, current, pending)

    def _find_everywhere(self, words: WordIndex, current: CatalogueQueries, pending: PendingSessions) -> SearchResult:
        """The hits of the index and of the pending sessions."""
        from pollux.index.search.direct.pending import PendingSearch  # only needed where words are pending

        unfinished = {
            display_path(file): None
            for summary, _ in current.by_number(pending.changed).values()
            for file in summary.files[:1]
        }
        search = PendingSearch(
            pending.bundles,
            report=self._report,
            unfinished=lambda bundle: unfinished.update({display_path(bundle.files[0].path): None}),
            visit=self._visit,
            found=self._tell,
        )
        result = find(words, current, self._query, self._request, search)
        return msgspec.structs.replace(result, pending=len(search.numbers), unfinished=tuple(unfinished))

    def _tell(self, sessions: Sequence[SessionMatches]) -> None:
        if self._found is not None:
            for matches in sessions:
                self._found(partial(self._hits, matches))

    def _hits(self, matches: SessionMatches) -> list[Hit]:
        """The messages of a session with the facts that the catalogue has already."""
        shown = [hit.shown(matches.number) for hit in matches.hits if hit.snippet is not None]
        return [hit for hit in with_facts(shown, self._index.queries, ()) if hit is not None]
