"""What a response used, by the figures of any release.

`input` leaves out the cached tokens since 1.0.62; before, only that of Anthropic and Bedrock did. `output` leaves out
the thinking since 1.3.16. A session keeps the release that made it while newer ones go on with it, so `total` (since
1.1.57) decides where it is there.
"""

from __future__ import annotations

import re

from msgspec import Struct, to_builtins

from pollux.model import Usage
from pollux.sources.opencode.format.schema import Cache, Tokens
from pollux.wire import Notes, coherent, tidy

Release = tuple[int, ...]

_WITHOUT_CACHED = (1, 0, 62)
_WITHOUT_REASONING = (1, 3, 16)
_NUMBER = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")
_NO_CACHE = Cache()


def release_of(version: str | None) -> Release | None:
    """A release by its name; None for a build without a number: those of other channels are all called 0.0.0."""
    match = _NUMBER.match(version or "")
    release = tuple(int(part) for part in match.groups()) if match is not None else ()
    return release if any(release) else None


def is_empty(tokens: Tokens | None) -> bool:
    """Are there no figures, or zeros alone, as of a response that never ended?"""
    if tokens is None:
        return True
    cache = tokens.cache or _NO_CACHE
    return not (tokens.input or tokens.output or tokens.reasoning or cache.read or cache.write or tokens.total)


class Place(Struct, frozen=True, gc=False):
    """The file or the row of figures, if it is not that of their message. `exact`: nothing in them is unknown."""

    file: str | None = None
    row: str | None = None
    exact: bool = False


_NOWHERE_ELSE = Place()


def usage_of(
    tokens: Tokens, provider: str | None, release: Release | None, notes: Notes, place: Place = _NOWHERE_ELSE
) -> Usage:
    """The figures in the meaning that all agents share."""
    cache, total, prompt, reasoning = tokens.cache or _NO_CACHE, tokens.total, tokens.input, tokens.reasoning
    read, write = cache.read, cache.write
    cached = (read or 0) + (write or 0)
    anthropic = provider is not None and ("anthropic" in provider or "bedrock" in provider)
    whole = prompt is not None
    if prompt is not None and (
        total is not None
        or anthropic
        or release is None
        or release >= _WITHOUT_CACHED
        or prompt < cached  # it cannot contain them
    ):
        prompt += cached
        whole = read is not None and write is not None
    output = _output(tokens, prompt, release)
    if anthropic and not reasoning:
        reasoning = None  # Anthropic does not say
    usage = Usage(
        input=prompt,
        cached=read,
        cache_write=write,
        output=output,
        reasoning=reasoning,
        requests=1,
        exact=True if whole and output is not None else None,
        native=to_builtins(tokens) if place.exact else tidy(tokens),
        file=place.file,
        row=place.row,
    )
    return coherent(usage, notes)


def _output(tokens: Tokens, prompt: int | None, release: Release | None) -> int | None:
    if tokens.output is None:
        return None
    if tokens.total is not None and prompt is not None and tokens.total - prompt >= tokens.output:
        return tokens.total - prompt
    if release is not None and release < _WITHOUT_REASONING:
        return tokens.output
    return tokens.output + (tokens.reasoning or 0)
