"""Searches a session itself, where its words are not in the index yet. It finds the same as the index.

The result is small, because it goes from one process to another: of a session it has the best messages, how many match,
and what the ranking needs to know. Texts are shown only where a message may be among the best of all sessions; a later
look at its session shows the others.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

import msgspec

from pollux.index.search.direct_filters import PassageFacts
from pollux.index.search.direct_query import Candidate, DirectQuery, Scattered
from pollux.index.search.direct_ranking import IndexStatistics, Scale, Statistics, make_scale, make_single_scale
from pollux.index.search.fields import EPOCH, KINDS, factor, kind_numbers, microseconds
from pollux.index.search.passages import Facts, PassageKind, models_of, passage_texts, title_of
from pollux.index.search.prepare_text import well_formed
from pollux.index.search.query import Sort
from pollux.index.search.quick_look import Letters
from pollux.index.search.results import Span
from pollux.index.search.snippets import Needle, Snippet, snippet
from pollux.index.search.word_count import CountedText
from pollux.model import Session

TITLE = -1
"""The place of a title, before all passages of its message."""

_MEASURED = 61
"""Every so many passages one is measured, besides those that match."""

_MARGIN = 0.5
"""Averages are not known before the end, so a relevance is a guess. A text is shown if this much of it suffices."""

_AVERAGES = (0.25, 1.0, 4.0)
"""How far the average length may be from the guess: the best messages for each of these are kept."""


class DirectHit(msgspec.Struct, array_like=True, frozen=True):
    """A message that matches, with its best passage: its place in the message, and what its relevance depends on.

    `at` counts microseconds. `snippet` is None where the text was not shown.
    """

    message: int
    place: int
    kind: int
    at: int | None
    factor: float
    length: int
    frequencies: list[int]
    constant: float = 0.0
    snippet: str | None = None
    spans: list[Span] = []

    @property
    def moment(self) -> datetime | None:
        """When it was written."""
        return None if self.at is None else EPOCH + timedelta(microseconds=self.at)

    @property
    def passage_kind(self) -> PassageKind:
        """The kind of its passage."""
        return KINDS[self.kind]


class SessionMatches(msgspec.Struct, array_like=True, frozen=True):
    """The best messages of a session that match, and how many match at all.

    `scattered`: no message matches everything, but several do so together; the best of the hits stands for them.
    """

    number: int
    hits: list[DirectHit]
    count: int
    scattered: bool
    statistics: Statistics


class DirectRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How many hits are wanted, in which order, at most how many of a session, and what the index counted."""

    limit: int = 20
    sort: Sort = Sort.RELEVANCE
    per_session: int | None = None
    index: IndexStatistics = IndexStatistics()


class _Match(NamedTuple):
    """A matching passage. `length` is a rough one."""

    message: int
    place: int
    facts: PassageFacts
    factor: float
    length: int
    frequencies: list[int]
    constant: float = 0.0


class Examiner:
    """Compares sessions with a query, one after the other. It remembers what it counted, and how good the best are."""

    def __init__(self, query: DirectQuery, request: DirectRequest) -> None:
        self.query = query
        self._request = request
        self._newest = request.sort is Sort.NEWEST or not query.targets
        self._each = request.limit if request.per_session is None else min(request.limit, request.per_session)
        self._terms = query.terms() if len(query.slots) > 1 else []
        self._counted = Statistics()
        self._best: list[float] = []
        self._term_leaves = [
            (query.leaves.setdefault(needle, len(query.leaves)), needle)
            for needle in (Needle((term,), prefix=False) for term in self._terms)
        ]
        self.literals = query.literals()

    def examine(self, session: Session, number: int, *, surely: bool = False) -> SessionMatches:
        """The matches in a session. `surely`: it is already known that the session has the words."""
        facts = Facts.of(session)
        truths = self.query.session_truths(facts)
        if not self.query.may_match_session(facts, truths):
            return SessionMatches(number, [], 0, scattered=False, statistics=Statistics())
        if not surely and self.literals is not None and not has_words((letters := Letters(session)).has, self.literals):
            statistics = self.skipped(letters.has, letters.passages, letters.characters)
            return SessionMatches(number, [], 0, scattered=False, statistics=statistics)
        look = _Look(self.query, self._term_leaves)
        for candidate in candidates(session, truths):
            look.compare(candidate)
        look.statistics.around = [look.statistics.passages if count else 0 for count in look.statistics.frequencies]
        self._counted.add(look.statistics)
        scale = self.scale(self._counted)
        scattered = not look.matches and look.is_scattered()
        hits = self._hits(session, look.scattered if scattered else look.matches, 1 if scattered else self._each, scale)
        count = len({match.message for match in look.matches})
        return SessionMatches(number, hits, count, scattered, look.statistics)

    def skipped(self, has: Callable[[str], bool], passages: int, characters: int) -> Statistics:
        """What is known about a session that cannot match: which letters it has, and how much there is."""
        skipped = [passages if has(term) else 0 for term in self._terms]
        return Statistics(passages=passages, characters=characters, skipped=skipped)

    def scale(self, counted: Statistics) -> Scale:
        """The scale for what was counted."""
        terms, slots, index = self.query.terms(), self.query.slots, self._request.index
        if len(slots) == 1:
            return make_single_scale(slots[0], terms, counted, index)
        return make_scale(slots, terms, counted, index)

    def _hits(self, session: Session, matches: Sequence[_Match], most: int, scale: Scale) -> list[DirectHit]:
        """The best messages of a session, at most so many for each average length."""
        by_message: dict[int, list[_Match]] = {}
        for match in matches:
            by_message.setdefault(match.message, []).append(match)
        if len(by_message) > most:
            by_message = {message: by_message[message] for message in self._best_messages(by_message, most, scale)}
        hits = [self._hit(session, group, scale) for group in by_message.values()]
        hits.sort(key=lambda hit: self._rank(hit, scale), reverse=True)
        return [self._with_snippet(session, hit, scale) for hit in hits]

    def _best_messages(self, by_message: dict[int, list[_Match]], most: int, scale: Scale) -> list[int]:
        if self._newest:
            return heapq.nlargest(most, by_message, key=lambda message: _time(by_message[message][0]))
        chosen: dict[int, None] = {}
        for other in map(scale.with_average, _AVERAGES):
            scores = {message: max(_score(match, other) for match in group) for message, group in by_message.items()}
            chosen |= dict.fromkeys(heapq.nlargest(most, scores, key=scores.__getitem__))
        return sorted(chosen)

    def _hit(self, session: Session, group: Sequence[_Match], scale: Scale) -> DirectHit:
        """The hit for a message: its best passage, by exact lengths."""
        exact = [match._replace(length=_text_at(session, match).length) for match in group] if len(group) > 1 else group
        best = exact[0] if self._newest else max(exact, key=lambda match: _score(match, scale))
        at = None if best.facts.at is None else microseconds(best.facts.at)
        length = best.length if len(group) > 1 else _text_at(session, best).length
        kind = kind_numbers([best.facts.kind])[0]
        return DirectHit(best.message, best.place, kind, at, best.factor, length, best.frequencies, best.constant)

    def _rank(self, hit: DirectHit, scale: Scale) -> float:
        if self._newest:
            return 0.0 if hit.at is None else float(hit.at)
        return scale.score(hit.frequencies, hit.length, hit.factor, hit.constant)

    def _with_snippet(self, session: Session, hit: DirectHit, scale: Scale) -> DirectHit:
        """The hit with its text, if it may be among the best of all."""
        rank = self._rank(hit, scale)
        if len(self._best) < self._request.limit:
            heapq.heappush(self._best, rank)
        elif rank * (1.0 if self._newest else 1.0 / _MARGIN) < self._best[0]:
            return hit
        else:
            heapq.heappushpop(self._best, rank)
        line = show(self.query, session, hit.message, hit.place)
        return msgspec.structs.replace(hit, snippet=line.text, spans=list(line.spans))


def has_words(has: Callable[[str], bool], choices: Sequence[Sequence[str]]) -> bool:
    """Has a session the letters of all words of one of these lists?"""
    return any(all(map(has, words)) for words in choices)


class _Look:
    """Compares the passages of one session, and collects what matches."""

    def __init__(self, query: DirectQuery, term_leaves: Sequence[tuple[int, Needle]]) -> None:
        self._query = query
        self._terms = term_leaves
        self.statistics = Statistics(frequencies=[0] * len(term_leaves))
        self.matches: list[_Match] = []
        self.scattered: list[_Match] = []
        self._present: set[int] = set()
        self._unwanted = False

    def compare(self, passage: Candidate) -> None:
        """Compare a passage with the query."""
        query, counted = self._query, self.statistics
        counted.passages += 1
        counted.characters += len(passage.text.text)
        if counted.passages % _MEASURED == 1:
            self._measure(passage.text)
        for number, (leaf, needle) in enumerate(self._terms):
            counted.frequencies[number] += passage.count(leaf, needle) > 0
        parts = query.scattered
        if parts is not None and any(node.matches(passage) for node in parts.unwanted):
            self._unwanted = True
        if query.root is None or (query.kinds is not None and passage.facts.kind not in query.kinds):
            return
        if query.root.matches(passage):
            frequencies = [0] * len(query.slots)
            query.root.add(passage, frequencies)
            self.matches.append(_match(passage, frequencies))
        elif parts is not None and not self.matches and not self._unwanted:
            self._compare_parts(passage, parts)

    def _compare_parts(self, passage: Candidate, parts: Scattered) -> None:
        """Compare a passage with the parts of the query that may match in different passages."""
        wanted = [number for number, node in enumerate(parts.wanted) if node.matches(passage)]
        if not wanted or not all(node.matches(passage) for node in parts.where):
            return
        self._present.update(wanted)
        frequencies = [0] * len(self._query.slots)
        for number in wanted:
            parts.wanted[number].add(passage, frequencies)
        self.scattered.append(_match(passage, frequencies, parts.constant * len(wanted)))

    def is_scattered(self) -> bool:
        """Do several passages match everything together?"""
        parts = self._query.scattered
        return parts is not None and not self._unwanted and len(self._present) == len(parts.wanted)

    def _measure(self, text: CountedText) -> None:
        self.statistics.length += text.length
        self.statistics.measured += len(text.text)


def candidates(session: Session, truths: Sequence[bool]) -> Iterator[Candidate]:
    """All passages of a session."""
    at = session.started
    models = models_of(session.messages)
    if (title := title_of(session)) is not None:
        number, text = title
        facts = PassageFacts(PassageKind.TITLE, session.ended or at, models[number] if models else None)
        yield Candidate((number, TITLE), facts, text, truths)
    for number, (message, model) in enumerate(zip(session.messages, models, strict=True)):
        at = message.at or at
        for place, (piece, text) in enumerate(passage_texts(message)):
            yield Candidate((number, place), PassageFacts(piece.kind, at, model, message, piece), text, truths)


def show(query: DirectQuery, session: Session, message: int, place: int) -> Snippet:
    """The line of a passage that shows best why it matches."""
    return snippet(well_formed(_text(session, message, place)), query.targets)


def _text(session: Session, message: int, place: int) -> str:
    if place != TITLE:
        return next(islice(passage_texts(session.messages[message]), place, None))[1]
    title = title_of(session)
    return title[1] if title is not None else ""


def _text_at(session: Session, match: _Match) -> CountedText:
    return CountedText(_text(session, match.message, match.place))


def _match(passage: Candidate, frequencies: list[int], constant: float = 0.0) -> _Match:
    (message, place), facts = passage.where, passage.facts
    copied = facts.message is not None and facts.message.inherited
    weight = factor(facts.kind, facts.at, copied=copied)
    return _Match(message, place, facts, weight, passage.text.rough_length, frequencies, constant)


def _score(match: _Match, scale: Scale) -> float:
    return scale.score(match.frequencies, match.length, match.factor, match.constant)


def _time(match: _Match) -> int:
    return 0 if match.facts.at is None else microseconds(match.facts.at)
