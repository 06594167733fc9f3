"""Pausing the garbage collector while a file is read."""

from __future__ import annotations

import gc
import os
import threading


class _Pauses:
    """How many blocks want the collector to rest, in all threads together."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.was_enabled = False

    def renew_lock(self) -> None:
        """A forked process has one thread, and no other can release the lock."""
        self.lock = threading.Lock()


_PAUSES = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PAUSES.renew_lock)


class gc_paused:  # noqa: N801 (used like a function: `with gc_paused():`)
    """No garbage collection inside. A reader makes many values and no cycles; searching them for cycles costs a third.

    It is a class because the end of a generator makes a value, which would start a collection too early.
    """

    def __enter__(self) -> None:
        with _PAUSES.lock:
            if not _PAUSES.count:
                _PAUSES.was_enabled = gc.isenabled()
                gc.disable()
            _PAUSES.count += 1

    def __exit__(self, *_: object) -> None:
        with _PAUSES.lock:
            _PAUSES.count -= 1
            if not _PAUSES.count and _PAUSES.was_enabled:
                gc.enable()
