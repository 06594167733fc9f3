"""Letting the garbage collector rest while a file is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def calm() -> Iterator[None]:
    """No collections inside: a reader makes many values and no cycles; searching them for some costs a third more."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
