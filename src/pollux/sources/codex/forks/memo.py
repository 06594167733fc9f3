"""A cache of values, limited by their size."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Memo(Generic[_Value]):
    """Values by their names. If they take too much room, the least recently used ones are removed."""

    def __init__(self, room: int) -> None:
        self._most = self._room = room
        self._values: OrderedDict[str, tuple[_Value, int]] = OrderedDict()

    def get(self, name: str) -> _Value | None:
        """The value of a name; None if it is not in the cache."""
        if name not in self._values:
            return None
        self._values.move_to_end(name)
        return self._values[name][0]

    def put(self, name: str, value: _Value, size: int) -> None:
        """Add a value of this size."""
        if size > self._most or name in self._values:
            return
        self._values[name] = value, size
        self._room -= size
        while self._room < 0:
            self._room += self._values.popitem(last=False)[1][1]
