"""A wire value that nobody took apart, as the plain JSON it was."""

from __future__ import annotations

from typing import Any

import msgspec

_NESTED = (dict, list)


def tidy(value: Any) -> Any:
    """A wire value as plain JSON: without absent fields, with those we do not know in their places."""
    return _without_nulls(msgspec.to_builtins(value))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {
            key: _without_nulls(item) if type(item) in _NESTED else item
            for key, item in value.items()
            if item is not None and key not in ("⁂", "⁂odd")
        }
        for key, rest in value.get("⁂", {}).items():
            # Of a list with odd items both halves are there.
            kept[key] = [*kept[key], *rest] if type(rest) is list and type(kept.get(key)) is list else rest
        odd = value.get("⁂odd")
        return kept if odd is None else {**kept, "odd": odd}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
