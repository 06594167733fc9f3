"""What a reading does not use of an event, as plain JSON."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from pollux.wire import Shape, tidy

_PLAIN = (str, int, float, bool, dict)


def rest(value: Shape, *used: str) -> dict[str, Any]:
    """An object without the fields that were used. A field that could not be used as it is stays in it."""
    left: dict[str, Any] = {}
    for name in _names(type(value), used):
        item = getattr(value, name)
        if item is not None:
            kind = type(item)
            left[name] = item if kind in _PLAIN else _time(item) if kind is datetime else tidy(item)
    for name, odd in value.extra.items():
        fitted = left.get(name)
        # A list with odd items is in two halves: those that fitted, and the odd ones.
        left[name] = [*fitted, *odd] if type(odd) is list and type(fitted) is list else odd
    return left


@cache
def _names(kind: type[Shape], used: tuple[str, ...]) -> tuple[str, ...]:
    """The fields of a shape that are left. This runs for every event."""
    return tuple(name for name in kind.__struct_fields__ if name != "extra" and name not in used)


def _time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
