"""Whether something can match at all: do the letters of the query's words occur in it?

This looks at the texts as they are, before any of them is joined or prepared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, AnyStr

from pollux.index.search.direct.letters import Letters, beyond_ascii, may_help_form
from pollux.index.search.passages import OUTPUT_TAIL, as_words, piece_of
from pollux.model import Author, Part, Session, Text, ToolCall

_SIGNS = "".join([letter for letter in map(chr, range(0x80)) if not letter.isalnum()])
_OTHER_SIGNS = _SIGNS.encode() + bytes(range(0x80, 0x100))
"""What may stand between words in ASCII; and in other texts, in which signs are not distinguished from letters."""

_LONGEST_GAP = 64
"""So many signs between two words are looked at."""

Choices = Sequence[Sequence[str]]
"""Lists of words: what matches has the letters of all words of at least one list."""


def has_words(has: Callable[[str], bool], choices: Choices) -> bool:
    """Has a text the letters of all words of one of these lists?"""
    return any(all(map(has, words)) for words in choices)


class SessionLetters:
    """All letters of a session. `passages` is about how many passages it has."""

    def __init__(self, session: Session) -> None:
        strings = [session.title or "", *session.facts.get("name", ())]
        self.passages = sum([len(message.parts) for message in session.messages])
        for message in session.messages:
            _collect(message.parts, message.author, strings)
        self._plain = "\n".join([text for text in strings if text.isascii()]).lower()
        other = "\n".join([text for text in strings if not text.isascii()])
        self._other = Letters(other.encode(errors="replace"))
        self.characters = len(self._plain) + len(other)

    def has(self, word: str) -> bool:
        """Do the letters of a word occur side by side?"""
        return word in self._plain or self._other.has(word)


class PassageLetters:
    """The letters of passages, each with the author of its parts. One look finds those that may have a phrase.

    The texts of a passage stand in the same order as in the index, so that its phrases are the same.
    """

    def __init__(self, passages: Sequence[tuple[Sequence[Part], Author]]) -> None:
        plain: list[str] = []
        others: list[bytes] = []
        for parts, author in passages:
            strings: list[str] = []
            _collect(parts, author, strings)
            text = "\n".join(strings)
            plain.append(text if text.isascii() else "")
            others.append(b"" if text.isascii() else text.encode(errors="replace"))
        self._plain, self._starts = "\n".join(plain).lower(), _starts(plain)
        self._others, self._other_starts = b"\n".join(others).lower(), _starts(others)
        self._beyond = beyond_ascii(self._others)

    def having(self, words: Sequence[str]) -> list[int]:
        """The numbers of the passages in which these words may stand side by side."""
        found = {*_numbers(self._plain, words, _SIGNS, self._starts)}
        data = [word.encode() for word in words]
        found.update(_numbers(self._others, data, _OTHER_SIGNS, self._other_starts))
        for letter in self._beyond:
            if any(may_help_form(word, letter) for word in words):
                found.update(_numbers(self._others, [letter.encode()], b"", self._other_starts))
        return sorted(found)


def _starts(texts: Sequence[str] | Sequence[bytes]) -> list[int]:
    """Where each of some texts begins, if there is one character between two; and the end."""
    return [end + count for count, end in enumerate(accumulate(map(len, texts), initial=0))]


def _numbers(text: AnyStr, words: Sequence[AnyStr], signs: AnyStr, starts: Sequence[int]) -> Iterator[int]:
    """The numbers of the pieces of a text in which words may stand side by side. `signs` may stand between them."""
    chosen = max(range(1, len(words)), key=lambda number: len(words[number]), default=0)
    word, before = words[chosen], words[chosen - 1] if chosen else None
    place = text.find(word)
    while place >= 0:
        if before is None or _follows(text, place, before, signs):
            number = bisect_right(starts, place) - 1
            yield number
            place = text.find(word, starts[number + 1])
        else:
            place = text.find(word, place + 1)


def _follows(text: AnyStr, place: int, before: AnyStr, signs: AnyStr) -> bool:
    """May a word stand before this place, with signs between? A sign may also be the end of that word."""
    near = text[max(0, place - _LONGEST_GAP) : place]
    gap = len(near) - len(near.rstrip(signs))
    return gap == _LONGEST_GAP or before in text[max(0, place - gap - len(before)) : place]


def _collect(parts: Sequence[Part], author: Author, strings: list[str]) -> None:
    """Add the texts of parts."""
    for part in parts:
        if isinstance(part, Text):
            strings.append(part.text)
        elif isinstance(part, ToolCall) and not part.attachments and len(part.output or "") <= OUTPUT_TAIL:
            strings += (part.name, part.canonical)
            _collect_value(part.input, strings)
            if part.output:
                strings.append(part.output)
        else:
            strings.append(piece_of(part, author).text)


def _collect_value(value: Any, strings: list[str]) -> None:
    """Add the keys and texts of a plain JSON value."""
    if not isinstance(value, dict):
        strings.append(as_words(value))
        return
    for key, inner in value.items():
        if isinstance(inner, str):
            strings += (str(key), inner)
        elif isinstance(inner, (int, float)):
            strings += (str(key), str(inner).lower())
        else:
            strings.append(as_words({key: inner}))
