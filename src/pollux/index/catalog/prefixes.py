"""The beginnings of ids by which people name things."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

_LEAST = 8


class Shortest:
    """Of each id the beginning by which its session is found: its alone, but for ids that extend it."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = ids

    def of(self, id: str) -> str:
        """At least eight characters."""
        place = bisect_left(self._ids, id)
        before = self._ids[place - 1] if place else ""
        following = (self._ids[n] for n in range(place + 1, len(self._ids)))
        after = next((other for other in following if not other.startswith(id)), "")
        return id[: max(shared(id, before) + 1, shared(id, after) + 1, _LEAST)]


def shortest(id: str, others: Collection[str]) -> str:
    """As `Shortest.of`, for one id among others that need not be sorted. Mostly no other begins alike."""
    begins = id[:_LEAST]
    if "\n".join(("", *others)).count(f"\n{begins}") < 2:
        return begins
    return Shortest(sorted({id, *[other for other in others if other.startswith(begins)]})).of(id)


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
