"""Prepares text for the index, so that words are found as people search for them.

The index splits text at everything that is neither letter nor digit, and folds case and Latin accents. This module adds
the parts of `parseHTMLDocument`, single characters of scripts without spaces between words, and one form for letters
with several spellings. It processes every text of a history, so it looks at bytes, and avoids `re` where nothing needs
to be done.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import normalize

from pollux.text.folding import changes, fold
from pollux.text.surrogates import replace_surrogates

JOINT = "\x1f"
"""Separates characters that are words of their own. For the index it is a gap; people never see it."""

GAP = "ꙮ"
"""A word that nobody searches for. It prevents a phrase from matching across appended parts."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, Hangul letters, Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\ua48f\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""The characters that are words of their own, as a set of a regular expression."""


# The meaning of every byte for camelCase: a capital, another letter or digit, or the end of a word.
_CLASSES = bytes(
    0x41 if 0x41 <= byte <= 0x5A else 0x61 if chr(byte).isalnum() or byte >= 0x80 else 0x20 for byte in range(256)
)
_PARTS = re.compile(r"[A-Z]+(?![^A-Z])|[A-Z]+(?=[A-Z][^A-Z])|[A-Z]?[^A-Z]+")


_LONGEST_NAME = 256
"""How far the neighbourhood of a part of a word reaches: no name in code is longer."""

# The first bytes of characters that the index does not fold itself, or that are words of their own. Dashes, arrows and
# é are not among them.
_FIRST_BYTES = [
    *(bytes((lead,)) for lead in (*range(0xCA, 0xD0), *range(0xD6, 0xDC), 0xE0, 0xE1, *range(0xE3, 0xEE), 0xEF, 0xF0)),
    *(bytes((0xC2, last)) for last in (0xAA, 0xAD, 0xB5, 0xBA, 0xBC, 0xBD, 0xBE)),
    *(b"\xc5\x89", b"\xc6\x96", b"\xc6\xa6", b"\xc7\xae", b"\xc7\xaf", b"\xd0\x81", b"\xd1\x91"),
    *(b"\xe2\x82", b"\xe2\x84", b"\xe2\x85", b"\xe2\x86\x83", b"\xe2\x86\x89"),
    *(b"\xe2\x91", b"\xe2\x92", b"\xe2\xb1", b"\xe2\xb5"),
]
_ASCII = bytes(range(0x80))


@cache
def unspaced() -> re.Pattern[str]:
    """A pattern for runs of characters that are words of their own, made when it is first needed."""
    return re.compile(f"[{UNSPACED}]+")


def is_own_word(character: str) -> bool:
    """Is the character a word of its own?"""
    return not character.isascii() and unspaced().match(character) is not None


class PreparedText(NamedTuple):
    """A text as the index needs it: the whole text, and the parts of its camelCase words.

    `shown` is the text as a person reads it, if `body` does not give it.
    """

    body: str
    parts: str
    shown: str | None


def prepare(text: str) -> PreparedText:
    """Prepare a text for the index."""
    text, data = encoded(text)
    parts = f" {GAP} ".join(_camel_parts(data))
    if not _needs_work(data):
        return PreparedText(text, parts, None)
    if not changes(text):
        return PreparedText(_separate(text), parts, None)
    return PreparedText(_separate(fold(text)), fold(parts), text)


def clean(text: str) -> str:
    """A text to search for, in the form that `prepare` gives the body."""
    text, data = encoded(text)
    return text if not _needs_work(data) else _separate(fold(text) if changes(text) else text)


def normalize_name(text: str) -> str:
    """A name or a path, which stays whole: well-formed, with composed accents."""
    return text if text.isascii() else normalize("NFC", well_formed(text))


def plain(body: str) -> str:
    """The text without the joints that `prepare` inserted."""
    return body if body.isascii() else body.replace(JOINT, "")


def well_formed(text: str) -> str:
    """The text without lone surrogates, and without joints of its own."""
    return encoded(text)[0]


def encoded(text: str) -> tuple[str, bytes]:
    """The well-formed text, and its bytes."""
    if JOINT in text:
        text = text.replace(JOINT, " ")
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = replace_surrogates(text)
        return text, text.encode()


def _needs_work(data: bytes) -> bool:
    """May a text have characters that the index itself does not handle?"""
    if data.isascii():
        return False
    beyond = data.translate(None, _ASCII)
    return any(lead in beyond for lead in _FIRST_BYTES)


def _separate(text: str) -> str:
    """The text with a joint between characters that are words of their own."""
    return unspaced().sub(lambda run: f"{JOINT}{JOINT.join(run[0])}{JOINT}", text)


def _camel_parts(data: bytes) -> list[str]:
    """The parts of the camelCase words of a text, each once.

    A part of a single character is useless in a search, and is left out.
    """
    classes = data.translate(_CLASSES)
    find, before = classes.find, classes.rfind
    words: dict[bytes, None] = {}
    for boundary in (b"aA", b"AAa"):
        place = find(boundary)
        while place >= 0:
            end = find(b" ", place)
            if end < 0:
                end = len(data)
            words[data[before(b" ", 0, place) + 1 : end]] = None
            place = find(boundary, end)
    return list(dict.fromkeys([part for word in words for part in parts_of_word(word)]))


def is_camel_case(word: bytes) -> bool:
    """Has a word a boundary between two parts?"""
    classes = word.translate(_CLASSES)
    return b"aA" in classes or b"AAa" in classes


@lru_cache(maxsize=1 << 15)
def parts_of_word(word: bytes) -> tuple[str, ...]:
    """The parts of a camelCase word that count: those of several characters."""
    return tuple(part for part in _PARTS.findall(word.decode()) if len(part) > 1)


def camel_spans(text: str, place: int) -> list[tuple[int, int]]:
    """The span of the part of a camelCase word that begins at this place; empty where none does.

    Of an endless word only the neighbourhood is looked at.
    """
    start = end = place
    first, last = max(0, place - _LONGEST_NAME), min(len(text), place + _LONGEST_NAME)
    while start > first and _in_word(text[start - 1]):
        start -= 1
    while end < last and _in_word(text[end]):
        end += 1
    spans = (part.span() for part in _PARTS.finditer(text[start:end]))
    return [(start + s, start + e) for s, e in spans if start + s == place and e - s > 1 and e - s < end - start]


def _in_word(letter: str) -> bool:
    """Is a character part of the word next to it?"""
    return letter.isalnum() and not is_own_word(letter)
