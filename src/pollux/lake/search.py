"""Searches a lake: DuckDB finds the sessions that have the letters, and the same matcher as at home the messages.

It finds what a search at home finds that does not widen the query. Only texts of the wanted months, projects and agents
are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from pollux.errors import PolluxError, RequestError
from pollux.index.catalogue.prefixes import short_id
from pollux.index.catalogue.rollups import micros
from pollux.index.catalogue.values import Filter
from pollux.index.search.direct.examine import DirectRequest, Examiner, SessionMatches
from pollux.index.search.direct.pending import PendingMatches
from pollux.index.search.direct.prefilter import NUMBER
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.direct.ranking import Scale, total
from pollux.index.search.marked import asks_for_marks
from pollux.index.search.query import FieldFilter, Query
from pollux.index.search.results import Hit, IndexHit, SearchResult
from pollux.index.search.session_search import SearchRequest
from pollux.index.search.word_search import with_scattered
from pollux.lake.ask import BEGIN, MOMENT, Lake
from pollux.lake.delta import quoted
from pollux.lake.lists import LakeSessions
from pollux.model import Author, Message, Role, Session, summarize
from pollux.system.progress import Advance, Report

SIGNS = (
    (0x00, 0xA9),
    (0xAB, 0xAB),
    (0xB0, 0xB0),
    (0xB7, 0xB7),
    (0xBB, 0xBB),
    (0xD7, 0xD7),
    (0x2000, 0x206F),
    (0x20A0, 0x20CF),
    (0x2190, 0x245F),
    (0x2500, 0x2775),
    (0x2794, 0x2ADB),
    (0x3000, 0x3004),
    (0x1F300, 0x1FAFF),
)
"""Characters that are themselves in every word, or in none. Others may count as letters that they are not."""

_ODD = "[^" + "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in SIGNS) + "]"
_MESSAGE = "text, thinking, summary, context, array_to_string(files, chr(10)), array_to_string(attachments, ' '), other"
_CALL = "name, canonical, input, output"
_CHOSEN = "month IN (SELECT month FROM chosen) AND key IN (SELECT key FROM chosen)"


_NO_MESSAGE = Message(id="", role=Role.SYSTEM, author=Author.CLIENT, parts=())


class _Candidate(NamedTuple):
    """A session that may match."""

    key: str
    document: str
    person: str


def search(lake: Lake, query: Query, request: SearchRequest, report: Report = lambda _: None) -> SearchResult:
    """The messages that match a query. Raises `RequestError` where it asks for marks."""
    if asks_for_marks(query.node):
        raise RequestError("A lake has no marks.", "Leave out is: tag: note: and name:.")
    sessions = LakeSessions(lake)
    direct = DirectQuery(query, request.kinds)
    wanted = DirectRequest(limit=request.limit, sort=request.sort, per_session=request.per_session)
    examiner = Examiner(direct, wanted)
    found = _candidates(lake, query, examiner.literals)
    read = lru_cache(maxsize=8)(lambda number: sessions.read(found[number].document))
    advance = Advance([1] * len(found), report)
    matches: list[SessionMatches] = []
    unfinished: list[str] = []
    for number, one in enumerate(found):
        try:
            matches.append(examiner.examine(read(number), number))
        except PolluxError:
            unfinished.append(one.key)
        advance.done(number)
    scale = examiner.scale(total([one.statistics for one in matches]))
    present = [one for one in matches if one.count or one.hits]
    lookup = _Matches(examiner, present, scale, range(len(found)), read)
    hits = lookup.join([], request.sort, request.limit, request.per_session)
    if len(hits) < request.limit and direct.targets:
        hits = with_scattered(hits, lookup.join_scattered([], request.limit - len(hits)), request.sort)
    counts = lookup.counts({hit.session for hit in hits}) if request.counted else {}
    return SearchResult(
        hits=tuple(_hit(hit, read(hit.session), sessions, found[hit.session].person) for hit in hits),
        counts={found[number].key: count for number, count in counts.items()},
        hints=query.hints,
        unfinished=tuple(unfinished),
    )


class _Matches(PendingMatches):
    """What matches in the sessions of a lake, which are read again from their documents."""

    def __init__(
        self,
        examiner: Examiner,
        sessions: Sequence[SessionMatches],
        scale: Scale,
        numbers: Collection[int],
        read: Callable[[int], Session],
    ) -> None:
        super().__init__(examiner, sessions, scale, {}, numbers)
        self._read = read

    def _session(self, number: int) -> Session:
        return self._read(number)


def _hit(hit: IndexHit, session: Session, sessions: LakeSessions, person: str) -> Hit:
    """A hit with the facts about its message and its session. A title may be all that there is of a session."""
    summary = summarize(session)
    message = session.messages[hit.message] if hit.message < len(session.messages) else _NO_MESSAGE
    return Hit(
        key=session.key,
        short_id=sessions.short(session.id),
        message_id=message.id,
        short_message_id=short_id(message.id, [one.id for one in session.messages]),
        role=message.role,
        author=message.author,
        kind=hit.kind,
        at=hit.at,
        session_kind=session.kind,
        project=session.project,
        title=summary.title,
        snippet=hit.snippet,
        spans=hit.spans,
        score=hit.score,
        scattered=hit.scattered,
        person=person,
    )


def _candidates(lake: Lake, query: Query, literals: Sequence[Sequence[str]] | None) -> list[_Candidate]:
    """The sessions that may match, the newest first."""
    where, values = _narrowed(lake, query)
    choices = [[word for word in words if not NUMBER.fullmatch(word)] for words in literals or [[]]]
    among = "" if not all(choices) else f"WHERE key IN (SELECT key FROM found WHERE {_has_one(choices)})"
    statement = (
        f"WITH chosen AS (SELECT * FROM sessions WHERE {where}), "
        f"texts AS (SELECT key, lower(concat_ws(chr(10), {_MESSAGE})) AS words FROM messages WHERE {_CHOSEN} "
        f"UNION ALL SELECT key, lower(concat_ws(chr(10), {_CALL})) FROM tool_calls WHERE {_CHOSEN} "
        "UNION ALL SELECT key, lower(summary) FROM chosen), "
        f"found AS (SELECT key, {_has_each(choices)} FROM texts GROUP BY key) "
        f"SELECT key, object, person FROM chosen {among} ORDER BY {MOMENT} DESC NULLS LAST, key DESC"
    )
    return [_Candidate(*row) for row in lake.rows(statement, *values)]


def _has_each(choices: Sequence[Sequence[str]]) -> str:
    """Whether the texts of a session have each word, or letters that may count as others."""
    odd = f"bool_or(regexp_matches(words, {quoted(_ODD)})) AS odd"
    words = dict.fromkeys(word for words in choices for word in words)
    return ", ".join([odd, *(f"bool_or(contains(words, {quoted(word)})) AS {_named(word)}" for word in words)])


def _has_one(choices: Sequence[Sequence[str]]) -> str:
    """Whether a session has all words of one of these lists."""
    every = [" AND ".join(_named(word) for word in words) for words in choices]
    return f"odd OR ({') OR ('.join(every)})"


def _named(word: str) -> str:
    """The name of a column for a word."""
    return f'"has {word.replace(chr(34), chr(34) * 2)}"'


def _narrowed(lake: Lake, query: Query) -> tuple[str, list[Any]]:
    """The condition on sessions that the filters of a query state, as far as they tell of whole sessions.

    A session without a time stays: its messages may have one.
    """
    asked = {node.name: node.value for node in query.node.nodes if isinstance(node, FieldFilter)}
    agent, project = (value if isinstance(value := asked.get(name), str) else None for name in ("agent", "project"))
    where, values = lake.where(Filter(agent=agent, project=project, everything=True))
    for name, moment, sign in (("since", MOMENT, ">="), ("until", BEGIN, "<="), ("before", BEGIN, "<=")):
        if isinstance(at := asked.get(name), datetime):
            where += f" AND COALESCE({moment} {sign} ?, TRUE)"
            values.append(micros(at))
    return where, values
