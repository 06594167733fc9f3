"""All places, or a sample of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Chooser(msgspec.Struct, frozen=True):
    """Which of many places to try: all of them, or a sample that the seed decides; `part` of `parts` of them.

    `thorough` groups the files anew for each damage. Otherwise that is done where it matters most, and in a few
    other places.
    """

    seed: str
    most: int | None = None
    part: int = 0
    parts: int = 1
    thorough: bool = False

    def of(self, places: Sequence[T]) -> list[T]:
        """The chosen ones, in order."""
        mine = list(places[self.part :: self.parts])
        if self.most is None or len(mine) <= self.most:
            return mine
        picked = random.Random(self.seed).sample(range(len(mine)), self.most)  # noqa: S311 (a sample, no secret)
        return [mine[index] for index in sorted(picked)]

    def fewer(self, most: int) -> Chooser:
        """At most so many."""
        return msgspec.structs.replace(self, most=most if self.most is None else min(most, self.most))
