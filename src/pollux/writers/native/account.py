"""The account of a hand-over: what went over as it was, what as text, and what stayed behind, with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pollux.model import Origin, Value


class Carried(StrEnum):
    """How something went over."""

    NATIVE = "native"
    TEXT = "text"
    LEFT_OUT = "left_out"


class Item(Value, frozen=True, kw_only=True):
    """A message, or a part of one (`part` counts from 0), that did not go over as it was."""

    message: str
    part: int | None
    what: str
    carried: Carried
    why: str
    origin: Origin | None


class Counts(Value, frozen=True, kw_only=True):
    """How many went over in which way. The three make up all there are."""

    native: int = 0
    text: int = 0
    left_out: int = 0

    @property
    def total(self) -> int:
        """All there are."""
        return self.native + self.text + self.left_out


class Account(Value, frozen=True, kw_only=True):
    """What became of every message and of every part of a session.

    A message went over natively if any of its parts did, and as text if any did and none natively. `added` says what
    the target demanded and the session did not have.
    """

    messages: Counts
    parts: Counts
    items: tuple[Item, ...]
    added: tuple[str, ...] = ()


def counts(ways: Iterable[Carried]) -> Counts:
    """How often each way was taken."""
    numbers = dict.fromkeys(Carried, 0)
    for way in ways:
        numbers[way] += 1
    return Counts(native=numbers[Carried.NATIVE], text=numbers[Carried.TEXT], left_out=numbers[Carried.LEFT_OUT])
