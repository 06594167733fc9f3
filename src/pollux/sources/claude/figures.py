"""The API's token figures in the meaning all agents share."""

from __future__ import annotations

from typing import Any

from pollux.model import Usage

# The largest figure that is believed: no reply has more tokens, and any program can hold it.
_MOST = 2**53


def usage_of(native: dict[str, Any], *, exact: bool, line: int | None = None) -> Usage:
    """The vendor's input leaves out what a cache held; here it is part of the input."""
    get = native.get
    fresh, written, cached = get("input_tokens"), get("cache_creation_input_tokens"), get("cache_read_input_tokens")
    output, details = get("output_tokens"), get("output_tokens_details")
    total: int | None = None
    if type(fresh) is int and type(written) is int and type(cached) is int:
        total = fresh + written + cached
    if total is None or not 0 <= total <= _MOST:
        fresh, written, cached = _believed(fresh), _believed(written), _believed(cached)
        known = [figure for figure in (fresh, written, cached) if figure is not None]
        total = sum(known) if known else None
    kept = get("cache_creation")
    return Usage(
        input=total,
        cached=cached,
        cache_write=written,
        output=output if type(output) is int and 0 <= output <= _MOST else None,
        reasoning=_believed(details.get("thinking_tokens")) if type(details) is dict else None,
        requests=1,
        exact=exact,
        native=native,
        cache_write_long=_believed(kept.get("ephemeral_1h_input_tokens")) if type(kept) is dict else None,
        line=line,
    )


def more_output(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Does the first tell of at least as much output? What a stream begins with is a placeholder."""
    return (_believed(one.get("output_tokens")) or 0) >= (_believed(other.get("output_tokens")) or 0)


def _believed(figure: Any) -> int | None:
    return figure if type(figure) is int and 0 <= figure <= _MOST else None
