"""Counts words in a text exactly as the index would, without making an index.

Almost every text is compared with patterns, which is far faster than taking it apart into words. A text with letters
that Python and the index see differently is taken apart as the index does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from pollux.index.search.direct.letters import is_sign
from pollux.index.search.fields import analyze
from pollux.index.search.prepare.camel_case import BETWEEN, GAP, camel_parts, camel_word, in_word, split_camel
from pollux.index.search.prepare.prepare_text import clean, encoded, prepare_parts
from pollux.index.search.query import NEAR_DISTANCE
from pollux.index.search.snippets import FoldedText, Needle, fold_roughly, fold_unit

LONGEST_WORD = 65_530
"""The index drops words of more bytes."""

_ASCII = bytes(range(0x80))
_WORD_BYTES = bytes(0x61 if chr(byte).isalnum() or byte >= 0x80 else 0x20 for byte in range(256))

_BLANKS = bytes(0x20 if byte >= 0x80 else byte for byte in range(256))
_LOWER_BLANKS = _BLANKS.lower()

Places = tuple[tuple[str, ...], ...]
"""Words that stand near one another: the alternatives of each."""


class CountedText:
    """A text in which words can be counted. Everything is computed when it is first needed."""

    __slots__ = ("_folded", "_odd", "_part_words", "_plain", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain: bytes | None = None
        self._folded: FoldedText | None = None
        self._odd: bool | None = None
        self._words: list[str] | None = None
        self._part_words: list[str] | None = None

    @property
    def folded(self) -> FoldedText:
        """The text as the index compares it. Signs beyond ASCII are blanks if there is nothing else beyond ASCII."""
        if self._folded is None:
            if self.text.isascii():
                self._folded = FoldedText(self.text.lower(), None, mixed=False)
            else:
                self.text, data = encoded(self.text)
                if all(map(is_sign, _others(data))):
                    self._plain = data
                    self._folded = FoldedText(data.translate(_LOWER_BLANKS).decode(), None, mixed=False)
                else:
                    self._folded = fold_roughly(self.text)
        return self._folded

    @property
    def unfolded(self) -> str:
        """The text with its capitals, in which the places of the folded text hold. It is known once it is folded."""
        return self.text if self._plain is None else self._plain.translate(_BLANKS).decode()

    @property
    def odd(self) -> bool:
        """Has the text letters that Python and the index see differently?"""
        if self._odd is None:
            self._odd = not self.folded.text.isascii() and any(map(_is_odd, _others(self.text.encode())))
        return self._odd

    @property
    def words(self) -> list[str]:
        """The words of the text in order, as the index has them."""
        if self._words is None:
            self._words = analyze(clean(self.text))
        return self._words

    @property
    def part_words(self) -> list[str]:
        """The words of the parts of camelCase words, with gaps between the parts."""
        if self._part_words is None:
            parts = camel_parts(encoded(self.text)[1])
            self._part_words = analyze(prepare_parts(parts)) if parts else []
        return self._part_words

    @property
    def length(self) -> int:
        """How many words the index has for this text."""
        if not self.folded.text.isascii():
            return len(self.words) + (len(self.part_words) + 1 if self.part_words else 0)
        parts = camel_parts(self.unfolded.encode())
        return self.rough_length + (2 * parts.count(GAP) + 2 if parts else 0)

    @property
    def rough_length(self) -> int:
        """About how many words the text has, without the parts of camelCase words."""
        classes = self.unfolded.encode(errors="replace").translate(_WORD_BYTES)
        return classes.count(b" a") + classes.startswith(b"a")

    def has_all(self, words: Sequence[str]) -> bool:
        """Do these letters all occur, in whichever words?"""
        text = self.folded.text
        for word in words:  # noqa: SIM110 (a generator would take longer than the comparison)
            if word not in text:
                return False
        return True

    def count(self, needle: Needle, *, roughly: bool = False) -> int:
        """How often a word or a phrase occurs. `roughly`: 1 suffices where it occurs at all."""
        if not self.has_all(needle.words):
            return 0
        if roughly and self._occurs(needle):
            return 1
        if self.odd:
            return _count_row(self.words, needle) + _count_row(self.part_words, needle)
        return self._count_word(needle) if len(needle.words) == 1 else self._count_phrase(needle)

    def _occurs(self, needle: Needle) -> bool:
        """Does a needle occur for sure? A look at the parts of words, or at very long words, may say more."""
        if self.odd or len(self.folded.text) > LONGEST_WORD:
            return False
        return needle.whole(mixed=self.folded.mixed).search(self.folded.text) is not None

    def _count_word(self, needle: Needle) -> int:
        text, word = self.folded.text, needle.words[0]
        matches = needle.whole(mixed=self.folded.mixed).findall(text)
        if needle.prefix and len(text) > LONGEST_WORD:
            matches = [match for match in matches if len(match.encode()) <= LONGEST_WORD]
        if len(matches) == text.count(word) or (needle.prefix and matches):
            return len(matches)
        return len(matches) + self._count_in_parts(needle)

    def _count_in_parts(self, needle: Needle) -> int:
        """How often a word occurs among the parts of camelCase words."""
        if self.folded.places is not None:
            return _count_row(self.part_words, needle)
        return sum(
            _count_row(_part_words(part), needle)
            for word in self._camel_words(needle)
            for part in split_camel(word).split(BETWEEN)
        )

    def _camel_words(self, needle: Needle) -> Iterator[bytes]:
        """The camelCase words that may have the needle among their parts, each once."""
        text, folded, word = self.unfolded, self.folded.text, needle.words[0]
        seen: set[bytes] = set()
        place = folded.find(word)
        while place >= 0:
            end = place + len(word)
            if _is_inside(text, place, end) and _may_begin(text, place) and (needle.prefix or _may_end(text, end)):
                start, end = camel_word(text, place, end)
                camel = text[start:end].encode()
                if camel not in seen:
                    seen.add(camel)
                    yield camel
            place = folded.find(word, end)

    def _count_phrase(self, needle: Needle) -> int:
        text = self.folded.text
        pattern = needle.whole(mixed=self.folded.mixed)
        count = _count_overlapping(pattern, text) if _may_overlap(needle) else sum(1 for _ in pattern.finditer(text))
        # Only a part of several words can hold a phrase: one with signs that are not ASCII between them.
        if self.text.isascii() or _within_part(needle).search(self.text.lower() if self._plain else text) is None:
            return count
        return count + _count_row(self.part_words, needle)

    def count_near(self, places: Places) -> int:
        """How often words stand near one another, in any order: 0 unless each stands near its neighbour."""
        text = self.folded.text
        if not all(any(word in text for word in words) for words in places):
            return 0
        by_word: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            by_word.setdefault(word, []).append(number)
        for number, word in enumerate(self.part_words, len(self.words) + 1):
            by_word.setdefault(word, []).append(number)
        rows = [sorted({n for word in words for n in by_word.get(word, ())}) for words in places]
        counts = [_near(first, second) + _near(second, first) for first, second in pairwise(rows)]
        return sum(counts) if all(counts) else 0


def _others(data: bytes) -> set[str]:
    """The characters beyond ASCII."""
    return set(data.translate(None, _ASCII).decode())


def _is_inside(text: str, place: int, end: int) -> bool:
    """Does a longer run of letters surround a place?"""
    return (place > 0 and in_word(text[place - 1])) or (end < len(text) and in_word(text[end]))


def _may_begin(text: str, place: int) -> bool:
    """May a part of a camelCase word begin here: at a capital, or at the beginning of a word?"""
    return "A" <= text[place] <= "Z" or place == 0 or not (text[place - 1].isascii() and text[place - 1].isalnum())


def _may_end(text: str, end: int) -> bool:
    return end == len(text) or "A" <= text[end] <= "Z" or not (text[end].isascii() and text[end].isalnum())


def _part_words(part: str) -> list[str]:
    """The words of a part of a camelCase word."""
    return [part] if part.isascii() else analyze(clean(part))


@lru_cache(maxsize=64)
def _within_part(needle: Needle) -> re.Pattern[str]:
    return re.compile(r"[^\x00-\x7f]+".join(map(re.escape, needle.words)))


def _may_overlap(needle: Needle) -> bool:
    """May two occurrences of a phrase share words?"""
    first, last = needle.words[0], needle.words[-1]
    return first in needle.words[1:] or (needle.prefix and first.startswith(last))


def _count_overlapping(pattern: re.Pattern[str], text: str) -> int:
    count, match = 0, pattern.search(text)
    while match is not None:
        count += 1
        match = pattern.search(text, match.start() + 1)
    return count


def _count_row(words: Sequence[str], needle: Needle) -> int:
    """How often the words of a needle stand side by side in a list of words."""
    *others, last = needle.words
    size = len(others)
    count = 0
    for place in range(size, len(words)):
        word = words[place]
        if (word.startswith(last) if needle.prefix else word == last) and words[place - size : place] == others:
            count += len(word) <= LONGEST_WORD // 4 or len(word.encode()) <= LONGEST_WORD
    return count


def _near(first: Sequence[int], second: Sequence[int]) -> int:
    """How many pairs of places lie near each other, as the index counts them: the second one after the first."""
    count = i = j = 0
    left = [place + 1 for place in first]
    while i < len(left) and j < len(second):
        if abs(left[i] - second[j]) <= NEAR_DISTANCE:
            while i + 1 < len(left) and left[i + 1] <= second[j]:
                i += 1
            count, i, j = count + 1, i + 1, j + 1
        elif left[i] < second[j]:
            i += 1
        else:
            j += 1
    return count


@cache
def _is_odd(letter: str) -> bool:
    forms = fold_unit(letter)
    if in_word(letter) and not all(map(in_word, forms)):  # a fraction becomes two words inside another one
        return True
    return any(sign.isalnum() != bool(analyze(sign)) for sign in forms)
