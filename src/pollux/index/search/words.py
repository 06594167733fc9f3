"""Text made ready for the index, so that words are found the way people look for them.

The index splits text at everything that is neither letter nor digit, and folds case and Latin accents. This file adds
what that misses: the parts of `parseHTMLDocument`, single characters of scripts that put no spaces between words, and
letters that are one but written in several ways. It runs over every text of a history, so it looks at bytes and stays
away from `re` wherever nothing is to be done.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import normalize

from pollux.text.folding import changes, fold

JOINT = "\x1f"
"""Stands between characters that are words of their own. The index sees a gap, people never see it."""

GAP = "ꙮ"
"""A word that nobody looks for: it keeps appended parts from being neighbours in a phrase."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, Hangul letters, Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\ua48f\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""The characters that are words of their own, as a regular expression's set has them."""

_HALVES = re.compile("[\ud800-\udfff]")

# Every byte as what it means for camelCase: a capital, another letter or digit, or the end of a word.
_CLASSES = bytes(
    0x41 if 0x41 <= byte <= 0x5A else 0x61 if chr(byte).isalnum() or byte >= 0x80 else 0x20 for byte in range(256)
)
_PARTS = re.compile(r"[A-Z]+(?![^A-Z])|[A-Z]+(?=[A-Z][^A-Z])|[A-Z]?[^A-Z]+")


# How characters begin that the index does not fold by itself, or that are words of their own. Those of dashes, arrows
# and é are not among them.
_LEADS = [
    *(bytes((lead,)) for lead in (*range(0xCA, 0xD0), *range(0xD6, 0xDC), 0xE0, 0xE1, *range(0xE3, 0xEE), 0xEF, 0xF0)),
    *(bytes((0xC2, last)) for last in (0xAA, 0xAD, 0xB5, 0xBA, 0xBC, 0xBD, 0xBE)),
    *(b"\xc5\x89", b"\xc6\x96", b"\xc6\xa6", b"\xc7\xae", b"\xc7\xaf", b"\xd0\x81", b"\xd1\x91"),
    *(b"\xe2\x82", b"\xe2\x84", b"\xe2\x85", b"\xe2\x86\x83", b"\xe2\x86\x89"),
    *(b"\xe2\x91", b"\xe2\x92", b"\xe2\xb1", b"\xe2\xb5"),
]
_ASCII = bytes(range(0x80))


@cache
def unspaced() -> re.Pattern[str]:
    """Characters in a row that are words of their own. Made when first needed: few texts have any."""
    return re.compile(f"[{UNSPACED}]+")


def stands_alone(character: str) -> bool:
    """Is the character a word of its own?"""
    return not character.isascii() and unspaced().match(character) is not None


class Ready(NamedTuple):
    """A text as the index takes it: the whole, and the parts of its camelCase words.

    `shown` is the text as a person reads it, where that is not to be had from `body`.
    """

    body: str
    parts: str
    shown: str | None


def ready(text: str) -> Ready:
    """Make a text ready for the index."""
    text, data = _well_formed(text)
    parts = f" {GAP} ".join(_camel_parts(data))
    if not _odd(data):
        return Ready(text, parts, None)
    if not changes(text):
        return Ready(_apart(text), parts, None)
    return Ready(_apart(fold(text)), fold(parts), text)


def clean(text: str) -> str:
    """A text as it is looked for: as `ready` makes the body of it."""
    text, data = _well_formed(text)
    return text if not _odd(data) else _apart(fold(text) if changes(text) else text)


def name(text: str) -> str:
    """A name or a path, which is kept whole: well-formed, accents composed."""
    return text if text.isascii() else normalize("NFC", _well_formed(text)[0])


def plain(body: str) -> str:
    """The text without the joints that `ready` put in."""
    return body if body.isascii() else body.replace(JOINT, "")


def _well_formed(text: str) -> tuple[str, bytes]:
    if JOINT in text:
        text = text.replace(JOINT, " ")
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = _HALVES.sub("\ufffd", text)
        return text, text.encode()


def _odd(data: bytes) -> bool:
    """May there be something in a text that the index would not understand?"""
    if data.isascii():
        return False
    beyond = data.translate(None, _ASCII)
    return any(lead in beyond for lead in _LEADS)


def _apart(text: str) -> str:
    """Characters that are words of their own, taken apart."""
    return unspaced().sub(lambda run: f"{JOINT}{JOINT.join(run[0])}{JOINT}", text)


def _camel_parts(data: bytes) -> list[str]:
    """The parts of the camelCase words of a text, each once.

    A part of a single character finds nothing that is wanted, and is left out.
    """
    classes = data.translate(_CLASSES)
    find, before = classes.find, classes.rfind
    found: dict[bytes, None] = {}
    for boundary in (b"aA", b"AAa"):
        place = find(boundary)
        while place >= 0:
            end = find(b" ", place)
            if end < 0:
                end = len(data)
            found[data[before(b" ", 0, place) + 1 : end]] = None
            place = find(boundary, end)
    return list(dict.fromkeys([part for word in found for part in _split(word)]))


@lru_cache(maxsize=1 << 15)
def _split(word: bytes) -> tuple[str, ...]:
    return tuple(part for part in _PARTS.findall(word.decode()) if len(part) > 1)


def camel_spans(text: str, place: int) -> list[tuple[int, int]]:
    """Where the part of a camelCase word that begins at this place stands in the text; empty where none does."""
    start = end = place
    while start and _goes_on(text[start - 1]):
        start -= 1
    while end < len(text) and _goes_on(text[end]):
        end += 1
    spans = (part.span() for part in _PARTS.finditer(text[start:end]))
    return [(start + s, start + e) for s, e in spans if start + s == place and e - s > 1 and e - s < end - start]


def _goes_on(letter: str) -> bool:
    """Is a character part of the word beside it?"""
    return letter.isalnum() and not stands_alone(letter)
