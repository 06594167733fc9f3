"""The plain way to search: read everything, compare everything. The index must find the same.

What counts as found, precisely:

- A word is a run of letters and digits. Each character of a script without spaces (Han, Kana, Hangul, Thai, …) is a
  word of its own, and ends the run before it.
- Two words are the same if they are after composing and undoing wide, joined and other forms (NFKC: ½ is 1 and 2),
  dropping accents of Latin and Greek letters, and folding the case.
- A word is in a passage if one of its runs is that word, or one of the parts of a camelCase run of ASCII letters is:
  parts end before a capital that follows something else, and before the last capital of several that a small letter
  follows. A part of a single character does not count, nor does a part of a run of more than 255 characters.
- A phrase is in a passage if its words are runs that follow one another. Parts of runs make no phrase.
- A word or phrase is in a session if it is in one of its passages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from pollux.index.search.passages import Passage

RUN = re.compile(r"[^\W_]+")
HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9d\U00020000-\U0003134f"
PIECE = re.compile(f"[{HAN}]|[^{HAN}]+")
CAMEL = re.compile(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^A-Z])")
LONGEST = 255
LETTERS = {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "ı": "i", "đ": "d", "ł": "l"}


def words(text: str) -> list[str]:
    """The words of a text in their order."""
    return [piece for run in RUN.findall(unicodedata.normalize("NFKC", text)) for piece in _pieces(run)]


def parts(text: str) -> set[str]:
    """The parts of its camelCase words."""
    return {part for run in set(RUN.findall(unicodedata.normalize("NFKC", text))) for part in _parts(run)}


@lru_cache(maxsize=1 << 17)
def _pieces(run: str) -> tuple[str, ...]:
    return tuple(fold(piece) for piece in PIECE.findall(run))


@lru_cache(maxsize=1 << 17)
def _parts(run: str) -> tuple[str, ...]:
    pieces = [piece for piece in PIECE.findall(run) if len(piece) <= LONGEST]
    camels = (several for piece in pieces if len(several := CAMEL.split(piece)) > 1)
    return tuple(fold(part) for several in camels for part in several if len(part) > 1)


@lru_cache(maxsize=1 << 17)
def fold(word: str) -> str:
    """Without case, and without Latin and Greek accents."""
    return "".join(_base(letter) for letter in word).casefold()


def _base(letter: str) -> str:
    if letter in LETTERS:
        return LETTERS[letter]
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() or "\u0370" <= base <= "\u03ff" else letter


class Scan:
    """Every session's passages, ready to be scanned."""

    def __init__(self, sessions: Iterable[Iterable[Passage]]) -> None:
        self.words: list[list[list[str]]] = []
        self.every: list[set[str]] = []
        self.pairs: list[set[tuple[str, str]]] = []
        for passages in sessions:
            texts = [passage.text for passage in passages]
            self.words.append([words(text) for text in texts])
            self.every.append({word for run in self.words[-1] for word in run}.union(*map(parts, texts)))
            self.pairs.append({pair for run in self.words[-1] for pair in pairwise(run)})

    def with_word(self, word: str) -> set[int]:
        """The sessions that hold a word."""
        return {number for number, every in enumerate(self.every) if fold(word) in every}

    def with_pair(self, one: str, other: str) -> set[int]:
        """The sessions that hold a phrase of two words."""
        return {number for number, pairs in enumerate(self.pairs) if (fold(one), fold(other)) in pairs}
