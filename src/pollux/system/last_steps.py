"""What is to be done when the process ends: pollux may end at once, without the usual end of a Python program."""

from __future__ import annotations

import atexit
from collections.abc import Callable

_steps: list[Callable[[], None]] = []


def at_end(step: Callable[[], None]) -> Callable[[], None]:
    """Do something when the process ends."""
    _steps.append(step)
    return step


@atexit.register
def run_last_steps() -> None:
    """Do it now, once."""
    while _steps:
        _steps.pop()()
