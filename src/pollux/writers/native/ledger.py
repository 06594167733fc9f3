"""Notes what becomes of every message and every part, and draws up the account."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pollux.model import Message
from pollux.writers.native.account import Account, Carried, Item, counts


class Way(NamedTuple):
    """How something went over; what it is and why, where that is not as it was."""

    carried: Carried
    what: str = ""
    why: str = ""


NATIVE = Way(Carried.NATIVE)
"""It went over as it was."""

_RANK = (Carried.NATIVE, Carried.TEXT, Carried.LEFT_OUT)


class Place(NamedTuple):
    """A part of a session: the number of its message, and its own, both from 0."""

    message: int
    part: int


class Ledger:
    """One way for every part, and one for every message of which nothing goes over."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._whole: dict[int, Way] = {}
        self._parts: list[list[Way]] = [[] for _ in messages]
        self._added: dict[str, None] = {}
        self._joined: dict[Place, list[Place]] = {}

    def leave_out(self, message: int, what: str, why: str) -> None:
        """Nothing of a message goes over."""
        self._whole[message] = Way(Carried.LEFT_OUT, what, why)

    def enter(self, message: int, way: Way) -> Place:
        """The way of the next part of a message; its place."""
        ways = self._parts[message]
        ways.append(way)
        return Place(message, len(ways) - 1)

    def join(self, message: int, place: Place) -> None:
        """The next part of a message goes the way of another part, as a result goes with its call."""
        own = self.enter(message, self._parts[place.message][place.part])
        self._joined.setdefault(place, []).append(own)

    def change(self, place: Place, way: Way) -> None:
        """A part goes over in another way than was noted, and so do those that go with it."""
        for one in (place, *self._joined.get(place, ())):
            self._parts[one.message][one.part] = way

    def add(self, sentence: str) -> None:
        """Note something that the target demanded and the session did not have."""
        self._added[sentence] = None

    def account(self) -> Account:
        """The account of the session."""
        return Account(
            messages=counts(self._way_of(number) for number in range(len(self._messages))),
            parts=counts(self._ways_of_parts()),
            items=tuple(self._items()),
            added=tuple(self._added),
        )

    def _way_of(self, message: int) -> Carried:
        """The best way that any part of a message took."""
        taken = {way.carried for way in self._parts[message]}
        return next((way for way in _RANK if way in taken), Carried.LEFT_OUT)

    def _ways_of_parts(self) -> Iterator[Carried]:
        for number, message in enumerate(self._messages):
            if number in self._whole:
                yield from (Carried.LEFT_OUT for _ in message.parts)
            else:
                yield from (way.carried for way in self._parts[number])

    def _items(self) -> Iterator[Item]:
        for number, message in enumerate(self._messages):
            if (whole := self._whole.get(number)) is not None:
                yield _item(message, None, whole)
                continue
            for part, way in enumerate(self._parts[number]):
                if way.why:
                    yield _item(message, part, way)


def _item(message: Message, part: int | None, way: Way) -> Item:
    return Item(message=message.id, part=part, what=way.what, carried=way.carried, why=way.why, origin=message.origin)
