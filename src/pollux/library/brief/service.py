"""Briefs of sessions: of those that are named, or of those that match a query best."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import islice

from pollux.errors import RequestError
from pollux.index.search.results import Hit, SearchResult
from pollux.library.brief.asked import Asked, asked
from pollux.library.brief.dividing import divided
from pollux.library.brief.fit import line_cost
from pollux.library.brief.found import Match
from pollux.library.brief.layout import fence_lines, fenced, opening
from pollux.library.brief.one_session import About, Material
from pollux.library.brief.values import Brief, Searched, SessionBrief
from pollux.library.for_agents.service import ForAgents
from pollux.library.fresh_index import FreshIndex
from pollux.library.reader import SessionReader, cited
from pollux.marks.store import MarkStore
from pollux.model import Session, SessionMarks
from pollux.text.escape import one_line
from pollux.text.shell import shell_word
from pollux.transforms.redact import Redactor
from pollux.writers.native.tokens import of_text

TOKENS = 2_000
"""How many tokens a brief may take, if nobody says otherwise."""

_EACH = 5
"""How many messages of a session are shown because they match."""
_HITS = 500
"""How many messages a query may find: where there are more, there may be more sessions."""
_ALL = 100_000
"""The same, where sessions are named: others may match better."""
_FEWEST = 350
"""Tokens: with fewer for each, fewer sessions are told of."""
_MORE = 500
"""How many tokens more than the least a hint suggests."""


class BriefService:
    """Makes briefs. `search` is that of the library."""

    def __init__(
        self,
        index: FreshIndex,
        reader: SessionReader,
        marks: MarkStore,
        for_agents: ForAgents,
        search: Callable[..., SearchResult],
    ) -> None:
        self._index = index
        self._reader = reader
        self._marks = marks
        self._for_agents = for_agents
        self._search = search

    def asked(self, words: Sequence[str]) -> Asked:
        """What the words of a request mean: names of sessions, if all of them are; else a query."""
        return asked(words, self._reader.find)

    def of(self, session: Session, *, tokens: int = TOKENS, redactor: Redactor | None = None) -> Brief:
        """The brief of one session as it is. Raises `RequestError` where not even its head has room."""
        return _brief([Material(session, self._about(session), redactor)], tokens, redactor)

    def make(
        self, request: Asked, *, tokens: int = TOKENS, redactor: Redactor | None = None, private: bool = False
    ) -> Brief:
        """The brief that is asked for. What is private is left out, except with `private`.

        Raises `RequestError` where a named session is private, or where there are too few tokens; `NotFound` where
        nothing matches.
        """
        sessions = self._named(request.names, private=private)
        if request.query is None:
            materials = [
                Material(session, self._about(session, matches), redactor) for session, matches in sessions.values()
            ]
            return _brief(materials, tokens, redactor)
        return self._of_query(request, sessions, tokens, redactor, private=private)

    # ------------------------------------------------------------------ by name

    def _named(self, names: Sequence[str], *, private: bool) -> dict[str, tuple[Session, tuple[Match, ...]]]:
        """The sessions that are named, each once, with the messages that are named."""
        found: dict[str, tuple[Session, tuple[Match, ...]]] = {}
        for name in names:
            session, message = cited(name, self._reader.session)
            if not private:
                session = self._permitted(session)
            old = found[session.key][1] if session.key in found else ()
            named = (
                place for place, one in enumerate(session.messages) if message is not None and one.id == message.id
            )
            new = (Match(place=place, words=()) for place in islice(named, 1))
            found[session.key] = (session, tuple(dict.fromkeys((*old, *new))))
        return found

    def _permitted(self, session: Session) -> Session:
        """A session without its private messages. Raises `RequestError` where all of it is private."""
        if session.key in self._for_agents.hidden().keys:
            raise RequestError(
                f"{shell_word(session.key)} is private: a brief is made for agents.", "Add --private to have it anyway."
            )
        return self._for_agents.without_private(session)

    def _about(self, session: Session, matches: tuple[Match, ...] = (), matching: int | None = None) -> About:
        """What the library knows about a session."""
        known = bool(self._index.find_known(session.key))
        short = self._index.ask(lambda current: current.short(session.id)) if known else session.id
        heirs = self._index.ask(lambda current: current.heirs(session.key)) if known else []
        if heirs:
            hidden = self._for_agents.hidden().keys
            heirs = [heir for heir in heirs if heir not in hidden]
        return About(
            name=f"{session.agent}:{short}",
            marks=self._marks.state().of(session.key) or SessionMarks(),
            heirs=tuple(heirs),
            matches=matches,
            matching=matching,
        )

    # ------------------------------------------------------------------ by a query

    def _of_query(
        self,
        request: Asked,
        named: dict[str, tuple[Session, tuple[Match, ...]]],
        tokens: int,
        redactor: Redactor | None,
        *,
        private: bool,
    ) -> Brief:
        query = request.query or ""
        result = self._search(query, limit=_ALL if named else _HITS, per_session=_EACH, counted=True)
        hits = self._hits(result, named, private=private)
        materials: list[Material] = []
        for key, own in hits.items():
            if len(materials) < max(1, tokens // _FEWEST):
                whole = self._reader.session(key) if key not in named else named[key][0]
                session = whole if private or key in named else self._for_agents.without_private(whole)
                count = result.counts.get(key) if len(session.messages) == len(whole.messages) else None
                if matches := _matches(session, own):
                    materials.append(Material(session, self._about(session, matches, count), redactor))
        if not materials:
            sentence = f"Nothing in {'these sessions' if named else 'any session'} matches {one_line(query, 100)!r}."
            raise self._index.absence()(sentence, _other(request, result))
        searched = Searched(
            query=query,
            matched=len(hits),
            more=not named and len(result.hits) >= _HITS,
            widened=result.widened,
            hints=result.hints,
            unfinished=result.unfinished,
        )
        return _brief(materials, tokens, redactor, searched)

    def _hits(self, result: SearchResult, named: Collection[str], *, private: bool) -> dict[str, list[Hit]]:
        """The hits by their sessions, the best first: of those that are named, or of all, but not what is private."""
        hidden = frozenset[str]() if private else self._for_agents.hidden().keys
        hits: dict[str, list[Hit]] = {}
        for hit in result.hits:
            if hit.key not in hidden and (not named or hit.key in named):
                hits.setdefault(hit.key, []).append(hit)
        return hits


def _matches(session: Session, hits: Sequence[Hit]) -> tuple[Match, ...]:
    """The messages of hits that the session has, with the words that match, the best first."""
    places = {message.id: place for place, message in reversed(list(enumerate(session.messages)))}
    words = {hit.message_id: tuple(dict.fromkeys(hit.snippet[begin:end] for begin, end in hit.spans)) for hit in hits}
    return tuple(Match(place=places[id], words=found) for id, found in words.items() if id in places)


def _other(request: Asked, result: SearchResult) -> str:
    """What may have been meant."""
    if request.among:
        name = shell_word(request.among[0])
        return f"{name} names a session. To search only that: pollux brief --session {name} --query QUERY"
    return "\n".join(result.hints) or "Try fewer words, or a beginning: word*"


def _brief(
    materials: Sequence[Material], tokens: int, redactor: Redactor | None, search: Searched | None = None
) -> Brief:
    """All these sessions in one text, the most relevant first. Of those that match a query, some may have no room."""
    least = [material.brief(0).tokens for material in materials]
    chosen = list(materials)
    while (room := tokens - _frame(len(chosen), search) - sum(least[: len(chosen)])) < 0:
        if search is None or len(chosen) <= 1:
            raise RequestError(
                f"{tokens:,} tokens are too few for this brief: it takes at least {tokens - room:,}.",
                f"Try: --tokens {tokens - room + _MORE}",
            )
        chosen.pop()
    sessions = _within(room, chosen, least, by_rank=search is not None)
    lines: list[str] = []
    for material, session in zip(chosen, sessions, strict=True):
        lines += [*([""] if lines else []), *material.lines(session)]
    text = fenced(lines, opening(len(chosen), search))
    return Brief(
        text=text,
        body="\n".join(lines),
        tokens=of_text(text),
        limit=tokens,
        sessions=tuple(sessions),
        search=search,
        redacted=redactor.count if redactor is not None else None,
    )


def _frame(sessions: int, search: Searched | None) -> int:
    """The tokens of what stands around and between the sessions."""
    return sum(line_cost(line) for line in (*opening(sessions, search), *fence_lines(), *[""] * (sessions - 1)))


def _within(room: int, materials: Sequence[Material], least: Sequence[int], *, by_rank: bool) -> list[SessionBrief]:
    """A brief of each session. They share the room equally, or the first ones get more of it."""
    wholes = [material.brief(room + own) for material, own in zip(materials, least, strict=False)]
    needs = [whole.tokens - own for whole, own in zip(wholes, least, strict=False)]
    weights = [1 / (number + 1) if by_rank else 1.0 for number in range(len(materials))]
    return [
        whole if share >= need else material.brief(own + share)
        for material, whole, need, own, share in zip(
            materials, wholes, needs, least, divided(room, needs, weights), strict=False
        )
    ]
