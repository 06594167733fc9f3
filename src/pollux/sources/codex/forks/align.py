"""Where a copy ends: the lines of a fork are compared with those of its parent. Either may be damaged."""

from __future__ import annotations

from functools import cached_property

import msgspec

from pollux.sources.codex.format.lines import canonical
from pollux.wire import REFUSED

# So many lines may be missing at one place.
_SKIPPED = 8
# Only a turn that is under way writes these: no session begins with one.
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


_payload = msgspec.json.Decoder(_Payload).decode


class CopyEnd(msgspec.Struct):
    """How many of a file's lines are a copy of another's; `sure` where nothing speaks against it.

    `figures` are the other's last ones before that, and those with which it ends the turn that the copy broke off in.
    """

    lines: int
    sure: bool = True
    figures: frozenset[bytes] = frozenset()


class _Text:
    """The lines of a file that can be read, and how many before each of them cannot."""

    def __init__(self, lines: list[bytes | None]) -> None:
        self.places = [place for place, line in enumerate(lines) if line is not None]
        self.lines = [line for line in lines if line is not None]
        self._end = len(lines)
        self._spelled: dict[int, bytes] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def canonical(self, at: int) -> bytes:
        """A line, however it was spelled."""
        if at not in self._spelled:
            self._spelled[at] = canonical(self.lines[at])
        return self._spelled[at]

    def place(self, at: int) -> int:
        """Where a line stands among all."""
        return self.places[at] if at < len(self.places) else self._end

    def torn(self, at: int) -> int:
        """How many lines right before one cannot be read."""
        return self.place(at) - (self.places[at - 1] + 1 if at else 0)


class _Alignment:
    def __init__(self, mine: list[bytes | None], theirs: list[bytes | None]) -> None:
        self.mine, self.theirs = _Text(mine), _Text(theirs)

    @cached_property
    def _first(self) -> dict[bytes, int]:
        """Where each of the other's lines stands first."""
        first: dict[bytes, int] = {}
        for at, line in enumerate(self.theirs.lines):
            first.setdefault(line, at)
        return first

    def same(self, one: int, other: int) -> bool:
        """Do two lines say the same?"""
        if not (0 <= one < len(self.mine) and 0 <= other < len(self.theirs)):
            return False
        if self.mine.lines[one] == self.theirs.lines[other]:
            return True
        return self.mine.canonical(one) == self.theirs.canonical(other)

    def proves(self, one: int, other: int, *, skipped: int) -> bool:
        """Do two lines, or those right after them, say the same for the first time?

        After more than one line that is skipped figures prove nothing: a fork's first turn repeats its parent's last.
        """
        while self.same(one, other):
            line = self.theirs.lines[other]
            if self._first[line] == other and (skipped <= 1 or not has_figures(line)):
                return True
            one, other = one + 1, other + 1
        return False

    def again(self, one: int, other: int) -> tuple[int, int] | None:
        """Where both go on alike after a difference: lines that one of them lacks, and one that is not the same."""
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
        """The first lines of both that are not alike, nor any after them."""
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
        """The first line with which a session may begin: the parent has lost the ones before it."""
        while one < len(self.mine) and is_within(self.mine.lines[one]):
            one += 1
        return one

    def is_sure(self, end: int, begin: int, other: int) -> bool:
        """Are all skipped lines torn in the other file, or repeated, and is none of the next ones known there?"""
        lost = sum(line not in self._first for line in self.mine.lines[end:begin])
        if lost > self.theirs.torn(other):
            return False
        near = range(other, min(other + 2 * _SKIPPED, len(self.theirs)))
        new = {self.theirs.canonical(at) for at in near if self._first[self.theirs.lines[at]] == at}
        after = range(begin, min(begin + _SKIPPED, len(self.mine)))
        return not any(self.mine.canonical(at) in new for at in after)

    def figures(self, other: int) -> frozenset[bytes]:
        """The other's figures at a place: the last ones before it, and those in the rest of the turn."""
        lines = self.theirs.lines
        last = next((at for at in range(other - 1, -1, -1) if has_figures(lines[at])), None)
        figures = set() if last is None else {self.theirs.canonical(last)}
        while other < len(lines) and is_within(lines[other]):
            if has_figures(lines[other]):
                figures.add(self.theirs.canonical(other))
            other += 1
        return frozenset(figures)


def end_of_copy(mine: list[bytes | None], theirs: list[bytes | None]) -> CopyEnd:
    """Where the copy of another file's lines ends.

    Both are aligned: where a line differs or is missing, the copy goes on if a line soon after says what the other says
    there for the first time. A line that cannot be read is None.
    """
    both = _Alignment(mine, theirs)
    end, other = both.end()
    begin = both.over(end)
    sure = begin == len(both.mine) == end or both.is_sure(end, begin, other)
    return CopyEnd(both.mine.place(begin), sure, both.figures(other))


def is_within(content: bytes) -> bool:
    """Does only a turn that is under way write such a line?"""
    try:
        payload = _payload(content)
    except REFUSED:
        return False
    return payload.type in _WITHIN or (payload.type == "message" and payload.role == "assistant")


def has_figures(content: bytes) -> bool:
    """Does a line tell what the thread has used so far?"""
    return b'"total_token_usage"' in content and is_within(content)
