"""Which letters a text has: enough to say that a word does not occur in it, and that at the speed of reading."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from unicodedata import category

from pollux.index.search.fields import tokens
from pollux.index.search.snippets import fold_roughly, fold_unit

_ASCII = bytes(range(0x80))


class Letters:
    """The letters of an encoded text, in which words can be looked for, perhaps inside other words."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lowered = data.lower()

    def has(self, word: str) -> bool:
        """May the text hold this word of the index?"""
        if word.encode() in self._lowered:
            return True
        if self._data.isascii() or not self._has_other_forms(ascii_only=word.isascii()):
            return False
        return word in self._folded

    def _has_other_forms(self, *, ascii_only: bool) -> bool:
        """Are there letters that may count as others, or as others of ASCII?"""
        return any(map(may_become_ascii if ascii_only else may_become_another, self._others))

    def _pieces(self) -> Iterator[bytes]:
        """The pieces of the text with letters that may count as others. No piece ends inside a word."""
        for line in self._data.split(b"\n"):
            if not line.isascii():
                for piece in line.split(b"\\"):
                    if not piece.isascii() and any(map(may_become_another, beyond_ascii(piece))):
                        yield piece

    @cached_property
    def _others(self) -> set[str]:
        """The letters beyond ASCII."""
        return beyond_ascii(self._data)

    @cached_property
    def _folded(self) -> str:
        return fold_roughly(b"\n".join(self._pieces()).decode(errors="replace")).text


def beyond_ascii(data: bytes) -> set[str]:
    """The characters beyond ASCII."""
    return set(data.translate(None, _ASCII).decode(errors="replace"))


@cache
def may_become_ascii(letter: str) -> bool:
    """May a character count as letters of ASCII, or vanish between them?"""
    return is_silent(letter) or any(sign.isascii() and sign.isalnum() for sign in fold_unit(letter))


@cache
def may_become_another(letter: str) -> bool:
    """May a character count as another one, or vanish?"""
    return is_silent(letter) or fold_unit(letter) != letter


@cache
def is_silent(letter: str) -> bool:
    """May a character vanish, or change the one before it?"""
    return (
        category(letter)[0] == "M"
        or "\u1160" <= letter <= "\u11ff"
        or letter in "\uff9e\uff9f"
        or not fold_unit(letter)
    )


@cache
def is_sign(letter: str) -> bool:
    """Is a character beyond ASCII nothing but a gap between words?"""
    return not is_silent(letter) and fold_unit(letter) == letter and not letter.isalnum() and not tokens(letter)
