"""Waits for something that another thread or process does, and not for ever."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it was not true within {seconds} seconds"
        time.sleep(0.02)
