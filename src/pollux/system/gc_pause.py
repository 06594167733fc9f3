"""Letting the garbage collector rest while a file is read."""

from __future__ import annotations

import gc


class gc_paused:  # noqa: N801 (said like a word: `with calm():`)
    """No collections inside: a reader makes many values and no cycles; searching them for some costs a third more.

    A class, for a generator's end would make a value, and with that a collection, before whoever reads can let go.
    """

    def __enter__(self) -> None:
        self._watching = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._watching:
            gc.enable()
