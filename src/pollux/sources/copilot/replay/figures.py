"""Figures of requests as the model counts them. Copilot's input includes what was cached; its output, reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pollux.model import Usage, by_name, values
from pollux.wire import MOST_COUNT, Notes, coherent

# 1.0.11 has other names for the figures of a compaction.
_FIGURES = {
    "input": ("inputTokens", "input", "input_tokens"),
    "cached": ("cacheReadTokens", "cachedInput", "cache_read_tokens"),
    "cache_write": ("cacheWriteTokens", "cache_write_tokens"),
    "output": ("outputTokens", "output", "output_tokens"),
    "reasoning": ("reasoningTokens", "reasoning_tokens"),
}


def usage_of(record: Mapping[str, Any], notes: Notes, *, requests: int | None = 1, native: Any = None) -> Usage:
    """What a record says was used. A figure that cannot be is not counted."""
    figures: dict[str, Any] = {}
    for name, keys in _FIGURES.items():
        key = next((key for key in keys if record.get(key) is not None), None)
        figures[name] = count(record.get(key), f"{name} tokens", notes) if key is not None else None
    whole = figures["input"] is not None and figures["output"] is not None
    usage = Usage(**figures, requests=requests, exact=whole, native=dict(native or record))
    return coherent(usage, notes)


def count(value: object, name: str, notes: Notes) -> int | None:
    """A figure that can be added up; None where it cannot."""
    if type(value) is int and 0 <= value <= MOST_COUNT:
        return value
    if value is not None:
        notes.add("usage.odd", f"The number of {name} cannot be; not counted.", subject=name)
    return None


def minus(usage: Usage, other: Usage | None) -> Usage:
    """What is left of some figures if others are taken away; never less than nothing."""
    if other is None:
        return usage
    left = [
        max(0, mine - theirs) if mine is not None and theirs is not None else mine
        for mine, theirs in zip(values(usage), values(other), strict=True)
    ]
    return Usage(**by_name(left), exact=usage.exact, native=usage.native, line=usage.line, file=usage.file)
