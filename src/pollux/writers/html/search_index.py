"""Which sessions hold which word, in files that a page from disk can load one at a time.

A page from disk may not read files, but it may run scripts that lie beside it: so each file is a script that hands its
words over. Words are sorted, so that the one file in which a word must be is known without reading any.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator

from pollux.text.folding import fold

SIZE = 120_000
"""Characters a file."""

LONGEST = 60
"""Characters: nobody searches for longer words, which are keys, hashes or pieces of files."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# In these scripts there is no space between words: each of their characters is taken for one.
_ONE_BY_ONE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_ONE_BY_ONE}]|[^\W_{_ONE_BY_ONE}]+")


def words(text: str) -> set[str]:
    """The words of a text; the script of the page takes a query apart in the same way."""
    every = _WORD.findall(fold(text))
    return {word for word in every if len(word) <= LONGEST}


class SearchIndex:
    """Where each word occurs. Sessions are numbers, and may come in any order."""

    def __init__(self) -> None:
        self._places: dict[str, array[int]] = {}

    def add(self, number: int, texts: Iterable[str]) -> None:
        """One session's texts."""
        for word in set().union(*map(words, texts)):
            self._places.setdefault(word, array("L")).append(number)

    def __len__(self) -> int:
        return len(self._places)

    def files(self) -> Iterator[tuple[str, str]]:
        """The files, each with its first word."""
        lines: list[str] = []
        first, size, number = "", 0, 0
        for word in sorted(self._places):
            line = f"{word} {' '.join(_steps(sorted(set(self._places[word]))))}"
            first = first or word
            lines.append(line)
            size += len(line) + 1
            if size >= SIZE:
                yield first, _script(number, lines)
                lines, first, size, number = [], "", 0, number + 1
        if lines:
            yield first, _script(number, lines)


def _script(number: int, lines: list[str]) -> str:
    text = json.dumps("\n".join(lines), ensure_ascii=False)
    return f"pollux.words({number},{text});\n"


def _steps(numbers: list[int]) -> Iterator[str]:
    """The difference of each number from the one before, in few digits."""
    before = 0
    for number in numbers:
        yield _short(number - before)
        before = number


def _short(number: int) -> str:
    digits = ""
    while number >= 36:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return _DIGITS[number] + digits
