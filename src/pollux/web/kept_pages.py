"""Pages of the list that were made, kept until something changes that they show."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from pollux.system.clock import local, now

if TYPE_CHECKING:
    from pollux.library.library import Library

MOST = 16_000_000
"""So many bytes of pages are kept."""


class KeptPages:
    """Pages by what was asked. A new day is a change, too: days are named by their distance from today."""

    def __init__(self, library: Library, most: int = MOST) -> None:
        self._library = library
        self._most = most
        self._lock = threading.Lock()
        self._state: tuple[object, ...] = ()
        self._marks: object = None
        self._pages: OrderedDict[object, bytes] = OrderedDict()
        self._size = 0

    def get(self, about: object, make: Callable[[], tuple[str, bool]]) -> bytes:
        """The page that was made before, unless something changed since. `make` also says whether it can be kept."""
        library = self._library
        state = library.index.state(), local(now()).date()
        marks = library.marks.state()
        with self._lock:
            if state != self._state or marks is not self._marks:
                self._state, self._marks, self._size = state, marks, 0
                self._pages.clear()
            elif about in self._pages:
                self._pages.move_to_end(about)
                return self._pages[about]
        text, lasts = make()
        page = text.encode("utf-8", "replace")
        with self._lock:
            if lasts and state == self._state and marks is self._marks and about not in self._pages:
                self._pages[about] = page
                self._size += len(page)
                while self._size > self._most:
                    self._size -= len(self._pages.popitem(last=False)[1])
        return page
