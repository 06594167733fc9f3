"""What the kit has to know about an agent: its source, and the few places where a word may go missing, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from pollux.sources.base import Source


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A place whose value need not be found again word for word, and why.

    `place` is the end of a dotted path (`toolCalls.[].status`); `values` narrows it to words that the model has its
    own words for. What is not listed there must be found again.
    """

    place: str
    reason: str
    values: frozenset[str] | None = None

    def covers(self, place: str, value: str | None) -> bool:
        """Is the value at this place spared? A value of None asks for any value."""
        if place != self.place and not place.endswith(f".{self.place}"):
            return False
        return self.values is None or value in self.values


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
    """

    source: Source
    spares: tuple[Spare, ...] = ()
    opens: tuple[Open, ...] = ()
    environ: Mapping[str, str] = {}

    @cached_property
    def _covered(self) -> dict[tuple[str, str | None], bool]:
        return {}

    def spared(self, place: str, value: str | None = None) -> bool:
        """May this value at this place go missing?"""
        asked = (place, value)
        if asked not in self._covered:
            self._covered[asked] = any(spare.covers(place, value) for spare in self.spares)
        return self._covered[asked]

    def is_open(self, place: str) -> bool:
        """Is any key legal in the object at this place?"""
        return any(held.covers(place) for held in self.opens)
