"""Short ids: the beginnings of ids that people type."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

_SHORTEST = 8


class ShortIds:
    """The shortest beginning of each id that no other id has, except ids that extend it."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = ids

    def of(self, id: str) -> str:
        """At least eight characters."""
        place = bisect_left(self._ids, id)
        before = self._ids[place - 1] if place else ""
        following = (self._ids[n] for n in range(place + 1, len(self._ids)))
        after = next((other for other in following if not other.startswith(id)), "")
        return id[: max(shared_length(id, before) + 1, shared_length(id, after) + 1, _SHORTEST)]


def short_id(id: str, others: Collection[str]) -> str:
    """As `ShortIds.of`, for one id among others in any order. Usually no other id begins alike."""
    beginning = id[:_SHORTEST]
    if "\n".join(("", *others)).count(f"\n{beginning}") < 2:
        return beginning
    return ShortIds(sorted({id, *[other for other in others if other.startswith(beginning)]})).of(id)


def shared_length(first: str, second: str) -> int:
    """The length of the common beginning of two texts."""
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
