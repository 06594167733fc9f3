"""Chooses what a brief tells: what matters most first, as long as there is room.

First everything gets a short line, in the order of importance. After its first line, no rank may take more than half of
what is left.
Then what is left over goes to lines that had no room, and after that to longer texts, again in the order of importance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pollux.library.brief.layout import line_text, section_title
from pollux.library.brief.telling import Telling
from pollux.library.brief.values import Item, Line, Section
from pollux.writers.native.tokens import of_text

_SHORT, _SHORTEST = 120, 60
"""Characters: a line that has no room for more is told in so many."""
_GROWTH = 2
_CHEAPEST = 3
"""Tokens: no line takes fewer."""


def fitting_lines(tellings: Sequence[Telling], room: int) -> list[Line | None]:
    """A line for each telling, within so many tokens; None where it has no room."""
    return _Fitting(tellings, room).lines()


def line_cost(text: str) -> int:
    """The tokens of a line and its end. Those of several lines are never fewer than those of all together."""
    return of_text(f"{text}\n")


class _Fitting:
    """Gives lines to tellings. `room` is what is left."""

    def __init__(self, tellings: Sequence[Telling], room: int) -> None:
        self._tellings = tellings
        self.room = room
        self._lengths: dict[int, int] = {}
        self._costs: dict[int, int] = {}
        self._titled: set[Section] = set()
        self._order = sorted(range(len(tellings)), key=lambda number: (*_rank(tellings[number].item), number))

    def lines(self) -> list[Line | None]:
        """The line of each telling; None where it has no room."""
        for _, rank in groupby(self._order, key=lambda number: self._tellings[number].item.importance):
            first, *others = rank
            self._tell([first], self.room)
            self._tell(others, self.room // 2)
        self._tell(self._order, self.room)
        self._lengthen()
        return [
            telling.line(self._lengths[number]) if number in self._lengths else None
            for number, telling in enumerate(self._tellings)
        ]

    def _tell(self, numbers: Iterable[int], most: int) -> None:
        """Give lines to those that have none, for at most so many tokens."""
        least = self.room - most
        for number in numbers:
            if self.room - least < _CHEAPEST:
                return
            if number in self._lengths:
                continue
            item = self._tellings[number].item
            title = 0 if item.section in self._titled else _title_cost(item.section)
            for length in dict.fromkeys((item.least, min(item.least, _SHORT), _SHORTEST)):
                cost = _cost(self._tellings[number].line(length)) + title
                if self.room - cost >= least:
                    self._lengths[number], self._costs[number] = length, cost - title
                    self._titled.add(item.section)
                    self.room -= cost
                    break

    def _lengthen(self) -> None:
        """Let texts grow, step by step, the most important first in each step."""
        growing = [number for number in self._order if number in self._lengths]
        while growing:
            growing = [number for number in growing if self._grow(number)]

    def _grow(self, number: int) -> bool:
        """Does a text grow, and may it grow further?"""
        telling, old = self._tellings[number], self._lengths[number]
        if old >= telling.whole:
            return False
        length = min(old * _GROWTH, telling.whole)
        more = _cost(telling.line(length)) - self._costs[number]
        if more > self.room:
            return False
        self._lengths[number] = length
        self._costs[number] += more
        self.room -= more
        return True


def _cost(line: Line) -> int:
    return line_cost(line_text(line))


def _title_cost(section: Section) -> int:
    return sum(line_cost(line) for line in section_title(section))


def _rank(item: Item) -> tuple[int, bool, int]:
    """What matters more comes first, of two alike what was asked, and then the newer."""
    return item.importance, item.what not in ("asked", "task"), -max(item.places, default=-1)
