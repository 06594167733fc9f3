"""Times, and ids of OpenCode, which begin with the time at which they were made."""

from __future__ import annotations

import re

from pollux.system.clock import LATEST

_TIME = re.compile(r"(?:msg|prt)_([0-9a-f]{12})")
_WRAP = 1 << 36
_LATEST = LATEST * 1000


def usable(time: float | None) -> float | None:
    """A time (ms) that can be used; None for one beyond the calendar, or before there were agents."""
    return time if time is not None and 0 < time <= _LATEST else None


def time_in(id: str, near: float | None) -> int | None:
    """The time in the id of a message or part (ms), which has only its lowest 36 bits; `near` tells the others."""
    match = _TIME.match(id)
    if match is None or near is None or not 0 <= near < 1 << 53:
        return None
    low, base = int(match[1], 16) >> 12, int(near)
    candidate = (base & ~(_WRAP - 1)) | low
    return min((candidate - _WRAP, candidate, candidate + _WRAP), key=lambda time: abs(time - base))
