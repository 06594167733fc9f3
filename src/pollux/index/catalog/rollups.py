"""Usage rolled up by quarters of an hour: every time zone's day, week and month is a union of quarters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Protocol

from pollux.index.catalog.rows import UsageRow, micros
from pollux.model import Kind, Summary

QUARTER = 15 * 60
UNTIMED = -(1 << 40)
"""Stands in a quarter's place where no time is known."""
HALF = -1
"""Stands in a step's place where a request's input or output is not known."""

STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Sizes of a prompt beyond which some vendor asks another price for the whole request. A roll-up does not mix them."""

Place = tuple[int, str, int]
"""A quarter of an hour since 1970, a model, and the step that its prompts are beyond."""

Sums = list[int | None]
"""`input`, `cached`, `cache_write`, `cache_write_long`, `output`, `reasoning`, `requests`."""


def quarter(at: int | None) -> int:
    """The quarter of an hour in which a moment (in microseconds) lies."""
    return at // (QUARTER * 1_000_000) if at is not None else UNTIMED


class Figures(Protocol):
    """What decides about a request's size."""

    @property
    def input(self) -> int | None: ...  # noqa: D102 (as in `Usage`)
    @property
    def output(self) -> int | None: ...  # noqa: D102
    @property
    def requests(self) -> int | None: ...  # noqa: D102


def beyond(used: Figures) -> int:
    """The largest size that a prompt is beyond. Several requests that were only told together stand for their mean.

    A request of which half the figures are missing has no price, and must not be mixed with those that have: `HALF`.
    """
    if used.input is None or used.output is None:
        return HALF
    return max(used.input // max(used.requests or 1, 1) - 1, 0)


def step(used: Figures) -> int:
    """The last step that a prompt is beyond."""
    size = beyond(used)
    return HALF if size == HALF else (0, *STEPS)[bisect_right(STEPS, size)]


def rolled_up(rows: Iterable[UsageRow], summary: Summary) -> dict[Place, Sums]:
    """The sums of all requests by their place; what is inherited was used elsewhere.

    A conversation of which no figures are known has one place without any, so that it is counted as a session.
    """
    sums: dict[Place, Sums] = {}
    for row in rows:
        if row.inherited:
            continue
        held = sums.setdefault((quarter(row.at), row.model or "", step(row)), [None] * 7)
        figures = (row.input, row.cached, row.cache_write, row.cache_write_long, row.output, row.reasoning)
        for index, figure in enumerate((*figures, row.requests)):
            if figure is not None:
                held[index] = (held[index] or 0) + figure
    if not sums and summary.kind in (Kind.MAIN, Kind.SUBAGENT):
        sums[quarter(micros(summary.started)), next(iter(summary.models), ""), 0] = [None] * 7
    return sums
