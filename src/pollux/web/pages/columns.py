"""Columns over time, each a stack, drawn to any width. Each column leads to what it stands for.

A table beside it says the same in words, so the drawing is for the eye alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pollux.text.escape import one_line
from pollux.writers.html.chart import COLOURS
from pollux.writers.html.markup import Html, tag

_HIGH, _WIDE = 100.0, 10
_MARKS = 5
"""Names below the columns."""


class Span(NamedTuple):
    """A column: its name, where it leads, and how much each part has. A gap that was cut has no name."""

    name: str | None
    address: str
    parts: Mapping[str, float]


def columns(
    title: str,
    spans: Sequence[Span],
    label: Callable[[float], str],
    known: Sequence[str] = (),
    budget: float | None = None,
) -> Html | None:
    """The drawing with its legend; None where there are not two columns. `known` names keep their colours.

    A `budget` is a line across all columns.
    """
    sums: dict[str, float] = {}
    for span in spans:
        for name, value in span.parts.items():
            sums[name] = sums.get(name, 0) + value
    highest = max((sum(span.parts.values()) for span in spans), default=0)
    if len(spans) < 2 or not highest:
        return None
    most = _rounded_up(max(highest, budget or 0))
    largest = sorted(sums, key=lambda name: (-sums[name], name))
    order = known if sums.keys() <= {*known} else largest
    ranks = {name: rank for rank, name in enumerate(order) if name in sums}
    drawing = tag(
        "svg",
        *(tag("line", x1="0", x2=f"{_WIDE * len(spans)}", y1=f"{y:.0f}", y2=f"{y:.0f}") for y in (0, _HIGH / 2)),
        *(_column(place, span, ranks, most, label) for place, span in enumerate(spans)),
        _budget(budget, most, len(spans), label) if budget is not None else None,
        viewBox=f"0 0 {_WIDE * len(spans)} {_HIGH:.0f}",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    named = [span.name for span in spans if span.name is not None]
    marks = sorted({round(step * (len(named) - 1) / (_MARKS - 1)) for step in range(_MARKS)})
    ends = tag("div", *(tag("span", named[place]) for place in marks), class_="ends", aria_hidden="true")
    scale = tag(
        "div", *(tag("span", label(value)) for value in (most, most / 2, 0)), class_="scale", aria_hidden="true"
    )
    caption = tag("figcaption", tag("b", title))
    legend = [_legend(rank, name) for name, rank in ranks.items() if rank < COLOURS]
    if len(ranks) > COLOURS:
        legend[-1] = _legend(COLOURS - 1, f"{len(ranks) - COLOURS + 1:,} others")
    keys = tag("p", *legend, class_="legend") if len(ranks) > 1 else None
    return tag(
        "div", tag("figure", caption, tag("div", scale, drawing, class_="plot"), ends), keys, class_="charts columns"
    )


def _column(
    place: int, span: Span, ranks: Mapping[str, int], most: float, label: Callable[[float], str]
) -> Html | None:
    if span.name is None:
        return None
    inner = list(_parts(place, span, ranks, most))
    words = ", ".join(f"{one_line(name)} {label(value)}" for name, value in span.parts.items() if value)
    title = tag("title", f"{span.name}: {words or 'nothing'}")
    if not inner:
        return tag("g", title)
    return tag("a", title, *inner, href=span.address, tabindex="-1")


def _budget(budget: float, most: float, count: int, label: Callable[[float], str]) -> Html:
    y = f"{_HIGH - _HIGH * budget / most:.2f}"
    title = tag("title", f"Budget: {label(budget)}")
    return tag("line", title, x1="0", x2=f"{_WIDE * count}", y1=y, y2=y, class_="budget")


def _parts(place: int, span: Span, ranks: Mapping[str, int], most: float) -> Iterator[Html]:
    floor = _HIGH
    for name in sorted(span.parts, key=lambda name: ranks[name]):
        high = _HIGH * span.parts[name] / most
        if high > 0:
            floor -= high
            yield tag(
                "rect",
                class_=_colour(ranks[name]),
                x=f"{place * _WIDE + 1}",
                y=f"{floor:.2f}",
                width=f"{_WIDE - 2}",
                height=f"{high:.2f}",
            )


def _rounded_up(value: float) -> float:
    """The next number that is easy to read: 1, 2, 4, 5, 6 or 8 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in (1, 2, 4, 5, 6, 8) if step * power >= value), 10 * power)


def _legend(rank: int, name: str) -> Html:
    square = tag("rect", width="10", height="10", class_=_colour(rank))
    return tag("span", tag("svg", square, viewBox="0 0 10 10", aria_hidden="true"), " ", one_line(name))


def _colour(rank: int) -> str:
    return f"c{min(rank, COLOURS - 1)}"
