"""Usage rolled up by quarters of an hour: days, weeks and months of every time zone consist of quarters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from pollux.model import FIGURES, Figures, Kind, Summary, Total

QUARTER = 15 * 60
UNTIMED = -(1 << 40)
"""The quarter of requests without a known time."""
INCOMPLETE = -1
"""The step of requests whose input or output is not known."""

STEPS = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Sizes of a prompt above which a vendor has another price for the whole request. A roll-up does not mix them."""
_FROM_ZERO = (0, *STEPS)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class UsageRow(Figures, frozen=True, kw_only=True, array_like=True):
    """The tokens of one request, and where they stand: `file` counts in the session's files."""

    message: str
    at: int | None
    model: str | None
    fate: str
    inherited: bool
    exact: bool | None
    file: int | None
    line: int | None


Row = tuple[Any, ...]
"""The values of a row, in the order of its columns."""

_AT, _MODEL, _INHERITED, _INPUT, _OUTPUT, _REQUESTS = map(
    UsageRow.__struct_fields__.index, ("at", "model", "inherited", "input", "output", "requests")
)

RollUpKey = tuple[int, str, int]
"""A quarter of an hour since 1970, a model, and the step that its prompts exceed."""


def micros(at: datetime | None) -> int | None:
    """A moment as an integer of microseconds."""
    if at is None:
        return None
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def moment_of(at: int | None) -> datetime | None:
    """The moment of such an integer."""
    return None if at is None else _EPOCH + timedelta(microseconds=at)


def quarter(at: int | None) -> int:
    """The quarter of an hour in which a moment (in microseconds) lies."""
    return at // (QUARTER * 1_000_000) if at is not None else UNTIMED


def prompt_size(request: Figures) -> int:
    """The largest size that a prompt exceeds. Requests that were recorded together count with their mean.

    `INCOMPLETE` for a request without its input or output: it has no price, and must not be mixed with others.
    """
    return _prompt_size(request.input, request.output, request.requests)


def _prompt_size(read: int | None, written: int | None, requests: int | None) -> int:
    if read is None or written is None:
        return INCOMPLETE
    return max(read // max(requests or 1, 1) - 1, 0)


def step(request: Figures) -> int:
    """The last step that a prompt exceeds."""
    return _step(prompt_size(request))


def _step(size: int) -> int:
    return INCOMPLETE if size == INCOMPLETE else _FROM_ZERO[bisect_right(STEPS, size)]


def roll_up(rows: Iterable[Row], summary: Summary) -> dict[RollUpKey, Total]:
    """The sums of all requests by quarter, model and step. Inherited requests count elsewhere.

    A conversation without known figures has one entry without any, so that it counts as a session.
    """
    totals: dict[RollUpKey, Total] = {}
    for row in rows:
        if row[_INHERITED]:
            continue
        size = _prompt_size(row[_INPUT], row[_OUTPUT], row[_REQUESTS])
        place = (quarter(row[_AT]), row[_MODEL] or "", _step(size))
        total = totals.get(place)
        if total is None:
            total = totals[place] = Total()
        total.add(row[: len(FIGURES)])
    if not totals and summary.kind in (Kind.MAIN, Kind.SUBAGENT):
        totals[quarter(micros(summary.started)), next(iter(summary.models), ""), 0] = Total()
    return totals
