"""Figures of requests as the model counts them. Copilot's input includes what was cached; its output, reasoning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pollux.model import Usage, by_name, values
from pollux.wire import MOST_COUNT, Notes, coherent

# The names of figures, with those in the figures of a compaction by 1.0.11, and those in the store.
_FIGURES = (
    ("input", "inputTokens", ("input", "input_tokens")),
    ("cached", "cacheReadTokens", ("cachedInput", "cache_read_tokens")),
    ("cache_write", "cacheWriteTokens", ("cache_write_tokens",)),
    ("output", "outputTokens", ("output", "output_tokens")),
    ("reasoning", "reasoningTokens", ("reasoning_tokens",)),
)


def usage_of(
    record: Mapping[str, Any],
    notes: Notes,
    *,
    requests: int | None = 1,
    native: Mapping[str, Any] | None = None,
    place: tuple[int, str] | None = None,
) -> Usage:
    """What a record says was used, and in which line of which file. A figure that cannot be is not counted."""
    figures: dict[str, Any] = {}
    for name, key, others in _FIGURES:
        value = record.get(key)
        if type(value) is not int or not 0 <= value <= MOST_COUNT:
            if value is None:
                value = next((record[other] for other in others if record.get(other) is not None), None)
            value = count(value, f"{name} tokens", notes)
        figures[name] = value
    whole = figures["input"] is not None and figures["output"] is not None
    line, file = place or (None, None)
    usage = Usage(**figures, requests=requests, exact=whole, native=native or record, line=line, file=file)
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
