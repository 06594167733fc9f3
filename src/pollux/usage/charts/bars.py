"""Bars side by side, the longest first: one value for each name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pollux.usage.charts.svg import Label, box, fitting, picture, text, wide

WIDTH, ROW = 900, 26
LEFT, RIGHT, TOP = 24, 110, 64
LONGEST = 350
"""The greatest width of a name."""


def bars(title: str, subtitle: str, values: Sequence[tuple[str, float]], label: Label) -> str:
    """A picture of names with their values."""
    return picture(WIDTH, TOP + ROW * len(values) + 12, title, _body(title, subtitle, values, label))


def _body(title: str, subtitle: str, values: Sequence[tuple[str, float]], label: Label) -> Iterator[str]:
    yield text(LEFT, 26, title, more='font-size="16" font-weight="600"')
    yield text(LEFT, 44, subtitle, "soft")
    most = max((value for _, value in values), default=0) or 1
    start = LEFT + min(max((wide(name) for name, _ in values), default=0), LONGEST) + 10
    for place, (name, value) in enumerate(values):
        y = TOP + place * ROW
        yield text(start - 10, y + 16, fitting(name, LONGEST), more='text-anchor="end"')
        long = max((WIDTH - start - RIGHT) * value / most, 1)
        yield box((start, y + 4, long, ROW - 9), "s0", f"{name}: {label(value)}", 2)
        yield text(start + long + 8, y + 16, label(value), "soft")
