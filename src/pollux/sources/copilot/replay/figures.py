"""Figures of requests as the model counts them. Copilot's input includes what was cached; its output, reasoning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from pollux.model import Usage, by_name, values
from pollux.wire import MOST_COUNT, Notes, coherent

# The names of figures: those of the newest release, those in the figures of a compaction by 1.0.11, those in the store.
_FIGURES = (
    ("input", "inputTokens", "input", "input_tokens"),
    ("cached", "cacheReadTokens", "cachedInput", "cache_read_tokens"),
    ("cache_write", "cacheWriteTokens", "cache_write_tokens"),
    ("output", "outputTokens", "output", "output_tokens"),
    ("reasoning", "reasoningTokens", "reasoning_tokens"),
)
_by_newest_names: Callable[[Mapping[str, Any]], Sequence[Any]] = itemgetter(*(newest for _, newest, *_ in _FIGURES))


def usage_of(
    record: Mapping[str, Any],
    notes: Notes,
    *,
    requests: int | None = 1,
    native: Mapping[str, Any] | None = None,
    place: tuple[int, str] | None = None,
) -> Usage:
    """What a record says was used, and in which line of which file. A figure that cannot be is not counted."""
    prompt, cached, cache_write, output, reasoning = _figures(record, notes)
    whole = prompt is not None and output is not None
    line, file = place or (None, None)
    usage = Usage(
        input=prompt,
        cached=cached,
        cache_write=cache_write,
        output=output,
        reasoning=reasoning,
        requests=requests,
        exact=whole,
        native=native or record,
        line=line,
        file=file,
    )
    return coherent(usage, notes)


def _figures(record: Mapping[str, Any], notes: Notes) -> Sequence[int | None]:
    """The figures in a record. Nearly all have the names of the newest release, and can be."""
    try:
        found = _by_newest_names(record)
    except KeyError:
        pass
    else:
        for value in found:
            if type(value) is not int or not 0 <= value <= MOST_COUNT:
                break
        else:
            return found
    return [_figure(record, name, names, notes) for name, *names in _FIGURES]


def _figure(record: Mapping[str, Any], name: str, names: Iterable[str], notes: Notes) -> int | None:
    value = next((record[key] for key in names if record.get(key) is not None), None)
    return count(value, f"{name} tokens", notes)


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
