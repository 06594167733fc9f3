"""Usage rolled up by quarters of an hour: days, weeks and months of every time zone consist of quarters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from pollux.index.catalogue.rows import UsageRow, micros
from pollux.model import Figures, Kind, Summary, Total, values

QUARTER = 15 * 60
UNTIMED = -(1 << 40)
"""The quarter of requests without a known time."""
INCOMPLETE = -1
"""The step of requests whose input or output is not known."""

STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Sizes of a prompt above which a vendor has another price for the whole request. A roll-up does not mix them."""

RollUpKey = tuple[int, str, int]
"""A quarter of an hour since 1970, a model, and the step that its prompts exceed."""


def quarter(at: int | None) -> int:
    """The quarter of an hour in which a moment (in microseconds) lies."""
    return at // (QUARTER * 1_000_000) if at is not None else UNTIMED


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


def roll_up(rows: Iterable[UsageRow], summary: Summary) -> dict[RollUpKey, Total]:
    """The sums of all requests by quarter, model and step. Inherited requests count elsewhere.

    A conversation without known figures has one entry without any, so that it counts as a session.
    """
    totals: dict[RollUpKey, Total] = {}
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
