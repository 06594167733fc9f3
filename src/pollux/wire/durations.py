"""How long something took."""

from __future__ import annotations

_LONGEST = 10**12


def seconds(value: object, parts: int = 1) -> float | None:
    """A duration from a number of parts of a second; None where it is no number, negative, or impossibly long."""
    return value / parts if type(value) in (int, float) and 0 <= value <= _LONGEST * parts else None  # type: ignore[operator]
