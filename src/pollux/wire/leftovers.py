"""A wire value as the plain JSON that it was read from."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.wire.shapes import Shape

_NESTED = (dict, list)
_PRUNED = frozenset((dict, list, type(None)))


def tidy(value: Any) -> Any:
    """A wire value as plain JSON: without absent fields, with unknown fields in their places."""
    built = msgspec.to_builtins(value)
    # Figures have neither objects nor absent fields in them, and there are many of them.
    if type(built) is dict and _PRUNED.isdisjoint(map(type, built.values())) and "⁂odd" not in built:
        return built
    _prune(built)
    return built


def tidy_without(value: Shape, *names: str, exact: bool = False) -> dict[str, Any]:
    """A shape as plain JSON without some of its fields, of which nothing is copied. An odd value of theirs stays.

    `exact`: no shape in it has unknown fields, as of JSON that was decoded at once. Then it need not be searched.
    """
    kept: list[tuple[str, Any]] = []
    for name in names:
        if (item := getattr(value, name)) is not None:
            kept.append((name, item))
            setattr(value, name, None)
    built: dict[str, Any] = msgspec.to_builtins(value) if exact else tidy(value)
    for name, item in kept:
        setattr(value, name, item)
    return built


def _prune(built: Any) -> None:
    """Remove absent fields from a built value that nobody else holds, and put unknown fields into their places."""
    if type(built) is list:
        for item in built:
            if type(item) in _NESTED:
                _prune(item)
    elif type(built) is dict:
        unknown = built.pop("⁂") if "⁂" in built else None
        odd = built.pop("⁂odd") if "⁂odd" in built else None
        absent = []
        for key, item in built.items():
            if item is None:
                absent.append(key)
            elif type(item) in _NESTED:
                _prune(item)
        for key in absent:
            del built[key]
        for key, rest in unknown.items() if unknown else ():
            # A list with odd items is in two halves: those that fitted, and the odd ones.
            value = built.get(key)
            built[key] = [*value, *rest] if type(rest) is list and type(value) is list else rest
        if odd is not None:
            built["odd"] = odd
