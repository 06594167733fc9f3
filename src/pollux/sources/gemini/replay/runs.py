"""Neighbours of one speaker that together say what a later message says.

A row of neighbours is compared with a message by sums over all that stands before its beginning and before its end:
what lies between is looked at only where they agree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from pollux.sources.gemini.replay.words import Key, Words

_SPEAKERS = ("user", "gemini")
_PRIME = 10**18 + 9
_BITS = 32  # of a character

Row = tuple[int, int]
"""The first of some neighbours, and the one behind the last."""


class Runs:
    """The rows of neighbours among some messages; lines of the client between them do not part them.

    `later` are the messages that will be looked for: no row that none of them asks for is remembered.
    """

    def __init__(self, words: Sequence[Words], later: Iterable[Words], step: int) -> None:
        self._places = [place for place, one in enumerate(words) if one.type in _SPEAKERS]
        self._words = [words[place] for place in self._places]
        self._step = step
        self._turns = list(accumulate((one.type != other.type for one, other in pairwise(self._words)), initial=0))
        self._texts = _Sums([one.text for one in self._words])
        self._names = _Sums([_spelled(one.names) for one in self._words])
        self._calls = list(accumulate((_total(one.calls) for one in self._words), initial=0))
        self._with_ids = list(accumulate((bool(one.calls) for one in self._words), initial=0))
        counts = accumulate((len(one.names) for one in self._words), initial=0)
        both = [length + count for length, count in zip(self._texts.lengths, counts, strict=True)]
        # How much is said before each message: in words alone, and in words and calls.
        self._sizes = {False: self._texts.lengths, True: both}
        self._ends = {calls: self._boundaries(sizes) for calls, sizes in self._sizes.items()}
        self._wanted = {key for said in later if _may_be_several(said) for _, key in _asks(said)}
        self._searches: dict[tuple[bool, int], _Search] = {}

    def find(self, said: Words, position: int, limit: int) -> Iterator[list[int]]:
        """The next rows that say the same and begin from a position on and before a limit; no search goes back."""
        if position == limit or not _may_be_several(said):
            return
        number, last = self._number(position), self._number(limit)
        for calls, key in _asks(said):
            size = len(said.text) + (len(said.names) if calls else 0)
            search = self._searches.get((calls, size))
            if search is None:
                search = self._searches[calls, size] = _Search(number)
            row = self._next(search, key, range(number, last, self._step), calls=calls, size=size)
            if row is not None and "".join(one.text for one in self._words[slice(*row)]) == said.text:
                yield self._places[slice(*row)][:: self._step]

    def _number(self, position: int) -> int:
        """The first speaker's message from a position on."""
        if self._step > 0:
            return bisect_left(self._places, position)
        return bisect_right(self._places, position) - 1

    def _boundaries(self, sizes: list[int]) -> dict[int, int]:
        """Where each size is reached: the boundary that makes the shortest row."""
        return {size: at for at, size in list(enumerate(sizes))[:: -self._step]}

    def _next(self, search: _Search, key: Key, numbers: range, *, calls: bool, size: int) -> Row | None:
        """The next row of a size under a key that begins at one of some messages, looked for no further than that."""
        rows = search.rows.get(key)
        while rows and (self._first(rows[0]) - numbers.start) * self._step < 0:
            rows.popleft()
        if rows:
            return rows[0] if self._first(rows[0]) in numbers else None
        if (search.number - numbers.start) * self._step < 0:
            search.number = numbers.start
        while search.number in numbers:
            row = self._row(search.number, calls=calls, size=size)
            search.number += self._step
            if row is None:
                continue
            keys = self._wanted.intersection(self._keys(row, calls=calls))
            for one in keys:
                search.rows.setdefault(one, deque()).append(row)
            if key in keys:
                return row
        return None

    def _first(self, row: Row) -> int:
        return row[0] if self._step > 0 else row[1] - 1

    def _row(self, number: int, *, calls: bool, size: int) -> Row | None:
        """The row of a size that begins at a message, in the direction of the search."""
        sizes, ends = self._sizes[calls], self._ends[calls]
        if self._step > 0:
            start, end = number, ends.get(sizes[number] + size, number)
        else:
            start, end = ends.get(sizes[number + 1] - size, number), number + 1
        return (start, end) if end - start > 1 and self._turns[start] == self._turns[end - 1] else None

    def _keys(self, row: Row, *, calls: bool) -> Iterator[Key]:
        """All that a message alike may ask for, as of a single message."""
        start, end = row
        said = (self._words[start].type, self._texts.between(row))
        named = self._names.lengths[start] < self._names.lengths[end]
        if not calls:
            yield "words", *said
            if not named:
                yield "nothing but words", *said
        elif named:
            names = self._names.between(row)
            yield "names", *said, names
            if self._with_ids[start] < self._with_ids[end]:
                yield "calls", *said, self._calls[end] - self._calls[start]
            else:
                yield "names without ids", *said, names


class _Search:
    """How far rows of one size were looked for, and those that were found."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[Key, deque[Row]] = {}


class _Sums:
    """Texts in a row: how long they are up to each boundary, and a number that stands for what they say."""

    def __init__(self, texts: list[str]) -> None:
        self.lengths = list(accumulate(map(len, texts), initial=0))
        self._sums = [0]
        for text in texts:
            self._sums.append((self._sums[-1] * _shift(len(text)) + _sum(text)) % _PRIME)

    def between(self, row: Row) -> int:
        """What `_sum` gives for the texts of a row, run together."""
        start, end = row
        return (self._sums[end] - self._sums[start] * _shift(self.lengths[end] - self.lengths[start])) % _PRIME


def _may_be_several(said: Words) -> bool:
    return said.pieces > 1 and said.type in _SPEAKERS


def _asks(said: Words) -> Iterator[tuple[bool, Key]]:
    """What a row alike is to be found under, and whether calls count for its size."""
    words = (said.type, _sum(said.text))
    if said.calls:
        yield True, ("calls", *words, _total(said.calls))
    if said.names:
        yield True, ("names without ids" if said.calls else "names", *words, _sum(_spelled(said.names)))
    if said.text:
        yield False, ("nothing but words" if said.names else "words", *words)


def _sum(text: str) -> int:
    return int.from_bytes(text.encode("utf-32-be", "surrogatepass")) % _PRIME


@lru_cache(maxsize=1024)
def _shift(length: int) -> int:
    return pow(2, _BITS * length, _PRIME)


def _spelled(names: Sequence[str]) -> str:
    return "".join(f"{name}\0" for name in names)


def _total(calls: frozenset[str | None]) -> int:
    return sum(map(hash, calls))
