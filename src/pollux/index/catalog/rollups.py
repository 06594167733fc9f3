"""Usage rolled up by quarters of an hour: every time zone's day, week and month is a union of quarters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from pollux.index.catalog.rows import UsageRow, micros
from pollux.model import Figures, Kind, Summary, Total, values

QUARTER = 15 * 60
UNTIMED = -(1 << 40)
"""Stands in a quarter's place where no time is known."""
HALF = -1
"""Stands in a step's place where a request's input or output is not known."""

STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Sizes of a prompt beyond which some vendor asks another price for the whole request. A roll-up does not mix them."""

Place = tuple[int, str, int]
"""A quarter of an hour since 1970, a model, and the step that its prompts are beyond."""


def quarter(at: int | None) -> int:
    """The quarter of an hour in which a moment (in microseconds) lies."""
    return at // (QUARTER * 1_000_000) if at is not None else UNTIMED


def beyond(request: Figures) -> int:
    """The largest size that a prompt is beyond. Several requests that were only told together stand for their mean.

    A request of which half the figures are missing has no price, and must not be mixed with those that have: `HALF`.
    """
    if request.input is None or request.output is None:
        return HALF
    return max(request.input // max(request.requests or 1, 1) - 1, 0)


def step(request: Figures) -> int:
    """The last step that a prompt is beyond."""
    size = beyond(request)
    return HALF if size == HALF else (0, *STEPS)[bisect_right(STEPS, size)]


def rolled_up(rows: Iterable[UsageRow], summary: Summary) -> dict[Place, Total]:
    """The sums of all requests by their place; what is inherited was used elsewhere.

    A conversation of which no figures are known has one place without any, so that it is counted as a session.
    """
    totals: dict[Place, Total] = {}
    for row in rows:
        if row.inherited:
            continue
        place = (quarter(row.at), row.model or "", step(row))
        total = totals.get(place)
        if total is None:
            total = totals[place] = Total()
        total.add(values(row))
    if not totals and summary.kind in (Kind.MAIN, Kind.SUBAGENT):
        totals[quarter(micros(summary.started)), next(iter(summary.models), ""), 0] = Total()
    return totals
