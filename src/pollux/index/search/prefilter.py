"""Whether a file can hold a session that matches, judged by its bytes alone, before it is read.

A word of letters and digits stands in JSON as it is, unless its letters are escaped, or are other letters that count as
the same. Such files are looked at more closely, or count as possible matches: no file that matches is rejected.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from unicodedata import category

from pollux.index.search.fields import tokens
from pollux.index.search.snippets import fold_text, fold_unit

_ASCII = bytes(range(0x80))
_ESCAPE = b"\\u"
_ESCAPES = re.compile(rb"\\u([0-9a-f]{4})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]*(?:e[0-9]*)?|inf|infinity|nan")


class FileLetters:
    """The letters of files, in which words can be looked for. `added` are texts that do not stand in the files."""

    def __init__(self, data: bytes, added: str = "") -> None:
        self._data = data
        self._lowered = data.lower()
        self._added = fold_text(added).text

    def may_have(self, word: str) -> bool:
        """May the files hold this word of the index? A number may be written in several ways: 1e3 is 1000."""
        if _NUMBER.fullmatch(word) or word in self._added or (word.isascii() and word.encode() in self._lowered):
            return True
        if self._letters is None or (_ESCAPE in self._data and self._has_escaped_letters):
            return True
        if word.isascii() and not self._has_other_forms:
            return False
        return word in self._folded

    @cached_property
    def _letters(self) -> set[str] | None:
        """The letters beyond ASCII; None where the files may have another encoding."""
        if b"\0" in self._data:
            return None
        try:
            return set() if self._data.isascii() else set(self._data.translate(None, _ASCII).decode())
        except UnicodeDecodeError:
            return None

    @cached_property
    def _has_escaped_letters(self) -> bool:
        return any(_may_be_letter(chr(int(digits, 16))) for digits in set(_ESCAPES.findall(self._data)))

    @cached_property
    def _has_other_forms(self) -> bool:
        """Are there letters that may count as those of ASCII?"""
        return any(map(_may_become_ascii, self._letters or ()))

    @cached_property
    def _folded(self) -> str:
        return fold_text(self._data.decode(errors="replace")).text


@cache
def _may_be_letter(letter: str) -> bool:
    """May an escaped character be a part of a word? A half of a pair may."""
    return "\ud800" <= letter <= "\udfff" or _is_silent(letter) or bool(tokens(letter))


@cache
def _may_become_ascii(letter: str) -> bool:
    """May a character count as letters of ASCII, or vanish between them?"""
    return _is_silent(letter) or any(sign.isascii() and sign.isalnum() for sign in fold_unit(letter))


def _is_silent(letter: str) -> bool:
    return category(letter)[0] == "M" or not fold_unit(letter)
