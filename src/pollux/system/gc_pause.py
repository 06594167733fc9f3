"""Pausing the garbage collector while a file is read."""

from __future__ import annotations

import gc
import os
import threading


class _Pauses:
    """How many blocks want the collector to rest, in all threads together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._was_enabled = False

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def renew_lock(self) -> None:
        """A forked process has one thread, and no other can release the lock."""
        self._lock = threading.Lock()

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_enabled:
                gc.enable()


_PAUSES = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSES.renew_lock)


class gc_paused:  # noqa: N801 (used like a function: `with gc_paused():`)
    """No garbage collection inside. A reader makes many values and no cycles; searching them for cycles costs a third.

    It is a class because the end of a generator makes a value, which would start a collection too early.
    """

    def __enter__(self) -> None:
        _PAUSES.begin()

    def __exit__(self, *_: object) -> None:
        _PAUSES.end()
