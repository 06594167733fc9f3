"""What was made of some files, for as long as there is room."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Memo(Generic[_Value]):
    """Values by their names. Where they take too much room, those that were not asked for longest are forgotten."""

    def __init__(self, room: int) -> None:
        self._most = self._room = room
        self._values: OrderedDict[str, tuple[_Value, int]] = OrderedDict()

    def get(self, name: str) -> _Value | None:
        """The value of a name, where it is still known."""
        if name not in self._values:
            return None
        self._values.move_to_end(name)
        return self._values[name][0]

    def put(self, name: str, value: _Value, size: int) -> None:
        """Remember a value that takes so much room."""
        if size > self._most or name in self._values:
            return
        self._values[name] = value, size
        self._room -= size
        while self._room < 0:
            self._room += self._values.popitem(last=False)[1][1]
