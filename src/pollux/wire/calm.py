"""Letting the garbage collector rest while a file is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def calm() -> Iterator[None]:
    """No collections inside: a reader makes many values and no cycles; searching them for some costs a third more.

    Nor is what it made searched as soon as it is done: freezing and thawing puts it with what has lived long already.
    Where somebody froze values of their own these must stay so.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()
        gc.enable()
