"""The API's token figures in the meaning all agents share."""

from __future__ import annotations

from typing import Any, TypeGuard

from pollux.model import Usage
from pollux.wire import MOST, Notes, coherent

_INPUT, _WRITTEN, _CACHED, _OUTPUT = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_THOUGHT, _LONG, _SHORT = "thinking_tokens", "ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"


def usage_of(native: dict[str, Any], notes: Notes, *, exact: bool, line: int | None = None) -> Usage:
    """The vendor's input leaves out what a cache held; here it is part of the input.

    A figure that is missing, or none that can be, is unknown: then what was used cannot be told exactly. A vendor
    without a cache may not speak of one, so that the rest of its input is still told; beside an odd figure it is not.
    """
    get = native.get
    fresh, written, cached = get(_INPUT), get(_WRITTEN), get(_CACHED)
    output, details, kept = get(_OUTPUT), get("output_tokens_details"), get("cache_creation")
    total: int | None = None
    # Asked one by one: this is quicker than any loop, and every reply comes by.
    if (
        (type(fresh) is int and 0 <= fresh <= MOST)
        and (type(written) is int and 0 <= written <= MOST)
        and (type(cached) is int and 0 <= cached <= MOST)
        and (type(output) is int and 0 <= output <= MOST)
    ):
        total, known = fresh + written + cached, True
    else:
        known = False
        given = [figure for figure in (fresh, written, cached) if figure is not None]
        if fresh is not None and all(map(is_figure, given)):
            total = sum(given)
        written, cached, output = map(_figure, (written, cached, output))
        _note(native, notes)
    reasoning, long, short = _part(details, _THOUGHT), _part(kept, _LONG), _part(kept, _SHORT)
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
        cache_write=written,
        output=output,
        reasoning=reasoning,
        requests=1,
        exact=False if not exact else True if known else None,
        native=native,
        cache_write_long=long,
        line=line,
    )
    return coherent(usage, notes)


def more_output(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Does the first tell of at least as much output? What a stream begins with is a placeholder."""
    first, second = one.get(_OUTPUT), other.get(_OUTPUT)
    return (first if is_figure(first) else -1) >= (second if is_figure(second) else -1)


def is_figure(figure: Any) -> TypeGuard[int]:
    """Can it be a number of tokens?"""
    return type(figure) is int and 0 <= figure <= MOST


def _figure(value: Any) -> int | None:
    return value if is_figure(value) else None


def _part(whole: Any, name: str) -> Any:
    """A figure that is part of another, and that few releases write."""
    return whole.get(name) if type(whole) is dict else None


def _note(native: dict[str, Any], notes: Notes) -> None:
    for name in (_INPUT, _WRITTEN, _CACHED, _OUTPUT):
        if (figure := native.get(name)) is None:
            notes.add("usage.missing", f"A reply does not say how many {name} it took.", subject=name)
        elif not is_figure(figure):
            _odd(name, notes)


def _odd(name: str, notes: Notes) -> None:
    notes.add("usage.odd", f"What a reply says of {name} is no number of tokens; kept, and not counted.", subject=name)
