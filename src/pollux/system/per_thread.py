"""A value for each thread, such as a connection to a database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerThread(Generic[T]):
    """A value that every thread makes when it first needs it, and that no other thread uses.

    `close` is called with a value that is not needed any more.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], object] = lambda _: None) -> None:
        self._make = make
        self._close = close
        self._mine = threading.local()
        self._round = 0

    def get(self) -> T:
        """The value of this thread."""
        if not hasattr(self._mine, "value"):
            self._mine.round = self._round
            self._mine.value = self._make()
        value: T = self._mine.value
        return value

    def close(self) -> None:
        """Close the value of this thread; a new one is made when it is needed."""
        if hasattr(self._mine, "value"):
            self._close(self._mine.value)
            del self._mine.value

    def renew(self) -> None:
        """Close the value of this thread. Other threads may use theirs: each closes its own in `follow`."""
        self._round += 1
        self.close()

    def follow(self) -> None:
        """Close the value of this thread if another thread called `renew` since it was made."""
        if getattr(self._mine, "round", self._round) != self._round:
            self.close()
