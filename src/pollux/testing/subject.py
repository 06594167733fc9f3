"""What the kit has to know about an agent: its source, and where a word may go missing for a good reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from pollux.sources.base import Source


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A place whose usual values need not be found again word for word, and why; an odd value there must still be kept.

    `place` is the end of a dotted path (`toolCalls.[].status`); `values` is what the whole value must look like.
    """

    place: str
    values: str
    reason: str

    def covers(self, place: str, value: str) -> bool:
        """Is the value at this place spared?"""
        here = place == self.place or place.endswith(f".{self.place}")
        return here and re.fullmatch(self.values, value) is not None


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Fixed words that the agent puts around somebody's text, and that the model has a kind of part for."""

    words: str
    reason: str


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A place below which any key is legal (a tool's arguments), so that a new one is kept, but no news."""

    place: str
    reason: str

    def covers(self, place: str) -> bool:
        """Does the dotted path lead here or below?"""
        return f".{self.place}." in f".{place}."


class Subject(msgspec.Struct, kw_only=True, dict=True):
    """A source under test.

    `environ` holds variables its homes need; `{HOME}` stands for the home. A home's own `env.json` adds to them.
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
        """Is any key legal in the object at this place?"""
        return any(held.covers(place) for held in self.opens)
