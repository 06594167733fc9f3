"""Neighbouring messages of one speaker that together have the words of a later message.

A row of neighbours is compared with a message by prefix sums over the text before its beginning and before its end. The
text itself is compared only where the sums agree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from pollux.sources.gemini_sessions.replay.message_key import Key, MessageKey

_SPEAKERS = ("user", "gemini")
_PRIME = 10**18 + 9
_BITS = 32  # of a character

Row = tuple[int, int]
"""The number of the first neighbour, and the number after the last."""


class MessageRuns:
    """The rows of neighbours among some messages. Lines of the client between them do not separate them.

    `later` are the messages that will be searched for: only rows that one of them may match are remembered.
    """

    def __init__(self, words: Sequence[MessageKey], later: Iterable[MessageKey], step: int) -> None:
        self._places = [place for place, item in enumerate(words) if item.type in _SPEAKERS]
        self._words = [words[place] for place in self._places]
        self._step = step
        self._turns = list(
            accumulate((item.type != following.type for item, following in pairwise(self._words)), initial=0)
        )
        self._texts = _Sums([item.text for item in self._words])
        self._names = _Sums([_joined_names(item.names) for item in self._words])
        self._calls = list(accumulate((_total(item.calls) for item in self._words), initial=0))
        self._with_ids = list(accumulate((bool(item.calls) for item in self._words), initial=0))
        counts = accumulate((len(item.names) for item in self._words), initial=0)
        both = [length + count for length, count in zip(self._texts.lengths, counts, strict=True)]
        # The size of the text before each message: of words alone, and of words and calls.
        self._sizes = {False: self._texts.lengths, True: both}
        self._ends = {calls: self._boundaries(sizes) for calls, sizes in self._sizes.items()}
        self._wanted = {key for message in later if _may_be_several(message) for _, key in _search_keys(message)}
        self._wanted_texts = {text for _, _, text, *_ in self._wanted}
        self._searches: dict[tuple[bool, int], _Search] = {}

    def find(self, message: MessageKey, position: int, limit: int) -> Iterator[list[int]]:
        """The next rows with the same words that begin between a position and a limit. No search goes back."""
        if position == limit or not _may_be_several(message):
            return
        number, last = self._number(position), self._number(limit)
        for calls, key in _search_keys(message):
            size = len(message.text) + (len(message.names) if calls else 0)
            search = self._searches.get((calls, size))
            if search is None:
                search = self._searches[calls, size] = _Search(number)
            row = self._next(search, key, range(number, last, self._step), calls=calls, size=size)
            if row is not None and "".join(item.text for item in self._words[slice(*row)]) == message.text:
                yield self._places[slice(*row)][:: self._step]

    def _number(self, position: int) -> int:
        """The number of the first user or model message from a position on."""
        if self._step > 0:
            return bisect_left(self._places, position)
        return bisect_right(self._places, position) - 1

    def _boundaries(self, sizes: list[int]) -> dict[int, int]:
        """The boundary at which each size is reached, for the shortest row."""
        return {size: at for at, size in list(enumerate(sizes))[:: -self._step]}

    def _next(self, search: _Search, key: Key, numbers: range, *, calls: bool, size: int) -> Row | None:
        """The next row of a size with a key that begins at one of these messages."""
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
            if row is None or self._texts.between(row) not in self._wanted_texts:
                continue
            keys = self._wanted.intersection(self._keys(row, calls=calls))
            for row_key in keys:
                search.rows.setdefault(row_key, deque()).append(row)
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
        """All keys under which a similar message may look for a row, as for a single message."""
        start, end = row
        base = (self._words[start].type, self._texts.between(row))
        has_calls = self._names.lengths[start] < self._names.lengths[end]
        if not calls:
            yield "words", *base
            if not has_calls:
                yield "nothing but words", *base
        elif has_calls:
            names = self._names.between(row)
            yield "names", *base, names
            if self._with_ids[start] < self._with_ids[end]:
                yield "calls", *base, self._calls[end] - self._calls[start]
            else:
                yield "names without ids", *base, names


class _Search:
    """How far the search for rows of one size went, and the rows that it passed."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: dict[Key, deque[Row]] = {}


class _Sums:
    """Prefix sums of texts: their length up to each boundary, and a hash of their letters."""

    def __init__(self, texts: list[str]) -> None:
        self.lengths = list(accumulate(map(len, texts), initial=0))
        self._sums = [0]
        for text in texts:
            self._sums.append((self._sums[-1] * _shift(len(text)) + _sum(text)) % _PRIME)

    def between(self, row: Row) -> int:
        """The `_sum` of the joined texts of a row."""
        start, end = row
        return (self._sums[end] - self._sums[start] * _shift(self.lengths[end] - self.lengths[start])) % _PRIME


def _may_be_several(message: MessageKey) -> bool:
    return message.pieces > 1 and message.type in _SPEAKERS


def _search_keys(message: MessageKey) -> Iterator[tuple[bool, Key]]:
    """The keys to search for a similar row, and whether calls count for its size."""
    words = (message.type, _sum(message.text))
    if message.calls:
        yield True, ("calls", *words, _total(message.calls))
    if message.names:
        yield True, ("names without ids" if message.calls else "names", *words, _sum(_joined_names(message.names)))
    if message.text:
        yield False, ("nothing but words" if message.names else "words", *words)


def _sum(text: str) -> int:
    return int.from_bytes(text.encode("utf-32-be", "surrogatepass")) % _PRIME


@lru_cache(maxsize=1024)
def _shift(length: int) -> int:
    return pow(2, _BITS * length, _PRIME)


def _joined_names(names: Sequence[str]) -> str:
    return "".join(f"{name}\0" for name in names)


def _total(calls: frozenset[str | None]) -> int:
    return sum(map(hash, calls))
