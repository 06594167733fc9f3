"""Whether a file can hold a session that matches, judged by its bytes alone, before it is read.

A word of letters and digits stands in JSON as it is, unless its letters are escaped, or are other letters that count as
the same. Such letters are looked at more closely if they are few; a file with many of them counts as a possible match.
No file that matches is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from pollux.index.search.direct.letters import Letters, beyond_ascii, is_silent, may_become_another
from pollux.index.search.snippets import fold_roughly, fold_unit

_ESCAPES = re.compile(rb"\\u(?!00[01])([0-9a-f]{4})", re.IGNORECASE)
"""Escaped characters, apart from control characters."""

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})", re.IGNORECASE)
_ESCAPED_LETTER, _SPARE = 12, 48
"""How many bytes an escaped letter may have; and letters that vanish."""

_MOST, _MOST_SIGNS = 300, 4
"""How many occurrences of other letters are looked at, and of how many letters: more cost as much as reading."""

NUMBER = re.compile(r"[0-9]*(?:e[0-9]*)?|inf|infinity|nan")
"""A word that may be written in several ways."""


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
        if self.has(word) or NUMBER.fullmatch(word) or self._added.has(word):
            return True
        if self._is_of_another_encoding:
            return True
        own = frozenset(word)
        signs = [letter.encode() for letter in self._others if _may_be_in(own, letter)]
        signs += [escape for escape, letter in self._escaped.items() if _may_be_in(own, letter)]
        if not signs or len(signs) > _MOST_SIGNS:
            return bool(signs)
        pieces = list(islice(self._around(signs, _ESCAPED_LETTER * len(word) + _SPARE), _MOST + 1))
        return len(pieces) > _MOST or word in fold_roughly(_unescaped(b"\n".join(pieces))).text

    def _around(self, signs: Sequence[bytes], reach: int) -> Iterator[bytes]:
        """The neighbourhood of each occurrence of these letters."""
        for sign in signs:
            place = self._data.find(sign)
            while place >= 0:
                yield self._data[max(0, place - reach) : place + reach]
                place = self._data.find(sign, place + reach // 2)

    @cached_property
    def _is_of_another_encoding(self) -> bool:
        if self._data.isascii():
            return b"\0" in self._data
        try:
            return b"\0" in self._data or not self._data.decode()
        except UnicodeDecodeError:
            return True

    @cached_property
    def _escaped(self) -> dict[bytes, str]:
        """The escaped characters by their escapes."""
        found = set(_ESCAPES.findall(self._data)) if b"\\u" in self._data else set()
        return {b"\\u" + digits: chr(int(digits, 16)) for digits in found}

    @cached_property
    def _others(self) -> set[str]:
        """The characters beyond ASCII that count as others."""
        return {letter for letter in beyond_ascii(self._data) if may_become_another(letter)}


def _unescaped(data: bytes) -> str:
    """The text without escapes, and with whole pairs."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), data.decode(errors="replace"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _may_be_in(word: frozenset[str], letter: str) -> bool:
    """May a character be a part of a word with these letters? A half of a pair may."""
    return "\ud800" <= letter <= "\udfff" or is_silent(letter) or word.issuperset(fold_unit(letter))
