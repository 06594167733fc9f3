"""The parts of camelCase words: a search for `parse` also finds `parseHTMLDocument`.

Every text of a history is examined, so this module looks at bytes, and splits each word only once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate

from pollux.index.search.prepare.unspaced import is_own_word, unspaced

GAP = "Z"
"""A word that nobody finds, because other words have no capitals. It keeps a phrase from matching several parts."""

BETWEEN = f" {GAP} "

# The meaning of every byte: a capital, another letter or digit, or the end of a word.
_CLASSES = bytes(
    0x41 if 0x41 <= byte <= 0x5A else 0x61 if chr(byte).isalnum() or byte >= 0x80 else 0x20 for byte in range(256)
)
# A part begins inside a word, at a capital after a small letter, or at the first of several capitals before one: the
# pattern matches from there to the end of the word. Capitals are rarer, so it looks for these first.
_TAILS = re.compile(rb"(A(?:(?<=aA)|A++a)[aA]*+)").split
_PARTS = re.compile(r"[A-Z]+(?![^A-Z])|[A-Z]+(?=[A-Z][^A-Z])|[A-Z]?[^A-Z]+")
_RUNS = re.compile(r"[^\W_]+")
_LONGEST = 255
"""A longer run of letters and digits is data, such as base64: nobody searches for a part of it."""


def camel_parts(data: bytes) -> str:
    """The parts of the different camelCase words of a text in UTF-8, with a gap between them and ASCII letters small.

    A part of a single character is useless in a search, and is left out.
    """
    classes = data.translate(_CLASSES)
    before = classes.rfind
    places = [*accumulate(map(len, _TAILS(classes)))]
    words = {
        data[before(b" ", 0, start) + 1 : end]: None for start, end in zip(places[::2], places[1::2], strict=False)
    }
    if not words:
        return ""
    if not data.isascii():
        words = dict.fromkeys([run for word in words for run in ((word,) if word.isascii() else _runs(word))])
    split = _split if max(map(len, words)) <= _LONGEST else split_camel
    return BETWEEN.join(filter(None, map(split, words)))


def split_camel(word: bytes) -> str:
    """The parts of one word of letters and digits in UTF-8, with a gap between them; empty if it is not camelCase."""
    if len(word) <= _LONGEST:
        return _split(word)
    return "" if word.isascii() or len(word.decode()) > _LONGEST else _split(word)


@lru_cache(maxsize=1 << 15)
def _split(word: bytes) -> str:
    parts = _PARTS.findall(word.decode())
    return BETWEEN.join([part.lower() for part in parts if len(part) > 1]) if len(parts) > 1 else ""


def _runs(word: bytes) -> list[bytes]:
    """The words where bytes alone do not show where words end, as at a dash or a Chinese character."""
    return [piece.encode() for run in _RUNS.findall(word.decode()) for piece in unspaced().split(run)]


def camel_spans(text: str, place: int) -> list[tuple[int, int]]:
    """The span of the part of a camelCase word that begins at this place; empty where none does."""
    start, end = camel_word(text, place, place)
    spans = (part.span() for part in _PARTS.finditer(text[start:end])) if end - start <= _LONGEST else ()
    return [(start + s, start + e) for s, e in spans if start + s == place and e - s > 1 and e - s < end - start]


def camel_word(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the word around a part. Of an endless word, it is more than the longest that counts."""
    first, last = max(0, start - _LONGEST - 1), min(len(text), end + _LONGEST + 1)
    while start > first and in_word(text[start - 1]):
        start -= 1
    while end < last and in_word(text[end]):
        end += 1
    return start, end


def in_word(letter: str) -> bool:
    """Is a character part of the word next to it?"""
    return letter.isalnum() and not is_own_word(letter)
