"""The best matches of the sessions compared so far: what cannot be among them need not be looked at closely."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from pollux.index.search.direct.look import Match
from pollux.index.search.direct.ranking import Scale
from pollux.index.search.direct.word_count import CountedText

AVERAGES = (0.25, 1.0, 4.0)
"""How far the average length may be from the guess: the best messages for each of these are kept."""

_NO_TEXT = CountedText("")


class Best:
    """The best matches of all sessions so far, and their ranks."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._ranked: list[tuple[float, int, Match]] = []
        self._number = 0
        self._low_floor: float | None = None

    def floor(self) -> float:
        """The rank of the last of them, if there are enough."""
        return self._ranked[0][0] if self._ranked and len(self._ranked) >= self._limit else 0.0

    def low_floor(self, scale: Scale) -> float:
        """The rank that the last of them has at least on this scale, even if passages are far shorter on average."""
        if self._low_floor is None:
            low = scale.with_average(AVERAGES[0])
            is_full = self._ranked and len(self._ranked) >= self._limit
            self._low_floor = min(score(match, low) for _, _, match in self._ranked) if is_full else 0.0
        return self._low_floor

    def add(self, rank: float, match: Match) -> None:
        """Count a match in, without its text, which may be long."""
        if self._limit and rank >= self.floor():
            self._number += 1
            self._low_floor = None
            item = (rank, self._number, match._replace(text=_NO_TEXT))
            if len(self._ranked) < self._limit:
                heapq.heappush(self._ranked, item)
            else:
                heapq.heappushpop(self._ranked, item)

    def rank_again(self, rank: Callable[[Match], float]) -> None:
        """Give each match its rank on another scale."""
        self._ranked = [(rank(match), number, match) for _, number, match in self._ranked]
        heapq.heapify(self._ranked)
        self._low_floor = None


def score(match: Match, scale: Scale) -> float:
    """The relevance of a match on a scale."""
    return scale.score(match.frequencies, match.length, match.factor, match.constant)
