"""Searches for agents: the project of the one who asks comes first, nothing private is found, no secret is shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pollux import registry
from pollux.index.catalogue.private import Hidden
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.states import known_states
from pollux.index.search.passages import PassageKind, passage_texts
from pollux.index.search.query import PLACES, And, FieldFilter, Marked, Node, Not, Or, Query, parse
from pollux.index.search.results import Hit, SearchResult
from pollux.index.search.session_search import SearchRequest
from pollux.index.search.snippets import Needle, Snippet, needles, snippet
from pollux.library.for_agents.loosen import Looser, looser
from pollux.library.fresh_index import FreshIndex
from pollux.library.searching import Searching
from pollux.model import Fate, Session
from pollux.model.names import project_matches

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.transforms.redact import Redactor

SAID = (PassageKind.TITLE, PassageKind.PROMPT, PassageKind.SUMMARY, PassageKind.REPLY)
"""What a human or a model said."""

_ABOUT_CALLS = ("tool", "file", "failed", "exit")
"""Filters that only tool calls and files can match."""

EACH = 3
"""At most so many hits of one session are given."""

WIDTH = 280


class AgentRequest(NamedTuple):
    """A search of an agent.

    `here` is the project that comes first, `within` the only session that is searched, `kinds` what is searched if the
    query does not say so itself. The hits number `skip` to `skip + limit` are given. With `waits`, words are
    indexed first, because no other process does so later.
    """

    text: str
    here: str | None = None
    within: str | None = None
    kinds: Collection[PassageKind] = SAID
    skip: int = 0
    limit: int = 10
    waits: bool = False


class AgentHits(NamedTuple):
    """The hits that an agent gets.

    `more`: there are more hits. `looser`: nothing has all words, so less was searched for. `counts` says how many
    messages of each session match, `sessions_here` and `sessions_elsewhere` how many sessions match; None while some
    words are not indexed. `fates` has those of messages that are not live, and `states` those of all sessions.
    """

    hits: Sequence[Hit]
    more: bool
    counts: Mapping[str, int]
    result: SearchResult
    looser: Looser | None = None
    sessions_here: int | None = None
    sessions_elsewhere: int | None = None
    fates: Mapping[tuple[str, str], Fate] = {}
    states: Mapping[str, str] = {}


class AgentSearch:
    """Answers one search. `read` reads a session by its key, if its words are not in the index yet."""

    def __init__(
        self,
        index: FreshIndex,
        private: Hidden,
        request: AgentRequest,
        redactor: Redactor | None,
        read: Callable[[str], Session],
    ) -> None:
        self._index = index
        self._private = private
        self._request = request
        self._redactor = redactor
        self._read = read
        query = parse(request.text, registry.source_names())
        self._kinds = None if _names_kinds(query.node) else request.kinds
        self._query = _and(query, *self._limits())
        self._counted = self._query
        self._targets = needles(query.node)

    def _limits(self) -> list[Node]:
        """What the query of every search is narrowed by."""
        limits: list[Node] = []
        if self._private.places:
            limits.append(Not(node=FieldFilter(name="is", value=Marked(places=self._private.places))))
        if self._private.partly:  # the title may come from a private message
            partly = Marked(places=dict.fromkeys(self._private.partly.values()))
            titles = FieldFilter(name="in", value="titles")
            limits.append(Not(node=And(nodes=(titles, FieldFilter(name="is", value=partly)))))
        if self._request.within is not None:
            key = self._request.within
            number = self._index.ask(lambda current: current.number(key))
            limits.append(FieldFilter(name="is", value=Marked(places={number: None} if number is not None else {})))
        return limits

    def find(self) -> AgentHits:
        """The hits: first those of the project, then all others.

        Where nothing has all words, those of a question are left out, then other forms and spellings are tried, then
        fewer words.
        """
        here = self._request.here
        if found := self._find(self._query, here):
            return found
        fewer = list(looser(self._query.node))
        if fewer and (found := self._find(_with(self._query, fewer[0].node), here)):
            return found._replace(looser=fewer[0])
        similar = self._found([self._search(self._query, self._wanted, exact=False)])
        if similar.hits:
            return similar
        for one in fewer[1:]:
            found = self._find(_with(self._query, one.node), None)  # the best come first, wherever they are
            if found is not None:
                return found._replace(looser=one)
        return similar

    def _find(self, query: Query, first: str | None) -> AgentHits | None:
        """The hits of a query, those of a project first; None where there are none."""
        self._counted = query
        here = FieldFilter(name="project", value=first) if first is not None else None
        results = [self._search(_and(query, here), self._wanted)] if here is not None else []
        left = self._wanted - sum(len(result.hits) for result in results)
        if left > 0:
            results.append(self._search(query if here is None else _and(query, Not(node=here)), left))
        return self._found(results) if any(result.hits for result in results) else None

    @property
    def _wanted(self) -> int:
        return self._request.skip + self._request.limit + 1

    def _found(self, results: list[SearchResult]) -> AgentHits:
        if self._private.is_private:  # a suggestion may come from a private session
            results = [msgspec.structs.replace(result, hints=(), meant=()) for result in results]
        hits = [
            msgspec.structs.replace(hit, title=None) if hit.key in self._private.partly else hit
            for result in results
            for hit in result.hits
            if hit.key not in self._private.keys
        ]
        shown = hits[self._request.skip : self._wanted - 1]
        counts = {key: count for result in results for key, count in result.counts.items()}
        found = AgentHits(hits=shown, more=len(hits) >= self._wanted, counts=counts, result=results[-1])
        if any(result.pending for result in results):
            return self._read_again(found)
        near, far = (None, None) if results[-1].widened else self._index.ask(self._count, frozen=False)
        fates, states = self._index.ask(lambda current: self._facts(current, shown), frozen=False)
        return found._replace(sessions_here=near, sessions_elsewhere=far, fates=fates, states=states)

    def _search(self, query: Query, limit: int, *, exact: bool = True) -> SearchResult:
        each = None if self._request.within is not None else EACH
        request = SearchRequest(
            limit=limit, per_session=each, kinds=self._kinds, counted=True, exact=exact, show=self._show
        )
        search = Searching(self._index, query, request, lambda _: None)
        return search.with_words() if self._request.waits else search.without_waiting()

    def _show(self, text: str, targets: Sequence[Needle]) -> Snippet:
        """The best line of a passage. Its secrets are taken out first: a half of one could not be recognised."""
        return snippet(self._redactor.text(text) if self._redactor is not None else text, targets, WIDTH)

    def _count(self, current: CatalogueQueries) -> tuple[int, int]:
        """How many sessions match: in the project, and elsewhere."""
        with self._index.store.words() as words:
            numbers = words.sessions(self._counted, self._kinds)
        counts, here = current.count_by_project(numbers), self._request.here
        near = sum(count for path, count in counts.items() if here is not None and project_matches(here, path))
        return near, sum(counts.values()) - near

    def _facts(
        self, current: CatalogueQueries, hits: Sequence[Hit]
    ) -> tuple[dict[tuple[str, str], Fate], dict[str, str]]:
        keys = list(dict.fromkeys(hit.key for hit in hits))
        numbers = {number: key for key in keys if (number := current.number(key)) is not None}
        ids = {key: index.ids for key in keys if (index := current.message_index(key)) is not None}
        with self._index.store.words() as words:
            places = words.fates(list(numbers))
        fates = {
            (key, ids[key][place]): fate
            for (number, place), fate in places.items()
            if place < len(ids.get(key := numbers[number], ()))
        }
        return fates, known_states(current, keys)

    def _read_again(self, found: AgentHits) -> AgentHits:
        """The hits of sessions whose words are not all indexed: their texts come from the sessions themselves."""
        sessions = {key: self._read(key) for key in dict.fromkeys(hit.key for hit in found.hits)}
        by_id = {(key, message.id): message for key, session in sessions.items() for message in session.messages}
        shown: list[Hit] = []
        for hit in found.hits:
            message = by_id.get((hit.key, hit.message_id))
            pieces = passage_texts(message) if message is not None else ()
            title = sessions[hit.key].title or ""
            line = self._show(next((text for piece, text in pieces if piece.kind is hit.kind), title), self._targets)
            shown.append(msgspec.structs.replace(hit, snippet=line.text, spans=line.spans))
        fates = {place: message.fate for place, message in by_id.items() if message.fate is not Fate.LIVE}
        states = self._index.ask(lambda current: known_states(current, sessions))
        return found._replace(hits=shown, fates=fates, states=states)


def _and(query: Query, *nodes: Node) -> Query:
    return _with(query, And(nodes=(*query.node.nodes, *nodes)))


def _with(query: Query, node: And) -> Query:
    return msgspec.structs.replace(query, node=node)


def _names_kinds(node: Node) -> bool:
    """Does a query say itself which kind of text it is about?"""
    match node:
        case FieldFilter():
            return node.name in ("in", *_ABOUT_CALLS)
        case Not():
            return False
        case And() | Or():
            return any(map(_names_kinds, node.nodes))
        case _:
            return False


_ON_REQUEST = {
    "results": (*PLACES["tools"], *PLACES["files"]),
    "thinking": PLACES["thinking"],
    "context": (*PLACES["context"], PassageKind.OTHER),
}
"""What is searched besides what was said, by the word that asks for it."""


def kinds_with(extra: Collection[str]) -> tuple[PassageKind, ...]:
    """The kinds of passages that are searched, with those asked for by these words."""
    return (*SAID, *(kind for word in extra for kind in _ON_REQUEST[word]))
