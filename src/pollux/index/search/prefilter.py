"""Whether a file can hold a session that matches, judged by its bytes alone, before it is read.

A word of letters and digits stands in JSON as it is, unless its letters are escaped, or are other letters that count as
the same. Such files are looked at more closely, or count as possible matches: no file that matches is rejected.
"""

from __future__ import annotations

import re
from functools import cache, cached_property

from pollux.index.search.fields import tokens
from pollux.index.search.letters import Letters, is_silent

_ESCAPE = b"\\u"
_ESCAPES = re.compile(rb"\\u([0-9a-f]{4})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]*(?:e[0-9]*)?|inf|infinity|nan")


class FileLetters:
    """The letters of files, in which words can be looked for. `added` are texts that do not stand in the files."""

    def __init__(self, data: bytes, added: str = "") -> None:
        self._data = data
        self._letters = Letters(data)
        self._added = Letters(added.encode(errors="replace"))

    def may_have(self, word: str) -> bool:
        """May the files hold this word of the index? A number may be written in several ways: 1e3 is 1000."""
        if _NUMBER.fullmatch(word) or self._letters.has(word) or self._added.has(word):
            return True
        return self._is_of_another_encoding or (_ESCAPE in self._data and self._has_escaped_letters)

    @cached_property
    def _is_of_another_encoding(self) -> bool:
        if b"\0" in self._data:
            return True
        try:
            return not self._data.isascii() and not self._data.decode()
        except UnicodeDecodeError:
            return True

    @cached_property
    def _has_escaped_letters(self) -> bool:
        return any(_may_be_letter(chr(int(digits, 16))) for digits in set(_ESCAPES.findall(self._data)))


@cache
def _may_be_letter(letter: str) -> bool:
    """May an escaped character be a part of a word? A half of a pair may."""
    return "\ud800" <= letter <= "\udfff" or is_silent(letter) or bool(tokens(letter))
