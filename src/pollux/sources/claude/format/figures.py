"""The API's token figures in the meaning that all agents share."""

from __future__ import annotations

from typing import Any, TypeGuard

from pollux.model import Usage
from pollux.wire import MOST_COUNT, Notes, coherent

_INPUT, _WRITTEN, _CACHED, _OUTPUT = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_THOUGHT, _LONG, _SHORT = "thinking_tokens", "ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"


def usage_of(native: dict[str, Any], notes: Notes, *, exact: bool, line: int | None = None) -> Usage:
    """The vendor's input does not include cached tokens; here they are part of the input.

    A missing or impossible figure is unknown; then the usage is not exact. A vendor without a cache may leave out the
    cache figures, so the rest of the input still counts; with an impossible figure it does not.
    """
    get = native.get
    uncached, cache_write, cached = get(_INPUT), get(_WRITTEN), get(_CACHED)
    output, details, cache = get(_OUTPUT), get("output_tokens_details"), get("cache_creation")
    total: int | None = None
    # Checked one by one: this is faster than a loop, and every reply passes here.
    if (
        (type(uncached) is int and 0 <= uncached <= MOST_COUNT)
        and (type(cache_write) is int and 0 <= cache_write <= MOST_COUNT)
        and (type(cached) is int and 0 <= cached <= MOST_COUNT)
        and (type(output) is int and 0 <= output <= MOST_COUNT)
    ):
        total, known = uncached + cache_write + cached, True
    else:
        known = False
        present = [figure for figure in (uncached, cache_write, cached) if figure is not None]
        if uncached is not None and all(map(is_figure, present)):
            total = sum(present)
        cache_write, cached, output = map(_figure, (cache_write, cached, output))
        _note(native, notes)
    reasoning = details.get(_THOUGHT) if type(details) is dict else None
    long, short = (cache.get(_LONG), cache.get(_SHORT)) if type(cache) is dict else (None, None)
    if not (reasoning is long is short is None):
        for name, figure in ((_THOUGHT, reasoning), (_LONG, long), (_SHORT, short)):
            if figure is not None and not is_figure(figure):
                known = False
                _odd(name, notes)
        if not known:
            reasoning, long = _figure(reasoning), _figure(long)
    usage = Usage(
        input=total,
        cached=cached,
        cache_write=cache_write,
        output=output,
        reasoning=reasoning,
        requests=1,
        exact=False if not exact else True if known else None,
        native=native,
        cache_write_long=long,
        line=line,
    )
    return coherent(usage, notes)


def more_output(usage: dict[str, Any], other_usage: dict[str, Any]) -> bool:
    """Does the first have at least as much output? The figures at the beginning of a stream are placeholders."""
    first, second = usage.get(_OUTPUT), other_usage.get(_OUTPUT)
    return (first if is_figure(first) else -1) >= (second if is_figure(second) else -1)


def is_figure(figure: Any) -> TypeGuard[int]:
    """Can this be a number of tokens?"""
    return type(figure) is int and 0 <= figure <= MOST_COUNT


def _figure(value: Any) -> int | None:
    return value if is_figure(value) else None


def _note(native: dict[str, Any], notes: Notes) -> None:
    for name in (_INPUT, _WRITTEN, _CACHED, _OUTPUT):
        if (figure := native.get(name)) is None:
            notes.add("usage.missing", f"A reply does not say how many {name} it took.", subject=name)
        elif not is_figure(figure):
            _odd(name, notes)


def _odd(name: str, notes: Notes) -> None:
    notes.add(
        "usage.odd", f"The value of {name} in a reply is not a number of tokens; kept, but not counted.", subject=name
    )
