"""Figures that cannot be: tokens that contradict one another, impossible durations."""

from __future__ import annotations

import msgspec

from pollux.model import Usage
from pollux.wire.notes import Notes

_LONGEST = 10**12
_WHOLES = {"cached": "input", "cache_write": "input", "cache_write_long": "cache_write", "reasoning": "output"}


def coherent(usage: Usage, notes: Notes) -> Usage:
    """The figures of a request without any part that is larger than its whole: such a part becomes unknown.

    The usage is then not exact. A part has its own price, so an impossible part could make the cost as large as it
    likes.
    """
    cached, cache_write, long = usage.cached, usage.cache_write, usage.cache_write_long
    prompt, output = usage.input, usage.output
    # Every request passes here, and nearly all are coherent.
    if (
        (prompt is None or (cached or 0) + (cache_write or 0) <= prompt)
        and (not long or (cache_write is not None and long <= cache_write))
        and (output is None or (usage.reasoning or 0) <= output)
    ):
        return usage
    odd = {name for name, whole in _WHOLES.items() if _exceeds(getattr(usage, name), getattr(usage, whole))}
    if not odd & {"cached", "cache_write"} and prompt is not None and (cached or 0) + (cache_write or 0) > prompt:
        odd |= {"cached", "cache_write"}
    for name in sorted(odd):
        whole = _WHOLES[name]
        notes.add("usage.odd", f"{name} is a part of {whole} but is larger; not counted.", subject=name)
    if long and (cache_write is None or "cache_write" in odd):
        odd.add("cache_write_long")
    return msgspec.structs.replace(usage, **dict.fromkeys(odd), exact=usage.exact and None)


def _exceeds(part: int | None, whole: int | None) -> bool:
    return part is not None and whole is not None and part > whole


def seconds(value: object, parts: int = 1) -> float | None:
    """A duration from a number of parts of a second; None where it is no number, negative, or impossibly long."""
    return value / parts if type(value) in (int, float) and 0 <= value <= _LONGEST * parts else None  # type: ignore[operator]
