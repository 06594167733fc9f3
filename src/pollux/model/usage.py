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
    """

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    requests: int | None = None
    exact: bool | None = None
    native: Extra = NOTHING

    @property
    def total(self) -> int | None:
        """Everything read and written."""
        return None if self.input is None or self.output is None else self.input + self.output


def add(usages: Iterable[Usage], *, exact: bool | None) -> Usage:
    """The sum of all; a figure nobody recorded stays None."""
    known = list(usages)
    return Usage(
        input=_sum(u.input for u in known),
        cached=_sum(u.cached for u in known),
        cache_write=_sum(u.cache_write for u in known),
        output=_sum(u.output for u in known),
        reasoning=_sum(u.reasoning for u in known),
        requests=_sum(u.requests for u in known),
        exact=exact,
    )


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None
