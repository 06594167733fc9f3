"""Letters as people compare them when they look for a word: however they are written, they are one letter.

Case is one: all forms of sigma, ß and ss, I with and without a dot. So are Latin and Greek letters with and without
accents, Hebrew and Arabic with and without points, wide, narrow and joined forms, and all ways to compose a character.
Marks of other scripts tell words apart, as in й or が, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from unicodedata import category, normalize

_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_SILENT = dict.fromkeys(
    (
        0xAD,  # the soft hyphen
        *range(0x591, 0x5BE),
        0x5BF,
        0x5C1,
        0x5C2,
        0x5C4,
        0x5C5,
        0x5C7,
        *range(0x610, 0x61B),
        0x640,  # the line that stretches an Arabic word
        *range(0x64B, 0x660),
        0x670,
        *range(0x6D6, 0x6DD),
        *range(0x6DF, 0x6E5),
        0x6E7,
        0x6E8,
        *range(0x6EA, 0x6EE),
    )
)
"""Points and signs that Hebrew, Arabic and hyphenation add to a word, and that most people leave out."""

_NO_PARTS = {"æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "\u0131": "i", "ł": "l", "ŋ": "n", "œ": "oe"}
_LETTERS = str.maketrans(_NO_PARTS | {"ё": "\u0435"})
"""Letters that Unicode does not take apart, and the one Russian letter that mostly goes without its dots."""


_MOST = 30
"""So many marks may a character have. Of more, Unicode's rules would take a time that grows with their square."""


def fold(text: str) -> str:
    """The text as it is compared. Folded twice it is the same."""
    if text.isascii():
        return text.lower()
    letters = set(text)
    if marks := _marks(letters):
        text = _marked(marks).sub(lambda found: _folded(found[0]), text)
        letters = set(text)
    return text.translate(_table(letters)).lower()


def units(text: str) -> list[str]:
    """The text taken apart into what is folded by itself: a character with its marks."""
    marks = _marks(set(text))
    return re.findall(f"(?s:.)[{marks}]{{0,{_MOST}}}", text) if marks else list(text)


def has_marks(letters: Collection[str]) -> bool:
    """Does one of some characters belong to the one before it?"""
    return bool(_marks(letters))


def changes(text: str) -> bool:
    """Is the text another one when it is folded, apart from ASCII letters?"""
    letters = set(text)
    return has_marks(letters) or any(_folded(letter) != letter for letter in letters if letter > "\x7f")


def _table(letters: Collection[str]) -> dict[int, str]:
    return {ord(letter): _folded(letter) for letter in letters if letter > "\x7f"}


def _marks(letters: Collection[str]) -> str:
    """Those of some characters that belong to the one before them."""
    return "".join(sorted(letter for letter in letters if letter > "\xff" and _is_mark(letter)))


@cache
def _is_mark(letter: str) -> bool:
    """An accent, a vowel's sign, a Korean vowel or last consonant, the narrow signs that make か into が."""
    return category(letter)[0] == "M" or "\u1160" <= letter <= "\u11ff" or letter in "\uff9e\uff9f"


@lru_cache(maxsize=64)
def _marked(marks: str) -> re.Pattern[str]:
    return re.compile(f"(?s:.)[{marks}]{{1,{_MOST}}}")


@lru_cache(maxsize=1 << 14)
def _folded(unit: str) -> str:
    plain = unit.translate(_SILENT)
    if not any(letter.isalnum() for letter in plain):
        return normalize("NFC", plain)
    apart = normalize("NFKD", plain).translate(_SILENT)
    if apart[:1] < "\u0400" or "\u1f00" <= apart[0] <= "\u1fff":  # Latin and Greek
        apart = apart.translate(_ACCENTS)
    whole = normalize("NFC", normalize("NFKD", apart.casefold()))
    return normalize("NFC", whole.translate(_ACCENTS).translate(_LETTERS))
