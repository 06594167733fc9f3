"""Short ids: the beginnings of ids that people type."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

SHORTEST = 8
"""Nobody is shown a shorter beginning. So many characters are hardly ever shared by chance."""


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
        if id[:SHORTEST] not in {before[:SHORTEST], after[:SHORTEST]}:
            return id[:SHORTEST]
        return id[: max(shared_length(id, before) + 1, shared_length(id, after) + 1, SHORTEST)]


def short_id(id: str, others: Collection[str]) -> str:
    """As `ShortIds.of`, for one id among others in any order, itself included. Usually no other id begins alike."""
    lines = "\n".join(("", *others))
    if lines.count(f"\n{id[:SHORTEST]}") < 2:
        return id[:SHORTEST]
    extensions = lines.count(f"\n{id}")
    length = bisect_left(range(len(id)), 1, lo=SHORTEST, key=lambda size: lines.count(f"\n{id[:size]}") == extensions)
    return id[:length]


def shared_length(first: str, second: str) -> int:
    """The length of the common beginning of two texts."""
    shorter = min(len(first), len(second))
    return bisect_left(range(shorter), 1, key=lambda size: first[: size + 1] != second[: size + 1])


def meant(ids: Collection[str]) -> set[str]:
    """Of several ids that begin as typed, those that may be meant.

    If all others begin with one of them, it is that one: the others were derived from it.
    """
    shortest = min(ids, key=len, default="")
    return {shortest} if all(id.startswith(shortest) for id in ids) else set(ids)
