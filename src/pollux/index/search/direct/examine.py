"""Searches a session itself, where its words are not in the index yet. It finds the same as the index.

The result is small, because it goes from one process to another: of a session it has the best messages, how many match,
and what the ranking needs to know. Texts are shown only where a message may be among the best of all sessions; a later
look at its session shows the others.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from operator import ge

import msgspec

from pollux.index.search.direct.best import AVERAGES, Best, score
from pollux.index.search.direct.filters import SessionTruth
from pollux.index.search.direct.look import Look, Match
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.direct.quick_look import SessionLetters, has_words
from pollux.index.search.direct.ranking import IndexStatistics, Scale, Statistics, make_scale, make_single_scale
from pollux.index.search.fields import KINDS, kind_numbers, microseconds
from pollux.index.search.passages import Facts
from pollux.index.search.prepare.prepare_text import well_formed
from pollux.index.search.query import Sort
from pollux.index.search.results import IndexHit, Span
from pollux.index.search.snippets import Needle, snippet
from pollux.model import Session
from pollux.system.clock import since_epoch

_MARGIN, _NEAR = 0.5, 0.8
"""Averages are not known before the end, so a relevance is a guess.

A message is left out if even twice its relevance does not suffice, and its text is shown only if it is near enough.
"""

_EXACTLY = 100_000
"""So many characters are counted and measured exactly, then estimates suffice: a small history has the index's ranks.
"""

_GROWTH = 1.1
"""How much more must be counted before the scale is made again."""

_ALL_COUNTED, _COUNTED = 1000, 8
"""The passages of so many sessions are counted, then those of one in so many."""

_OFTEN, _MOSTLY = 5, 1.25
"""A session is looked at quickly first, unless fewer than one in so many did not match: then this would cost more.

With a single word or phrase its passages are looked at quickly, too: then it is only worth it for words that almost no
session has.
"""


class DirectHit(msgspec.Struct, array_like=True, frozen=True):
    """A message that matches, with its best passage: its place in the message, and what its relevance depends on.

    `at` counts microseconds. `snippet` is None where the text was not shown. `others` may turn out to be better, when
    all is counted.
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
    others: list[DirectHit] = []

    @property
    def moment(self) -> datetime | None:
        """When it was written; None where that is no time, as somebody else's document in a lake may have it."""
        return since_epoch(self.at, 1_000_000)

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


class Examiner:
    """Compares sessions with a query, one after the other. It remembers what it counted, and how good the best are."""

    def __init__(self, query: DirectQuery, request: DirectRequest) -> None:
        self.query = query
        self._request = request
        self._newest = request.sort is Sort.NEWEST or not query.targets
        self.literals = query.literals()
        is_single = len(query.slots) == 1 and query.scattered is None
        self._phrase = self.literals[0] if is_single and self.literals else None
        self._only_best = not self._newest and len(query.slots) == 1
        self._each = request.limit if request.per_session is None else min(request.limit, request.per_session)
        self._terms = query.terms() if len(query.slots) > 1 else []
        self._counted = Statistics()
        self._best = Best(request.limit)
        self._best_scattered = Best(request.limit)
        self._scale: Scale | None = None
        self._scaled_passages = 0
        self._examined = self._unmatched = self._looked = 0
        self._sifted = self._left = 0
        self._times = 1
        self._term_leaves = [
            (query.leaves.setdefault(needle, len(query.leaves)), needle)
            for needle in (Needle((term,), prefix=False) for term in self._terms)
        ]

    def examine(self, session: Session, number: int, *, surely: bool = False) -> SessionMatches:
        """The matches in a session. `surely`: it is already known that the session has the words."""
        facts = Facts.of(session)
        truths = self.query.session_truths(facts, number)
        if not self.query.may_match_session(facts, truths):
            alone = self._counted_alone(session, truths) if self.is_exact else Statistics()
            return SessionMatches(number, [], 0, scattered=False, statistics=alone)
        if not surely and (statistics := self._reject(session)) is not None:
            return SessionMatches(number, [], 0, scattered=False, statistics=statistics)
        look = self._look()
        look.compare_all(session, truths)
        self._note(look)
        scale = self._current_scale()
        scattered = not look.matches and look.is_scattered()
        if scattered:
            hits = self._hits([look.scattered], 1, self._best_scattered, scale)
        else:
            by_message: dict[int, list[Match]] = {}
            for match in look.matches:
                by_message.setdefault(match.message, []).append(match)
            hits = self._hits(list(by_message.values()), self._each, self._best, scale)
        self._unmatched += not (hits or look.left_out or look.sifted[1])
        count = len({match.message for match in look.matches})
        return SessionMatches(number, hits, count, scattered, look.statistics, counted=not look.left_out)

    @property
    def is_exact(self) -> bool:
        """Is everything counted so far, so that no session may be skipped?"""
        return self._exactly() > 0

    def _exactly(self) -> int:
        """How many more characters are to be counted exactly."""
        return max(0, _EXACTLY - self._counted.characters)

    def _counted_alone(self, session: Session, truths: Sequence[SessionTruth]) -> Statistics:
        """What is counted in a session that a filter leaves out."""
        look = self._look()
        look.compare_all(session, truths)
        self._note(look)
        return look.statistics

    def _reject(self, session: Session) -> Statistics | None:
        """What is known about a session that has not the letters of the query; None if it may match."""
        often = _OFTEN if self._phrase is None else _MOSTLY if len(self._phrase) == 1 else 0
        if self.literals is None or self.is_exact or self._unmatched * often < self._examined:
            return None
        letters = SessionLetters(session)
        if has_words(letters.has, self.literals):
            return None
        self._examined += 1
        self._unmatched += 1
        return self.skipped(letters.has, letters.passages, letters.characters)

    def _look(self) -> Look:
        """A look at the next session.

        With a single word or phrase, most passages are not looked at closely. They only tell how long passages are: of
        many sessions only some are counted, in place of the others.
        """
        self._examined += 1
        if self._phrase is None:
            return Look(
                self.query,
                self._term_leaves,
                self._least_factor(),
                only_best=self._only_best,
                exactly=self._exactly(),
            )
        self._looked += 1
        self._times = 1 if self._looked <= _ALL_COUNTED else 0 if self._looked % _COUNTED else _COUNTED
        return Look(
            self.query,
            (),
            self._least_factor(),
            only_best=self._only_best,
            phrase=self._phrase,
            counts=self._times > 0,
            exactly=self._exactly(),
            sifts=self._left * 2 <= self._sifted or self._examined % _OFTEN == 0,
        )

    def _note(self, look: Look) -> None:
        """Note what was counted in a session."""
        statistics = look.statistics
        if self._phrase is not None:
            statistics.multiply(self._times)
            self._sifted += look.sifted[0]
            self._left += look.sifted[1]
        statistics.around = [statistics.passages if count else 0 for count in statistics.frequencies]
        self._counted.add(statistics)

    def skipped(self, has: Callable[[str], bool], passages: int, characters: int) -> Statistics:
        """What is known about a session that cannot match: which letters it has, and how much there is."""
        skipped = [passages if has(term) else 0 for term in self._terms]
        return Statistics(passages=passages, characters=characters, skipped=skipped)

    def _least_factor(self) -> float:
        """The factor that a passage needs to be among the best, however often the words occur in it.

        With a single word or phrase, nothing but the average length may change the order.
        """
        if self._newest:
            return math.inf
        scale = self._current_scale()
        floor = self._best.low_floor(scale) if self._only_best else self._best.floor() * _MARGIN
        return floor / max(scale.most(), 1e-9)

    def _current_scale(self) -> Scale:
        """The scale for what was counted so far, or a little less. A new scale changes the ranks of the best so far."""
        if self._scale is None or self._counted.passages > _GROWTH * self._scaled_passages:
            scale = self._scale = self.scale(self._counted)
            self._scaled_passages = self._counted.passages
            if not self._newest:
                self._best.rank_again(lambda match: score(match, scale))
                self._best_scattered.rank_again(lambda match: score(match, scale))
        return self._scale

    def scale(self, counted: Statistics) -> Scale:
        """The scale for what was counted."""
        terms, slots, index = self.query.terms(), self.query.slots, self._request.index
        if len(slots) == 1:
            return make_single_scale(slots[0], terms, counted, index)
        return make_scale(slots, terms, counted, index)

    def _hits(self, groups: Sequence[Sequence[Match]], most: int, best_so_far: Best, scale: Scale) -> list[DirectHit]:
        """The best of each group, such as a message: of a session, at most so many for each average length."""
        if self._newest:
            newest = heapq.nlargest(most, groups, key=lambda group: _time(group[0]))
            return [self._newest_hit(group[0]) for group in newest]
        floor = best_so_far.floor()
        ranked: list[tuple[float, Match, list[Match]]] = []
        for group in _best_groups([_rivals(group, scale) for group in groups], most, floor, scale):
            matches = group
            best = max(matches, key=lambda match: score(match, scale))
            if score(best, scale) >= floor * _NEAR:
                matches = [_measured(match) for match in group]
                best = max(matches, key=lambda match: score(match, scale))
            others = [match for match in matches if match is not best and not _surpasses(best, match)]
            ranked.append((score(best, scale), best, others))
        ranked.sort(key=lambda item: -item[0])
        for rank, match, _ in ranked[:most]:  # no more of this session can be among the best of all
            best_so_far.add(rank, match)
        return [self._shown(match, others, is_near=rank >= floor * _NEAR) for rank, match, others in ranked]

    def _newest_hit(self, match: Match) -> DirectHit:
        rank, floor = float(_time(match)), self._best.floor()
        self._best.add(rank, match)
        return self._shown(match, (), is_near=rank >= floor)

    def _shown(self, match: Match, others: Sequence[Match], *, is_near: bool) -> DirectHit:
        """The hit for a match, with its text if it may be among the best of all."""
        hit = msgspec.structs.replace(_hit(match), others=list(map(_hit, others)))
        if not is_near:
            return hit
        line = snippet(well_formed(match.text.text), self.query.targets)
        return msgspec.structs.replace(hit, snippet=line.text, spans=list(line.spans))


def _best_groups(groups: Sequence[Sequence[Match]], most: int, floor: float, scale: Scale) -> list[list[Match]]:
    """The messages that may be among the best, by rough lengths.

    A message whose relevance would not suffice even in the shortest text is not measured.
    """
    bounds = [max(score(match, scale) for match in group) for group in groups]
    measured: list[list[Match]] = []
    scores: list[float] = []
    for place in sorted(range(len(groups)), key=bounds.__getitem__, reverse=True):
        lowest = max(floor, scores[0] if len(scores) == most else 0.0)
        if bounds[place] < lowest * _MARGIN:
            break
        measured.append([_roughly_measured(match) for match in groups[place]])
        best = max(score(match, scale) for match in measured[-1])
        heapq.heappush(scores, best) if len(scores) < most else heapq.heappushpop(scores, best)
    if len(measured) <= most:
        return measured
    chosen: set[int] = set()
    for other in map(scale.with_average, AVERAGES):
        ranks = [max(score(match, other) for match in group) for group in measured]
        chosen.update(heapq.nlargest(most, range(len(ranks)), key=ranks.__getitem__))
    return [measured[place] for place in sorted(chosen)]


def _rivals(group: Sequence[Match], scale: Scale) -> list[Match]:
    """Those of a group that may be its best one on another scale, measured or not."""
    if len(group) < 2:
        return list(group)
    likely = max(group, key=lambda match: score(match, scale))
    lowest = score(_roughly_measured(likely), scale) * _MARGIN
    return [match for match in group if score(match, scale) >= lowest]


def _surpasses(match: Match, other: Match) -> bool:
    """Is a match at least as good as another one, whatever is counted elsewhere?"""
    return (
        match.factor >= other.factor
        and match.constant >= other.constant
        and match.length <= other.length
        and all(map(ge, match.frequencies, other.frequencies))
    )


def _hit(match: Match) -> DirectHit:
    at = None if match.facts.at is None else microseconds(match.facts.at)
    kind = kind_numbers([match.facts.kind])[0]
    return DirectHit(
        match.message, match.place, kind, at, match.factor, match.length, match.frequencies, match.constant
    )


def _measured(match: Match) -> Match:
    """The match with the length of its text."""
    return match._replace(length=match.text.length)


def _roughly_measured(match: Match) -> Match:
    return match._replace(length=match.text.rough_length)


def _time(match: Match) -> int:
    return 0 if match.facts.at is None else microseconds(match.facts.at)
