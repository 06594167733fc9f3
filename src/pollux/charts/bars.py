"""Bars side by side, the longest first: one value for each name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pollux.charts.svg import Label, box, picture, text

WIDTH, ROW = 900, 26
LEFT, RIGHT, TOP = 250, 110, 64


def bars(title: str, subtitle: str, values: Sequence[tuple[str, float]], label: Label) -> str:
    """A picture of names with their values."""
    return picture(WIDTH, TOP + ROW * len(values) + 12, title, _body(title, subtitle, values, label))


def _body(title: str, subtitle: str, values: Sequence[tuple[str, float]], label: Label) -> Iterator[str]:
    yield text(24, 26, title, more='font-size="16" font-weight="600"')
    yield text(24, 44, subtitle, "soft")
    most = max((value for _, value in values), default=0) or 1
    for place, (name, value) in enumerate(values):
        y = TOP + place * ROW
        short = name if len(name) <= 36 else f"…{name[-35:]}"
        yield text(LEFT - 10, y + 16, short, more='text-anchor="end"')
        long = (WIDTH - LEFT - RIGHT) * value / most
        yield box((LEFT, y + 4, max(long, 1), ROW - 9), "s0", f"{name}: {label(value)}", 2)
        yield text(LEFT + max(long, 1) + 8, y + 16, label(value), "soft")
