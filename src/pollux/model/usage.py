"""Tokens used, in one meaning for every agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.model.base import NOTHING, Extra, Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class Usage(Value, frozen=True, kw_only=True):
    """Tokens as the contract counts them. None is 'not recorded', never zero.

    `input` is every prompt token, `cached` and `cache_write` are parts of it; `output` is every generated token,
    `reasoning` is part of it. `exact` is False where the files are known to hold less than was used, None where that
    cannot be known. `native` keeps the vendor's own figures.

    `cache_write_long` is the part of `cache_write` that is cached for an hour, which costs more. `line` and `file` say
    where the figures stand, if that is not where the message stands. `each` holds the requests of a sum of several,
    because the price of a request depends on its own size.
    """

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    requests: int | None = None
    exact: bool | None = None
    native: Extra = NOTHING
    cache_write_long: int | None = None
    line: int | None = None
    file: str | None = None
    each: tuple[Usage, ...] = ()

    @property
    def total(self) -> int | None:
        """All tokens, read and written."""
        return None if self.input is None or self.output is None else self.input + self.output

    @property
    def known(self) -> int | None:
        """The known part of the total: only one half of it where the other was not recorded."""
        return _sum((self.input, self.output))


def add(usages: Iterable[Usage], *, exact: bool | None) -> Usage:
    """The sum of all usages. A figure that nobody recorded stays None."""
    known = list(usages)
    return Usage(
        input=_sum(u.input for u in known),
        cached=_sum(u.cached for u in known),
        cache_write=_sum(u.cache_write for u in known),
        output=_sum(u.output for u in known),
        reasoning=_sum(u.reasoning for u in known),
        requests=_sum(u.requests for u in known),
        exact=exact,
        cache_write_long=_sum(u.cache_write_long for u in known),
    )


NOTHING_USED = Usage(input=0, cached=0, output=0, requests=0, exact=True)
"""The figures of a session that certainly paid for no request."""


def joint(exactness: Iterable[bool | None]) -> bool | None:
    """The exactness of a sum: True where all are, False where one is too low, else None."""
    distinct = set(exactness)
    return False if False in distinct else None if None in distinct else True


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None
