"""The relevance of passages that were compared directly: the same formula as the index has.

That is BM25, as tantivy computes it, times the factor of a passage. It depends on how many passages there are, how long
they are, and how many hold each word. The index knows that; here it is counted in what was looked through.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import msgspec

from pollux.index.search.direct.query import Leaf, exact_words
from pollux.index.search.snippets import Needle

_K1 = 1.2
_B = 0.75
_FREE = 24
"""Shorter lengths than this and 16 more are kept exactly by the index; of longer ones it keeps four binary digits."""

_USUAL_LENGTH = 300.0
_USUAL_WORDS = 0.15
"""The length of a passage in words, and the words for each character, where nothing is known yet."""


class Statistics(msgspec.Struct, array_like=True):
    """What was counted in sessions.

    `frequencies` say how many passages hold each word, among all passages of the sessions that hold it: `around` says
    how many these are. Sessions that cannot match are not compared: `skipped` says the same of those that have at least
    the letters of a word. `length` is the number of words in passages of `measured` characters.
    """

    passages: int = 0
    characters: int = 0
    length: int = 0
    measured: int = 0
    frequencies: list[int] = []
    around: list[int] = []
    skipped: list[int] = []

    def add(self, other: Statistics) -> None:
        """Add what was counted elsewhere."""
        self.passages += other.passages
        self.characters += other.characters
        self.length += other.length
        self.measured += other.measured
        self.frequencies = _sums(self.frequencies, other.frequencies)
        self.around = _sums(self.around, other.around)
        self.skipped = _sums(self.skipped, other.skipped)

    def multiply(self, times: int) -> None:
        """Count the passages and their lengths several times, or not at all."""
        self.passages *= times
        self.characters *= times
        self.length *= times
        self.measured *= times

    def average(self) -> float:
        """The average length of a passage in words."""
        if not self.passages or not self.characters:
            return _USUAL_LENGTH
        density = self.length / self.measured if self.measured and self.length else _USUAL_WORDS
        return max(self.characters * density / self.passages, 1.0)

    def all_frequencies(self, terms: int) -> list[int]:
        """About how many passages hold each of so many words, with those of sessions that cannot match."""
        rows = zip_longest(self.frequencies, self.around, self.skipped, fillvalue=0)
        counts = [count + (count * skipped // around if around else skipped) for count, around, skipped in rows]
        return [*counts, *[0] * (terms - len(counts))]


def _sums(first: Sequence[int], second: Sequence[int]) -> list[int]:
    return [one + other for one, other in zip_longest(first, second, fillvalue=0)]


class IndexStatistics(msgspec.Struct, frozen=True):
    """What an index counted: its passages, their average length, and how many of them hold a word.

    The length is None where no word of the query is in the index: then nothing there is compared with anything here.
    """

    passages: int = 0
    average: float | None = None
    frequencies: Mapping[str, int] = {}


class Scale:
    """Turns frequencies of words into a relevance."""

    def __init__(self, average: float, weights: Sequence[float | None]) -> None:
        self._average = average
        self._weights = weights

    def most(self) -> float:
        """No passage has a greater relevance than this times its factor, unless other parts of a query add to it."""
        return sum(1.0 if weight is None else weight * (1.0 + _K1) for weight in self._weights)

    def with_average(self, share: float) -> Scale:
        """The same scale for another average length: this share of it."""
        return Scale(self._average * share, self._weights)

    def score(self, frequencies: Sequence[int], length: int, factor: float, constant: float = 0.0) -> float:
        """The relevance of a passage with these frequencies of words, of this length."""
        norm = _K1 * (1.0 - _B + _B * rounded_length(length) / self._average)
        relevance = constant
        for count, idf in zip(frequencies, self._weights, strict=True):
            if count:
                relevance += 1.0 if idf is None else idf * (1.0 + _K1) * count / (count + norm)
        return relevance * factor


def make_scale(slots: Sequence[Leaf], terms: Sequence[str], counted: Statistics, index: IndexStatistics) -> Scale:
    """The scale for what was counted directly, together with what the index counted."""
    passages = counted.passages + _documents(index)
    frequencies = counted.all_frequencies(len(terms))
    idf = {
        term: _idf(count + index.frequencies.get(term, 0), passages)
        for term, count in zip(terms, frequencies, strict=True)
    }
    return Scale(_average(counted, index), [_weight_of(leaf, idf, _idf(0, passages)) for leaf in slots])


def make_single_scale(leaf: Leaf, terms: Sequence[str], counted: Statistics, index: IndexStatistics) -> Scale:
    """The scale for a single word or phrase: the frequency of its words is not counted, because it changes no order.

    Only beside hits of the index it matters: so its numbers count.
    """
    idf = {term: _idf(index.frequencies.get(term, 0), index.passages) for term in terms}
    return Scale(_average(counted, index), [_weight_of(leaf, idf, _idf(0, index.passages))])


def _documents(index: IndexStatistics) -> int:
    """How many documents an index has; even an empty one will have that with the number of its commit."""
    return max(index.passages, 1)


def _average(counted: Statistics, index: IndexStatistics) -> float:
    """The average length of what was counted directly and by the index. Its length is not always known."""
    if index.average is None and _documents(index) > 1:
        return counted.average()
    documents = counted.passages + _documents(index)
    words = counted.average() * counted.passages + (index.average or 0.0) * index.passages
    return max(words / documents, 1.0) if counted.passages else counted.average()


def rounded_length(length: int) -> int:
    """A length as the index keeps it, in one byte."""
    beyond = length - _FREE
    if beyond < 16:
        return length
    shift = beyond.bit_length() - 4
    return _FREE + (beyond >> shift << shift)


def _idf(frequency: int, passages: int) -> float:
    """The weight of a word: the rarer, the more. It is never quite nothing."""
    return math.log(1.0 + (max(passages - frequency, 0) + 0.5) / (frequency + 0.5))


def _weight_of(leaf: Leaf, idf: Mapping[str, float], no_idf: float) -> float | None:
    """The weight of a leaf; None for a beginning, which always counts 1. The index does not weigh patterns."""
    if not isinstance(leaf, Needle):
        return 2 * no_idf
    if leaf.prefix and len(leaf.words) == 1:
        return None
    return sum(idf[word] for word in exact_words(leaf)) + (no_idf if leaf.prefix else 0.0)


def total(statistics: Iterable[Statistics]) -> Statistics:
    """What was counted altogether."""
    sum_of_all = Statistics()
    for one in statistics:
        sum_of_all.add(one)
    return sum_of_all
