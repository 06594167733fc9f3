"""All places, or a sample of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Chooser(msgspec.Struct, frozen=True):
    """Which of many places to try: all of them, or a sample that depends on the seed; `part` of `parts` of them.

    With `thorough` the files are grouped again for each damage. Otherwise this happens where it matters most, and in a
    few other places.
    """

    seed: str
    most: int | None = None
    part: int = 0
    parts: int = 1
    thorough: bool = False

    def of(self, places: Sequence[T]) -> list[T]:
        """The chosen places, in order."""
        own = list(places[self.part :: self.parts])
        if self.most is None or len(own) <= self.most:
            return own
        indexes = random.Random(self.seed).sample(range(len(own)), self.most)  # noqa: S311 (a sample, no secret)
        return [own[index] for index in sorted(indexes)]

    def fewer(self, most: int) -> Chooser:
        """The same chooser, limited to `most` places."""
        return msgspec.structs.replace(self, most=most if self.most is None else min(most, self.most))
