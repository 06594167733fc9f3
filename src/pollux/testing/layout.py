"""Where every value of a JSON file stands, byte by byte, so that one value can be changed and nothing else."""

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
"""Gives for the dotted place of a string and the string itself the part of it that must be found again."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}]+")
_SPACE = re.compile(rb"\s*")


class Value(NamedTuple):
    """A JSON value: its path inside the record, its bytes, and whether it is an object, a list, a string or else."""

    path: Steps
    start: int
    end: int
    kind: str


class Unit(NamedTuple):
    """What stands or falls as a whole: a line, or an item of a document's list, or one of its plain members."""

    start: int
    end: int
    line: int | None
    item: int | None


class Leaf(NamedTuple):
    """A string that has to be found again."""

    start: int
    words: frozenset[str]


class Layout:
    """A JSON Lines file or a JSON document taken apart; `values` is empty for a file that is neither."""

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
        """The words of the strings that lie in a stretch of bytes."""
        return {word for leaf in self._between(start, end) for word in leaf.words}

    def words_only_in(self, *stretches: tuple[int, int]) -> set[str]:
        """The words that stand nowhere else in the file than in these stretches."""
        counts = Counter(word for start, end in stretches for leaf in self._between(start, end) for word in leaf.words)
        return {word for word, count in counts.items() if count == self._counts[word]}

    def unit_before(self, place: int) -> int:
        """The number of the last unit that begins at or before this byte; -1 where none does."""
        return bisect_right(self._begins, place) - 1

    def is_head(self, value: Value) -> bool:
        """May the value tell what the whole file is: a record itself, a document's own member, the first line?"""
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
        listed = root.kind == "list"
        for value in self.values:
            depth, step = len(value.path), value.path[-1] if value.path else None
            if (depth == 1 and (listed or value.kind != "list")) or (
                depth == 2 and not listed and isinstance(step, int)
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
                found = list(_scan(self.raw, _skip(self.raw, start), ()))
                self.values += found
                self.units.append(Unit(found[0].start, found[0].end, number, None))
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
    found = _SPACE.match(raw, start)
    return found.end() if found else start


def _scan(raw: bytes, start: int, path: Steps) -> Iterator[Value]:
    """A value and all values in it, outer ones first. The JSON is known to be valid."""
    opening = raw[start : start + 1]
    if opening not in (b"{", b"["):
        found = (_STRING if opening == b'"' else _SCALAR).match(raw, start)
        assert found is not None  # noqa: S101 (valid JSON)
        yield Value(path, start, found.end(), "string" if opening == b'"' else "scalar")
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
        held = list(_scan(raw, position, (*path, step)))
        inner += held
        position = _skip(raw, held[0].end)
        if raw[position : position + 1] == b",":
            position = _skip(raw, position + 1)
        index += 1
    yield Value(path, start, position + 1, "object" if opening == b"{" else "list")
    yield from inner
