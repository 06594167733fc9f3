"""Searches a session itself, where its words are not in the index yet. It finds the same as the index.

The result is small, because it goes from one process to another: of a session it has the best messages, how many match,
and what the ranking needs to know. Texts are shown only where a message may be among the best of all sessions; a later
look at its session shows the others.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

import msgspec

from pollux.index.search.direct.filters import PassageFacts, SessionTruth
from pollux.index.search.direct.query import Candidate, DirectQuery, Scattered
from pollux.index.search.direct.quick_look import SessionLetters
from pollux.index.search.direct.ranking import IndexStatistics, Scale, Statistics, make_scale, make_single_scale
from pollux.index.search.direct.word_count import CountedText
from pollux.index.search.fields import EPOCH, KINDS, factor, kind_numbers, microseconds
from pollux.index.search.passages import Facts, PassageKind, models_of, passage_texts, title_of
from pollux.index.search.prepare.prepare_text import well_formed
from pollux.index.search.query import Sort
from pollux.index.search.results import IndexHit, Span
from pollux.index.search.snippets import Needle, Snippet, snippet
from pollux.model import Session

TITLE = -1
"""The place of a title, before all passages of its message."""

_MEASURED = 61
"""Every so many passages one is measured, besides those that match."""

_MARGIN, _NEAR = 0.5, 0.8
"""Averages are not known before the end, so a relevance is a guess.

A message is left out if even twice its relevance does not suffice, and its text is shown only if it is near enough.
"""

_GROWTH = 1.1
"""How much more must be counted before the scale is made again."""

_OFTEN = 5
"""A session is looked at quickly first, unless fewer than one in so many did not match: then this would cost more."""

_AVERAGES = (0.25, 1.0, 4.0)
"""How far the average length may be from the guess: the best messages for each of these are kept."""


_NO_TEXT = CountedText("")


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

    def shown(self, session: int) -> IndexHit:
        """The hit in the session with this number, not ranked yet."""
        return IndexHit(
            session=session,
            message=self.message,
            kind=KINDS[self.kind],
            at=self.moment,
            score=0.0,
            snippet=self.snippet or "",
            spans=tuple(self.spans),
        )


class SessionMatches(msgspec.Struct, array_like=True, frozen=True):
    """The best messages of a session that match, and how many match at all.

    `scattered`: no message matches everything, but several do so together; the best of the hits stands for them.
    `counted` is false where passages were left out that cannot be among the best: then more messages may match.
    """

    number: int
    hits: list[DirectHit]
    count: int
    scattered: bool
    statistics: Statistics
    counted: bool = True


class DirectRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How many hits are wanted, in which order, at most how many of a session, and what the index counted."""

    limit: int = 20
    sort: Sort = Sort.RELEVANCE
    per_session: int | None = None
    index: IndexStatistics = IndexStatistics()


class _Match(NamedTuple):
    """A matching passage. `length` is the smallest that it can have, until it is measured."""

    message: int
    place: int
    text: CountedText
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
        self._only_best = not self._newest and len(query.slots) == 1
        self._each = request.limit if request.per_session is None else min(request.limit, request.per_session)
        self._terms = query.terms() if len(query.slots) > 1 else []
        self._counted = Statistics()
        self._best = _Best(request.limit)
        self._best_scattered = _Best(request.limit)
        self._scale: Scale | None = None
        self._scaled_passages = 0
        self._examined = self._unmatched = 0
        self._term_leaves = [
            (query.leaves.setdefault(needle, len(query.leaves)), needle)
            for needle in (Needle((term,), prefix=False) for term in self._terms)
        ]
        self.literals = query.literals()

    def examine(self, session: Session, number: int, *, surely: bool = False) -> SessionMatches:
        """The matches in a session. `surely`: it is already known that the session has the words."""
        facts = Facts.of(session)
        truths = self.query.session_truths(facts, number)
        if not self.query.may_match_session(facts, truths):
            return SessionMatches(number, [], 0, scattered=False, statistics=Statistics())
        self._examined += 1
        if not surely and self.literals is not None and self._unmatched * _OFTEN >= self._examined:
            letters = SessionLetters(session)
            if not has_words(letters.has, self.literals):
                self._unmatched += 1
                statistics = self.skipped(letters.has, letters.passages, letters.characters)
                return SessionMatches(number, [], 0, scattered=False, statistics=statistics)
        look = _Look(self.query, self._term_leaves, self._least_factor(), only_best=self._only_best)
        for candidate in candidates(session, truths):
            look.compare(candidate)
        look.statistics.around = [look.statistics.passages if count else 0 for count in look.statistics.frequencies]
        self._counted.add(look.statistics)
        scale = self._current_scale()
        scattered = not look.matches and look.is_scattered()
        if scattered:
            hits = self._hits(look.scattered, 1, self._best_scattered, scale)
        else:
            hits = self._hits(look.matches, self._each, self._best, scale)
        self._unmatched += not (hits or look.left_out)
        count = len({match.message for match in look.matches})
        return SessionMatches(number, hits, count, scattered, look.statistics, counted=not look.left_out)

    def skipped(self, has: Callable[[str], bool], passages: int, characters: int) -> Statistics:
        """What is known about a session that cannot match: which letters it has, and how much there is."""
        skipped = [passages if has(term) else 0 for term in self._terms]
        return Statistics(passages=passages, characters=characters, skipped=skipped)

    def _least_factor(self) -> float:
        """The factor that a passage needs to be among the best, however often the words occur in it."""
        return math.inf if self._newest else self._best.floor() * _MARGIN / max(self._current_scale().most(), 1e-9)

    def _current_scale(self) -> Scale:
        """The scale for what was counted so far, or a little less. A new scale changes the ranks of the best so far."""
        if self._scale is None or self._counted.passages > _GROWTH * self._scaled_passages:
            scale = self._scale = self.scale(self._counted)
            self._scaled_passages = self._counted.passages
            if not self._newest:
                self._best.rank_again(lambda match: _score(match, scale))
                self._best_scattered.rank_again(lambda match: _score(match, scale))
        return self._scale

    def scale(self, counted: Statistics) -> Scale:
        """The scale for what was counted."""
        terms, slots, index = self.query.terms(), self.query.slots, self._request.index
        if len(slots) == 1:
            return make_single_scale(slots[0], terms, counted, index)
        return make_scale(slots, terms, counted, index)

    def _hits(self, matches: Sequence[_Match], most: int, best_so_far: _Best, scale: Scale) -> list[DirectHit]:
        """The best messages of a session, at most so many for each average length."""
        by_message: dict[int, list[_Match]] = {}
        for match in matches:
            by_message.setdefault(match.message, []).append(match)
        if self._newest:
            newest = heapq.nlargest(most, by_message.values(), key=lambda group: _time(group[0]))
            return [self._shown(group[0], float(_time(group[0])), best_so_far) for group in newest]
        hits: list[DirectHit] = []
        for group in _best_groups(list(by_message.values()), most, best_so_far.floor(), scale):
            best = max(group, key=lambda match: _score(match, scale))
            if _score(best, scale) >= best_so_far.floor() * _NEAR:
                best = max(map(_measured, group), key=lambda match: _score(match, scale))
            hits.append(self._shown(best, _score(best, scale), best_so_far))
        return hits

    def _shown(self, match: _Match, rank: float, best_so_far: _Best) -> DirectHit:
        """The hit for a message, with its text if it may be among the best of all."""
        may_be_shown = rank >= best_so_far.floor() * (1.0 if self._newest else _NEAR)
        best_so_far.add(rank, match)
        at = None if match.facts.at is None else microseconds(match.facts.at)
        kind = kind_numbers([match.facts.kind])[0]
        hit = DirectHit(
            match.message, match.place, kind, at, match.factor, match.length, match.frequencies, match.constant
        )
        if not may_be_shown:
            return hit
        line = snippet(well_formed(match.text.text), self.query.targets)
        return msgspec.structs.replace(hit, snippet=line.text, spans=list(line.spans))


class _Best:
    """The best matches of all sessions so far, and their ranks."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ranked: list[tuple[float, int, _Match]] = []
        self._number = 0

    def floor(self) -> float:
        """The rank of the last of them, if there are enough."""
        return self._ranked[0][0] if self._ranked and len(self._ranked) >= self._limit else 0.0

    def add(self, rank: float, match: _Match) -> None:
        """Count a match in, without its text, which may be long."""
        self._number += 1
        match = match._replace(text=_NO_TEXT)
        if len(self._ranked) < self._limit:
            heapq.heappush(self._ranked, (rank, self._number, match))
        elif self._ranked:
            heapq.heappushpop(self._ranked, (rank, self._number, match))

    def rank_again(self, rank: Callable[[_Match], float]) -> None:
        """Give each match its rank on another scale."""
        self._ranked = [(rank(match), number, match) for _, number, match in self._ranked]
        heapq.heapify(self._ranked)


def _best_groups(groups: Sequence[Sequence[_Match]], most: int, floor: float, scale: Scale) -> list[list[_Match]]:
    """The messages that may be among the best, by rough lengths.

    A message whose relevance would not suffice even in the shortest text is not measured.
    """
    bounds = [max(_score(match, scale) for match in group) for group in groups]
    measured: list[list[_Match]] = []
    scores: list[float] = []
    for place in sorted(range(len(groups)), key=bounds.__getitem__, reverse=True):
        lowest = max(floor, scores[0] if len(scores) == most else 0.0)
        if bounds[place] < lowest * _MARGIN:
            break
        measured.append([_roughly_measured(match) for match in groups[place]])
        score = max(_score(match, scale) for match in measured[-1])
        heapq.heappush(scores, score) if len(scores) < most else heapq.heappushpop(scores, score)
    if len(measured) <= most:
        return measured
    chosen: set[int] = set()
    for other in map(scale.with_average, _AVERAGES):
        ranks = [max(_score(match, other) for match in group) for group in measured]
        chosen.update(heapq.nlargest(most, range(len(ranks)), key=ranks.__getitem__))
    return [measured[place] for place in sorted(chosen)]


def has_words(has: Callable[[str], bool], choices: Sequence[Sequence[str]]) -> bool:
    """Has a session the letters of all words of one of these lists?"""
    return any(all(map(has, words)) for words in choices)


class _Look:
    """Compares the passages of one session, and collects what matches.

    Of passages with less than this factor, it only matters whether they match. With `only_best` they are left out.
    """

    def __init__(
        self,
        query: DirectQuery,
        term_leaves: Sequence[tuple[int, Needle]],
        least_factor: float,
        *,
        only_best: bool = False,
    ) -> None:
        self._query = query
        self._least_factor = least_factor
        self._only_best = only_best
        self.left_out = False
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
        weight = _factor(passage)
        passage.roughly = weight < self._least_factor
        if passage.roughly and self._only_best:
            self.left_out = True
            return
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
            self.matches.append(_match(passage, weight, frequencies))
        elif parts is not None and not self.matches and not self._unwanted:
            self._compare_parts(passage, weight, parts)

    def _compare_parts(self, passage: Candidate, weight: float, parts: Scattered) -> None:
        """Compare a passage with the parts of the query that may match in different passages."""
        wanted = [number for number, node in enumerate(parts.wanted) if node.matches(passage)]
        if not wanted or not all(node.matches(passage) for node in parts.where):
            return
        self._present.update(wanted)
        frequencies = [0] * len(self._query.slots)
        for number in wanted:
            parts.wanted[number].add(passage, frequencies)
        self.scattered.append(_match(passage, weight, frequencies, parts.constant * len(wanted)))

    def is_scattered(self) -> bool:
        """Do several passages match everything together?"""
        parts = self._query.scattered
        return parts is not None and not self._unwanted and len(self._present) == len(parts.wanted)

    def _measure(self, text: CountedText) -> None:
        self.statistics.length += text.length
        self.statistics.measured += len(text.text)


def count_matches(query: DirectQuery, session: Session, number: int) -> int:
    """How many messages of a session match."""
    look = _Look(query, (), math.inf)
    for candidate in candidates(session, query.session_truths(Facts.of(session), number)):
        look.compare(candidate)
    return len({match.message for match in look.matches})


def candidates(session: Session, truths: Sequence[SessionTruth]) -> Iterator[Candidate]:
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


def _measured(match: _Match) -> _Match:
    """The match with the length of its text."""
    return match._replace(length=match.text.length)


def _roughly_measured(match: _Match) -> _Match:
    return match._replace(length=match.text.rough_length)


def _factor(passage: Candidate) -> float:
    facts = passage.facts
    return factor(facts.kind, facts.at, copied=facts.message is not None and facts.message.inherited)


def _match(passage: Candidate, weight: float, frequencies: list[int], constant: float = 0.0) -> _Match:
    message, place = passage.where
    return _Match(message, place, passage.text, passage.facts, weight, sum(frequencies), frequencies, constant)


def _score(match: _Match, scale: Scale) -> float:
    return scale.score(match.frequencies, match.length, match.factor, match.constant)


def _time(match: _Match) -> int:
    return 0 if match.facts.at is None else microseconds(match.facts.at)
