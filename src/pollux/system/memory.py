"""Gives memory back to the system, where its C library keeps what was freed: glibc does, for each thread apart."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

_ARENA_MAX = -8
_ARENAS = 2


def share_arenas() -> None:
    """Let all threads allocate from the same few arenas: what one has freed, another one uses. Call it at the start."""
    if (library := _glibc()) is not None:
        library.mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Give back what was freed. It takes some milliseconds."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


@cache
def _glibc() -> Any:
    """The C library; None where it is another one."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
