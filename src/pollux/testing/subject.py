"""What the kit must know about an agent: its source, and where a word may be missing for a good reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from pollux.sources.base import Source


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A place whose usual values need not be found word for word, and why. An odd value there must still be kept.

    `place` is the end of a dotted path (`toolCalls.[].status`); `values` is what the whole value must look like.
    """

    place: str
    values: str
    reason: str

    def covers(self, place: str, value: str) -> bool:
        """Does this spare apply to the value at this place?"""
        here = place == self.place or place.endswith(f".{self.place}")
        return here and re.fullmatch(self.values, value) is not None


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Fixed words that the agent puts around a text, and that the model expresses as a kind of part."""

    words: str
    reason: str


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A place below which any key is valid (a tool's arguments): a new key is kept, but not reported."""

    place: str
    reason: str

    def covers(self, place: str) -> bool:
        """Does the dotted path lead here or below?"""
        return f".{self.place}." in f".{place}."


class Subject(msgspec.Struct, kw_only=True, dict=True):
    """A source under test.

    `environ` holds the variables that its homes need; `{HOME}` stands for the home. A home's own `env.json` adds more.
    `unpacked` gives the plain bytes of a file that the agent keeps compressed.
    """

    source: Source
    spares: tuple[Spare, ...] = ()
    frames: tuple[Frame, ...] = ()
    opens: tuple[Open, ...] = ()
    environ: Mapping[str, str] = {}
    unpacked: Callable[[bytes], bytes] | None = None

    def needed(self, place: str, value: str) -> str:
        """The part of a string that must be found again."""
        if any(spare.covers(place, value) for spare in self.spares):
            return ""
        return self._framed.sub(" ", value)

    @cached_property
    def _framed(self) -> re.Pattern[str]:
        return re.compile("|".join(frame.words for frame in self.frames) or r"(?!)", re.MULTILINE)

    def is_open(self, place: str) -> bool:
        """Is any key valid in the object at this place?"""
        return any(rule.covers(place) for rule in self.opens)
