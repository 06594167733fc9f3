"""Text folded for comparison, so that a search finds a word however its letters are written.

Upper and lower case are the same: all forms of sigma, ß and ss, I with and without a dot. So are Latin and Greek
letters with and without accents, Hebrew and Arabic with and without points, wide, narrow and joined forms, and all ways
to compose a character. Marks of other scripts distinguish words, as in й or が, and stay.
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

_UNDIVIDED = {
    "æ": "ae",
    "ð": "d",
    "ø": "o",
    "þ": "th",
    "đ": "d",
    "ħ": "h",
    "\u0131": "i",
    "ł": "l",
    "ŋ": "n",
    "œ": "oe",
}
_LETTERS = str.maketrans(_UNDIVIDED | {"ё": "\u0435"})
"""Letters that Unicode does not take apart, and the one Russian letter that mostly goes without its dots."""


_ASCII = bytes(range(0x80))
_MOST_MARKS = 30
"""The most marks that a character may have. Unicode's rules take a time that grows with the square of their number."""


def fold(text: str) -> str:
    """The text as it is compared. Folding it again does not change it."""
    if text.isascii():
        return text.lower()
    text = fold_marks(text, _beyond_ascii(text))
    table = _table(_beyond_ascii(text))
    return text.translate(table).lower() if table else text.lower()


def _beyond_ascii(text: str) -> set[str]:
    """The characters beyond ASCII."""
    data = text.encode(errors="surrogatepass")
    return set(data.translate(None, _ASCII).decode(errors="surrogatepass"))


def fold_marks(text: str, letters: Collection[str]) -> str:
    """The text, in which each character with marks is folded. `letters` are at least its characters beyond ASCII."""
    marks = _marks(letters)
    if not marks:
        return text
    with_marks = _with_marks(marks)
    pieces = list[str]()
    place = 0
    for run in _runs_of(marks).finditer(text):
        start = max(run.start() - 1, place)
        pieces += (text[place:start], with_marks.sub(lambda match: _fold_unit(match[0]), text[start : run.end()]))
        place = run.end()
    return "".join((*pieces, text[place:]))


def units(text: str) -> list[str]:
    """The pieces of a text that are folded separately: each a character with its marks."""
    marks = _marks(set(text))
    return re.findall(f"(?s:.)[{marks}]{{0,{_MOST_MARKS}}}", text) if marks else list(text)


def has_marks(letters: Collection[str]) -> bool:
    """Is one of these characters a mark, which belongs to the character before it?"""
    return bool(_marks(letters))


def _table(letters: Collection[str]) -> dict[int, str]:
    """What becomes of those characters that do not stay the same."""
    return {ord(letter): folded for letter in letters if (folded := _fold_unit(letter)) != letter}


def _marks(letters: Collection[str]) -> str:
    """The marks among these characters: a mark belongs to the character before it."""
    return "".join(sorted(letter for letter in letters if letter > "\xff" and _is_mark(letter)))


@cache
def _is_mark(letter: str) -> bool:
    """An accent, a vowel's sign, a Korean vowel or last consonant, the narrow signs that make か into が.

    A sign that only chooses how an emoji looks is none.
    """
    if "\ufe00" <= letter <= "\ufe0f":
        return False
    return category(letter)[0] == "M" or "\u1160" <= letter <= "\u11ff" or letter in "\uff9e\uff9f"


@lru_cache(maxsize=64)
def _with_marks(marks: str) -> re.Pattern[str]:
    """A pattern for a character with marks. To find it in a long text is slow."""
    return re.compile(f"(?s:.)[{marks}]{{1,{_MOST_MARKS}}}")


@lru_cache(maxsize=64)
def _runs_of(marks: str) -> re.Pattern[str]:
    return re.compile(f"[{marks}]+")


@lru_cache(maxsize=1 << 14)
def _fold_unit(unit: str) -> str:
    plain = unit.translate(_SILENT)
    if not any(letter.isalnum() for letter in plain):
        return normalize("NFC", plain)
    decomposed = normalize("NFKD", plain).translate(_SILENT)
    if decomposed[:1] < "\u0400" or "\u1f00" <= decomposed[0] <= "\u1fff":  # Latin and Greek
        decomposed = decomposed.translate(_ACCENTS)
    composed = normalize("NFC", normalize("NFKD", decomposed.casefold()))
    return normalize("NFC", composed.translate(_ACCENTS).translate(_LETTERS))
