"""Find the end of a copy: compare the lines of a fork with the lines of its parent. Either file may be damaged."""

from __future__ import annotations

from functools import cached_property

import msgspec

from pollux.sources.codex.format.lines import canonical
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED

# At most this many lines may be missing at one position.
_SKIPPED = 8
# Only a turn writes these, so no session begins with one of them.
_WITHIN = frozenset(
    {
        "agent_message",
        "agent_reasoning",
        "custom_tool_call",
        "custom_tool_call_output",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "reasoning",
        "token_count",
        "web_search_call",
    }
)


class _Payload(msgspec.Struct):
    type: str | None = None
    role: str | None = None


_payload = json_decoder(_Payload).decode


class CopyEnd(msgspec.Struct):
    """How many lines of a fork are a copy of its parent's lines; `sure` says that nothing contradicts this.

    `figures` are the parent's last figures before that line, and its figures in the rest of the turn.
    """

    lines: int
    sure: bool = True
    figures: frozenset[bytes] = frozenset()


class _ReadableLines:
    """The lines of a file that can be read. It also knows how many unreadable lines are before each of them."""

    def __init__(self, lines: list[bytes | None]) -> None:
        self.places = [place for place, line in enumerate(lines) if line is not None]
        self.lines = [line for line in lines if line is not None]
        self._end = len(lines)
        self._spelled: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def canonical(self, at: int) -> bytes:
        """A line in canonical form, so that equal values are equal bytes."""
        if at not in self._spelled:
            self._spelled[at] = canonical(self.lines[at])
        return self._spelled[at]

    def place(self, at: int) -> int:
        """The position of a readable line among all lines of the file."""
        return self.places[at] if at < len(self.places) else self._end

    def torn(self, at: int) -> int:
        """How many lines right before this one cannot be read."""
        return self.place(at) - (self.places[at - 1] + 1 if at else 0)


class _Alignment:
    """Compares the lines of a fork (`mine`) with the lines of its parent (`theirs`)."""

    def __init__(self, mine: list[bytes | None], theirs: list[bytes | None]) -> None:
        self.mine, self.theirs = _ReadableLines(mine), _ReadableLines(theirs)

    @cached_property
    def _first(self) -> dict[bytes, int]:
        """The first position of each line of the parent."""
        first: dict[bytes, int] = {}
        for at, line in enumerate(self.theirs.lines):
            first.setdefault(line, at)
        return first

    def same(self, one: int, other: int) -> bool:
        """Are two lines equal?"""
        if not (0 <= one < len(self.mine) and 0 <= other < len(self.theirs)):
            return False
        if self.mine.lines[one] == self.theirs.lines[other]:
            return True
        return self.mine.canonical(one) == self.theirs.canonical(other)

    def proves(self, one: int, other: int, *, skipped: int) -> bool:
        """Are two lines, or lines right after them, equal, and is that line new in the parent?

        After more than one skipped line, figures prove nothing: a fork's first turn repeats the parent's last figures.
        """
        while self.same(one, other):
            line = self.theirs.lines[other]
            if self._first[line] == other and (skipped <= 1 or not has_figures(line)):
                return True
            one, other = one + 1, other + 1
        return False

    def again(self, one: int, other: int) -> tuple[int, int] | None:
        """The next positions at which both files are equal again: one file may lack lines, and one line may differ."""
        here = _SKIPPED + self.theirs.torn(other)
        there = _SKIPPED + self.mine.torn(one)
        for skip in range(1, max(here, there) + 1):
            ahead = [(0, skip), (1, skip)] if skip <= there else []
            ahead += [(skip, 0), (skip, 1)] if skip <= here else []
            for mine, theirs in ahead:
                if self.proves(one + mine, other + theirs, skipped=mine):
                    return one + mine, other + theirs
        return None

    def end(self) -> tuple[int, int]:
        """The positions in both files after which nothing is equal."""
        one = other = 0
        while one < len(self.mine):
            if self.same(one, other):
                one, other = one + 1, other + 1
            elif self.same(one, other - 1):
                # Written twice.
                one += 1
            elif (places := self.again(one, other)) is not None:
                one, other = places
            else:
                break
        return one, other

    def over(self, one: int) -> int:
        """The first line from `one` on with which a session may begin. The parent has lost the lines before it."""
        while one < len(self.mine) and is_within(self.mine.lines[one]):
            one += 1
        return one

    def is_sure(self, end: int, begin: int, other: int) -> bool:
        """Is each skipped line unreadable or repeated in the parent, and are the next lines not there?"""
        lost = sum(line not in self._first for line in self.mine.lines[end:begin])
        if lost > self.theirs.torn(other):
            return False
        near = range(other, min(other + 2 * _SKIPPED, len(self.theirs)))
        new = {self.theirs.canonical(at) for at in near if self._first[self.theirs.lines[at]] == at}
        after = range(begin, min(begin + _SKIPPED, len(self.mine)))
        return not any(self.mine.canonical(at) in new for at in after)

    def figures(self, other: int) -> frozenset[bytes]:
        """The parent's figures at a position: the last figures before it, and those in the rest of the turn."""
        lines = self.theirs.lines
        last = next((at for at in range(other - 1, -1, -1) if has_figures(lines[at])), None)
        figures = set() if last is None else {self.theirs.canonical(last)}
        while other < len(lines) and is_within(lines[other]):
            if has_figures(lines[other]):
                figures.add(self.theirs.canonical(other))
            other += 1
        return frozenset(figures)


def end_of_copy(mine: list[bytes | None], theirs: list[bytes | None]) -> CopyEnd:
    """Find the line with which the copy of another file's lines ends.

    If a line differs or is missing, the copy goes on if a line soon after it is equal and new in the other file.
    A line that cannot be read is None.
    """
    both = _Alignment(mine, theirs)
    end, other = both.end()
    begin = both.over(end)
    sure = begin == len(both.mine) == end or both.is_sure(end, begin, other)
    return CopyEnd(both.mine.place(begin), sure, both.figures(other))


def is_within(content: bytes) -> bool:
    """Is this a line that only a turn writes, so that no session begins with it?"""
    try:
        payload = _payload(content)
    except REFUSED:
        return False
    return payload.type in _WITHIN or (payload.type == "message" and payload.role == "assistant")


def has_figures(content: bytes) -> bool:
    """Does a line contain the tokens that the thread has used so far?"""
    return b'"total_token_usage"' in content and is_within(content)
