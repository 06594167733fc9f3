"""The calendar of `pollux timeline` in the terminal."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pollux.draw.width import wrap
from pollux.text.figures import plural
from pollux.usage.charts.calendar import level, levels, months, weeks
from pollux.usage.labels import label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from pollux.draw.canvas import Canvas
    from pollux.usage.service import Measure

SHADES = "·░▒▓█"
MARGIN, WEEKS = 5, 53


def room(canvas: Canvas) -> int:
    """How many weeks fit side by side."""
    return WEEKS if canvas.columns is None else max((canvas.columns - MARGIN) // 2, 4)


def calendar_lines(
    canvas: Canvas, of: Measure, days: Mapping[date, float], span: tuple[date, date], least: str
) -> Iterator[str]:
    """A column for each week and a line for each weekday, then the sums. `least` is written before the sum."""
    visible = {day: value for day, value in days.items() if span[0] <= day <= span[1]}
    limits, mondays = levels(visible), weeks(*span)
    yield canvas.paint(_months(mondays), "dim").rstrip()
    for row, name in enumerate(("Mon", "", "Wed", "", "Fri", "", "Sun")):
        cells = [_cell(canvas, visible, monday + timedelta(days=row), span, limits) for monday in mondays]
        yield (canvas.paint(f"{name:<{MARGIN}}", "dim") + " ".join(cells)).rstrip()
    yield ""
    unit = " tokens" if of == "tokens" else ""
    total = f"{least}{label(of, sum(visible.values()))}{unit}"
    if len(visible) > 1:
        yield from wrap(f"{total} on {plural(len(visible), 'day')}, {span[0]} to {span[1]}", canvas.columns)
        busiest = max(sorted(visible), key=lambda day: visible[day])
        yield f"busiest: {busiest} with {label(of, visible[busiest])}"
    else:
        yield f"{total} on {span[0]}"
    scale = " ".join(SHADES[1:])
    steps = ", ".join(label(of, limit) for limit in dict.fromkeys(limits))
    for line in wrap(f"· nothing  {scale} more and more: beyond {steps}", canvas.columns):
        yield canvas.paint(line, "dim")
    earlier = [value for day, value in days.items() if day < span[0]]
    if earlier:
        yield canvas.paint(
            f"Before that: {label(of, sum(earlier))} on {plural(len(earlier), 'day')}. -o draws them all.", "dim"
        )


def _months(mondays: list[date]) -> str:
    line = [" "] * (MARGIN + 2 * len(mondays) + 3)
    for column, name in months(mondays):
        place = MARGIN + 2 * column
        line[place : place + 3] = name
    return "".join(line)


def _cell(
    canvas: Canvas, visible: Mapping[date, float], day: date, span: tuple[date, date], limits: Sequence[float]
) -> str:
    if not span[0] <= day <= span[1]:
        return " "
    shade = level(visible.get(day, 0), limits)
    return canvas.paint(SHADES[shade], "good" if shade else "dim")
