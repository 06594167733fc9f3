"""Bars and lines of block characters, to compare figures at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"


def bar(value: float, most: float, columns: int) -> str:
    """A bar in proportion to the largest value. A value above 0 always shows."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(round(8 * columns * value / most), 1)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def sparkline(values: Sequence[float]) -> str:
    """One block for each value; 0 is a blank."""
    most = max(values, default=0)
    if most <= 0:
        return ""
    return "".join(_HEIGHTS[min(int(8 * value / most), 7)] if value > 0 else " " for value in values)


def bucket_sums(values: Sequence[float], columns: int) -> list[float]:
    """The sums of adjacent values, at most `columns` of them."""
    if len(values) <= columns:
        return list(values)
    ends = [round(number * len(values) / columns) for number in range(columns + 1)]
    return [sum(values[begin:end]) for begin, end in pairwise(ends)]
