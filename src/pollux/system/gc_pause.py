"""Pausing the garbage collector while a file is read."""

from __future__ import annotations

import gc


class gc_paused:  # noqa: N801 (used like a function: `with gc_paused():`)
    """No garbage collection inside. A reader makes many values and no cycles; searching them for cycles costs a third.

    It is a class because the end of a generator makes a value, which would start a collection too early.
    """

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()
