"""Whether a file can hold a session that matches, judged by its bytes alone, before it is read.

A word of letters and digits stands in JSON as it is, unless its letters are escaped, or are other letters that count as
the same. A file with such letters counts as a possible match: no file that matches is rejected.
"""

from __future__ import annotations

import re
from functools import cached_property

from pollux.index.search.direct.letters import Letters, beyond_ascii, is_silent, may_become_another
from pollux.index.search.snippets import fold_unit

_ESCAPES = re.compile(rb"\\u(?!00[01])([0-9a-f]{4})", re.IGNORECASE)
"""Escaped characters, apart from control characters."""

_NUMBER = re.compile(r"[0-9]*(?:e[0-9]*)?|inf|infinity|nan")


class FileLetters:
    """The letters of files, in which words can be looked for. `added` are texts that do not stand in the files."""

    def __init__(self, data: bytes, added: str = "") -> None:
        self._data = data
        self._lowered = data.lower()
        self._added = Letters(added.encode(errors="replace"))

    def has(self, word: str) -> bool:
        """Do the files hold the letters of this word of the index as they are?"""
        return word.encode() in self._lowered

    def may_have(self, word: str) -> bool:
        """May the files hold this word of the index? A number may be written in several ways: 1e3 is 1000."""
        if self.has(word) or _NUMBER.fullmatch(word) or self._added.has(word):
            return True
        if self._is_of_another_encoding:
            return True
        own = frozenset(word)
        return any(_may_be_in(own, letter) for letter in (*self._others, *self._escaped))

    @cached_property
    def _is_of_another_encoding(self) -> bool:
        if self._data.isascii():
            return b"\0" in self._data
        try:
            return b"\0" in self._data or not self._data.decode()
        except UnicodeDecodeError:
            return True

    @cached_property
    def _escaped(self) -> set[str]:
        """The escaped characters."""
        found = set(_ESCAPES.findall(self._data)) if b"\\u" in self._data else set()
        return {chr(int(digits, 16)) for digits in found}

    @cached_property
    def _others(self) -> set[str]:
        """The characters beyond ASCII that count as others."""
        return {letter for letter in beyond_ascii(self._data) if may_become_another(letter)}


def _may_be_in(word: frozenset[str], letter: str) -> bool:
    """May a character be a part of a word with these letters? A half of a pair may."""
    return "\ud800" <= letter <= "\udfff" or is_silent(letter) or word.issuperset(fold_unit(letter))
