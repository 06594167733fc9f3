"""Several files of one session: what they hold, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import zip_longest
from math import inf
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
Timed = tuple[T, datetime | None]


def in_time(files: Iterable[Iterable[Timed[T]]]) -> list[T]:
    """What some files hold, each item once. What several files hold keeps its place; between that, time decides.

    Items of one file keep their order. One without a time happened right after the one before it.
    """
    rows = [list(items) for items in files]
    while len(rows) > 1:
        rows = [_joined(one, other or []) for one, other in zip_longest(rows[::2], rows[1::2])]
    return [item for items in rows for item, _ in items]


def _joined(one: list[Timed[T]], other: list[Timed[T]]) -> list[Timed[T]]:
    places = {item: place for place, (item, _) in enumerate(one)}
    joined: list[Timed[T]] = []
    start, new = 0, list[Timed[T]]()
    for row in other:
        place = places.get(row[0])
        if place is None:
            new.append(row)
        elif place >= start:
            joined += (*_by_time(one[start:place], new), one[place])
            start, new = place + 1, []
    return [*joined, *_by_time(one[start:], new)]


def _by_time(one: Sequence[Timed[T]], other: Sequence[Timed[T]]) -> Iterable[Timed[T]]:
    if not (one and other):
        return one or other
    return [row for _, row in merge(_moments(one), _moments(other), key=itemgetter(0))]


def _moments(rows: Iterable[Timed[T]]) -> Iterator[tuple[float, Timed[T]]]:
    latest = -inf
    for row in rows:
        latest = max(latest, row[1].timestamp()) if row[1] is not None else latest
        yield latest, row
