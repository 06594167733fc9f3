"""Usage rolled up by quarters of an hour: days, weeks and months of every time zone consist of quarters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Protocol

from pollux.index.catalog.rows import UsageRow, micros
from pollux.model import Kind, Summary

QUARTER = 15 * 60
UNTIMED = -(1 << 40)
"""The quarter of requests without a known time."""
INCOMPLETE = -1
"""The step of requests whose input or output is not known."""

STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Sizes of a prompt above which a vendor has another price for the whole request. A roll-up does not mix them."""

RollUpKey = tuple[int, str, int]
"""A quarter of an hour since 1970, a model, and the step that its prompts exceed."""

Sums = list[int | None]
"""`input`, `cached`, `cache_write`, `cache_write_long`, `output`, `reasoning`, `requests`."""


def quarter(at: int | None) -> int:
    """The quarter of an hour in which a moment (in microseconds) lies."""
    return at // (QUARTER * 1_000_000) if at is not None else UNTIMED


class Figures(Protocol):
    """The figures that give a request's size."""

    @property
    def input(self) -> int | None: ...  # noqa: D102 (as in `Usage`)
    @property
    def output(self) -> int | None: ...  # noqa: D102
    @property
    def requests(self) -> int | None: ...  # noqa: D102


def prompt_size(request: Figures) -> int:
    """The largest size that a prompt exceeds. Requests that were recorded together count with their mean.

    `INCOMPLETE` for a request without its input or output: it has no price, and must not be mixed with others.
    """
    if request.input is None or request.output is None:
        return INCOMPLETE
    return max(request.input // max(request.requests or 1, 1) - 1, 0)


def step(request: Figures) -> int:
    """The last step that a prompt exceeds."""
    size = prompt_size(request)
    return INCOMPLETE if size == INCOMPLETE else (0, *STEPS)[bisect_right(STEPS, size)]


def roll_up(rows: Iterable[UsageRow], summary: Summary) -> dict[RollUpKey, Sums]:
    """The sums of all requests by quarter, model and step. Inherited requests count elsewhere.

    A conversation without known figures has one entry without any, so that it counts as a session.
    """
    sums: dict[RollUpKey, Sums] = {}
    for row in rows:
        if row.inherited:
            continue
        totals = sums.setdefault((quarter(row.at), row.model or "", step(row)), [None] * 7)
        figures = (row.input, row.cached, row.cache_write, row.cache_write_long, row.output, row.reasoning)
        for index, figure in enumerate((*figures, row.requests)):
            if figure is not None:
                totals[index] = (totals[index] or 0) + figure
    if not sums and summary.kind in (Kind.MAIN, Kind.SUBAGENT):
        sums[quarter(micros(summary.started)), next(iter(summary.models), ""), 0] = [None] * 7
    return sums
