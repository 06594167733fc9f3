"""Joins several files of one session in the order in which their items happened."""

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


def order_by_time(files: Iterable[Iterable[Timed[T]]]) -> list[T]:
    """The items of all files, each once. Items of several files keep their places; between them, time decides.

    Items of one file keep their order. An item without a time happened right after the one before it.
    """
    rows = [list(items) for items in files]
    while len(rows) > 1:
        rows = [_join(first, second or []) for first, second in zip_longest(rows[::2], rows[1::2])]
    return [item for items in rows for item, _ in items]


def _join(first: list[Timed[T]], second: list[Timed[T]]) -> list[Timed[T]]:
    places = {item: place for place, (item, _) in enumerate(first)}
    joined: list[Timed[T]] = []
    start, added = 0, list[Timed[T]]()
    for row in second:
        place = places.get(row[0])
        if place is None:
            added.append(row)
        elif place >= start:
            joined += (*_by_time(first[start:place], added), first[place])
            start, added = place + 1, []
    return [*joined, *_by_time(first[start:], added)]


def _by_time(first: Sequence[Timed[T]], second: Sequence[Timed[T]]) -> Iterable[Timed[T]]:
    if not (first and second):
        return first or second
    return [row for _, row in merge(_moments(first), _moments(second), key=itemgetter(0))]


def _moments(rows: Iterable[Timed[T]]) -> Iterator[tuple[float, Timed[T]]]:
    latest = -inf
    for row in rows:
        latest = max(latest, row[1].timestamp()) if row[1] is not None else latest
        yield latest, row
