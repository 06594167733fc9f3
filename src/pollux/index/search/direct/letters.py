"""Which letters a text has: enough to say that a word does not occur in it, and that at the speed of reading."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
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
        if self._data.isascii():
            return False
        forms = frozenset(letter for letter in self._others if may_help_form(word, letter))
        return bool(forms) and word in fold_roughly(b"\n".join(self._pieces(forms)).decode(errors="replace")).text

    def _pieces(self, letters: frozenset[str]) -> Iterator[bytes]:
        """The pieces of the text with some of these letters. No piece ends inside a word."""
        for line in self._data.split(b"\n"):
            if not line.isascii():
                for piece in line.split(b"\\"):
                    if not piece.isascii() and not letters.isdisjoint(beyond_ascii(piece)):
                        yield piece

    @cached_property
    def _others(self) -> set[str]:
        """The letters beyond ASCII."""
        return beyond_ascii(self._data)


def beyond_ascii(data: bytes) -> set[str]:
    """The characters beyond ASCII."""
    return set(data.translate(None, _ASCII).decode(errors="replace"))


@cache
def may_become_another(letter: str) -> bool:
    """May a character count as another one, or vanish?"""
    return is_silent(letter) or fold_unit(letter) != letter


@lru_cache(maxsize=1 << 12)
def may_help_form(word: str, letter: str) -> bool:
    """May a character count as others, one of which is in a word, or vanish inside the word?"""
    return is_silent(letter) or (fold_unit(letter) != letter and not set(word).isdisjoint(fold_unit(letter)))


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
