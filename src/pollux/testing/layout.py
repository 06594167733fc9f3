"""The bytes of every value of a JSON file, so that one value can be changed and nothing else."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pollux.testing.words import words

Steps = tuple[str | int, ...]
Needed = Callable[[str, str], str]
"""Returns the part of a string that must be found again, for its dotted place and the string."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]+")
_SPACE = re.compile(rb"\s*")


class Value(NamedTuple):
    """A JSON value: its path in the record, its bytes, and its kind: object, list, string or scalar."""

    path: Steps
    start: int
    end: int
    kind: str


class Unit(NamedTuple):
    """The smallest piece that is read as a whole: a line, an item of a document's list, or one of its plain members."""

    start: int
    end: int
    line: int | None
    item: int | None


class Leaf(NamedTuple):
    """A string that must be found again."""

    start: int
    words: frozenset[str]


class Layout:
    """A JSON Lines file or a JSON document, divided; `values` is empty for a file that is neither."""

    def __init__(self, raw: bytes, needed: Needed) -> None:
        self.raw = raw
        self.values: list[Value] = []
        self.units: list[Unit] = []
        if not self._document():
            self._lines()
        self.leaves = [leaf for value in self.values if (leaf := self._leaf(value, needed)) is not None]
        self._begins = [unit.start for unit in self.units]
        self._starts = [leaf.start for leaf in self.leaves]
        self._counts = Counter(word for leaf in self.leaves for word in leaf.words)
        self.words = frozenset(self._counts)

    def words_within(self, start: int, end: int) -> set[str]:
        """The words of the strings in a range of bytes."""
        return {word for leaf in self._between(start, end) for word in leaf.words}

    def words_only_in(self, *ranges: tuple[int, int]) -> set[str]:
        """The words that occur only in these ranges of the file."""
        counts = Counter(word for start, end in ranges for leaf in self._between(start, end) for word in leaf.words)
        return {word for word, count in counts.items() if count == self._counts[word]}

    def unit_before(self, place: int) -> int:
        """The number of the last unit that begins at or before this byte; -1 where none does."""
        return bisect_right(self._begins, place) - 1

    def is_head(self, value: Value) -> bool:
        """May the value decide what the whole file is: a record itself, a document's own member, the first line?"""
        first = self.units[0] if self.units else None
        if first is None or first.line is None:
            return len(value.path) < 2
        return not value.path or value.start < first.end

    def _between(self, start: int, end: int) -> list[Leaf]:
        return self.leaves[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _document(self) -> bool:
        try:
            json.loads(self.raw)
        except (ValueError, RecursionError):
            return False
        if not self.raw.lstrip().startswith((b"{", b"[")):
            return True
        self.values = list(_scan(self.raw, _skip(self.raw, 0), ()))
        root = self.values[0]
        is_list = root.kind == "list"
        for value in self.values:
            depth, step = len(value.path), value.path[-1] if value.path else None
            if (depth == 1 and (is_list or value.kind != "list")) or (
                depth == 2 and not is_list and isinstance(step, int)
            ):
                item = step if isinstance(step, int) and value.kind == "object" else None
                self.units.append(Unit(value.start, value.end, None, item))
        return True

    def _lines(self) -> None:
        if not self.raw.lstrip().startswith(b"{"):
            return
        start = 0
        for number, line in enumerate(self.raw.split(b"\n"), start=1):
            try:
                json.loads(line)
            except (ValueError, RecursionError):
                pass
            else:
                values = list(_scan(self.raw, _skip(self.raw, start), ()))
                self.values += values
                self.units.append(Unit(values[0].start, values[0].end, number, None))
            start += len(line) + 1

    def _leaf(self, value: Value, needed: Needed) -> Leaf | None:
        if value.kind != "string":
            return None
        text = json.loads(self.raw[value.start : value.end])
        return Leaf(value.start, words(needed(dotted(value.path), text)))


def dotted(path: Steps) -> str:
    """A path with every index written as `[]`: `messages.[].content`."""
    return ".".join("[]" if isinstance(step, int) else step for step in path)


def _skip(raw: bytes, start: int) -> int:
    match = _SPACE.match(raw, start)
    return match.end() if match else start


def _scan(raw: bytes, start: int, path: Steps) -> Iterator[Value]:
    """A value and all values in it, the outer ones first. The JSON must be valid."""
    opening = raw[start : start + 1]
    if opening not in (b"{", b"["):
        match = (_STRING if opening == b'"' else _SCALAR).match(raw, start)
        assert match is not None  # noqa: S101 (valid JSON)
        yield Value(path, start, match.end(), "string" if opening == b'"' else "scalar")
        return
    closing = b"}" if opening == b"{" else b"]"
    inner: list[Value] = []
    position = _skip(raw, start + 1)
    index = 0
    while raw[position : position + 1] != closing:
        step: str | int = index
        if opening == b"{":
            key = _STRING.match(raw, position)
            assert key is not None  # noqa: S101 (valid JSON)
            step = json.loads(key.group())
            position = _skip(raw, _skip(raw, key.end()) + 1)
        values = list(_scan(raw, position, (*path, step)))
        inner += values
        position = _skip(raw, values[0].end)
        if raw[position : position + 1] == b",":
            position = _skip(raw, position + 1)
        index += 1
    yield Value(path, start, position + 1, "object" if opening == b"{" else "list")
    yield from inner
