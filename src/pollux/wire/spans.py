"""How long something took."""

from __future__ import annotations

_LONGEST = 10**12


def seconds(value: object, parts: int = 1) -> float | None:
    """A figure in so many parts of a second; None where it is none, or one that nothing takes."""
    return value / parts if type(value) in (int, float) and 0 <= value <= _LONGEST * parts else None  # type: ignore[operator]
