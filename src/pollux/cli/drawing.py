"""Charts that are written to a file."""

from __future__ import annotations

import math
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.cli.words import number, plural
from pollux.errors import NotFound, RequestError
from pollux.export import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pollux.accounts import By, Of
    from pollux.analysis.sums import Row
    from pollux.library import Filter, Library


def draw_stats(
    shelf: Library, by: By, of: Of | None, stack: By, asked: Filter, timezone: str | None, output: str, *, force: bool
) -> None:
    """The chart of `pollux stats`: columns over time, stacked; bars for everything else."""
    from pollux.accounts import By
    from pollux.analysis.stats import TIMES
    from pollux.charts import bars, columns

    target = _target(shelf, output, force=force)
    of = of or shelf.accounts.stats(By.AGENT, asked).of
    found = shelf.accounts.stacks(by, of, stack, asked, timezone)
    if not found:
        raise NotFound("Nothing was used then and there.", "Try: pollux stats")
    title, subtitle = f"{of.value.capitalize()} by {by.value}", _subtitle(shelf, of, asked)
    if by in TIMES:
        spans = _filled({name: values for name, values in found.items() if name is not None}, by)
        drawing = columns(title, subtitle, spans, lambda value: label(of, value))
    else:
        sums = [(name or "unknown", sum(values.values())) for name, values in found.items()]
        sums.sort(key=lambda pair: (-pair[1], pair[0]))
        drawing = bars(title, subtitle, sums, lambda value: label(of, value))
    _write(target, drawing)


def _subtitle(shelf: Library, of: Of, asked: Filter) -> str:
    """The sum of all, and what is to be known about it."""
    from pollux.accounts import By

    total = shelf.accounts.stats(By.AGENT, asked).total
    if of == "cost" and total.cost_usd is None:
        raise NotFound("None of these requests has a known price.", "Try: --of tokens")
    least = _least(of, total)
    if of == "tokens":
        return f"{least}{label(of, total.usage.total or 0)} in all"
    unpriced = f", without {plural(total.unpriced, 'request')} of unknown cost" if total.unpriced else ""
    return f"{least}{label(of, total.cost_usd or 0)} in all{unpriced}"


def least(shelf: Library, of: Of, asked: Filter) -> str:
    """`at least ` where the files are known to hold less than what was used on the days of a calendar."""
    from pollux.accounts import By

    return _least(of, shelf.accounts.stats(By.AGENT, asked, timed=True).total) if of in ("tokens", "cost") else ""


def _least(of: Of, total: Row) -> str:
    return "at least " if (total.usage.exact is False if of == "tokens" else total.at_least) else ""


def draw_timeline(
    shelf: Library, of: Of, asked: Filter, days: Mapping[date, float], output: str, *, force: bool
) -> None:
    """The calendar of `pollux timeline`."""
    from pollux.charts import calendar

    target = _target(shelf, output, force=force)
    span = min(days), max(days)
    subtitle = f"{least(shelf, of, asked)}{label(of, sum(days.values()))} from {span[0]} to {span[1]}"
    drawing = calendar(f"{of.value.capitalize()} a day", subtitle, days, span, lambda value: label(of, value))
    _write(target, drawing)


def label(of: Of, value: float) -> str:
    """A value with its unit."""
    if of == "cost":
        return f"${value:,.2f}" if value >= 0.1 or math.isclose(value, round(value, 2)) else f"${value:.4f}"
    words = number(round(value))
    return words if of == "tokens" else f"{words} {of.value if value != 1 else of.value[:-1]}"


def _filled(found: Mapping[str, Mapping[str, float]], by: By) -> Sequence[tuple[str, Mapping[str, float]]]:
    """Every span between the first and the last, also those in which nothing was used."""
    from pollux.analysis.days import bounds

    last = bounds(max(found))[1]
    day, spans = bounds(min(found))[0], list[str]()
    while day <= last:
        year, week, _ = day.isocalendar()
        name = {"week": f"{year}-W{week:02}", "month": day.isoformat()[:7]}.get(by.value, day.isoformat())
        if not spans or spans[-1] != name:
            spans.append(name)
        day += timedelta(days=1)
    return [(name, found.get(name, {})) for name in spans]


def _target(shelf: Library, output: str, *, force: bool) -> Target:
    if Path(output).suffix.lower() != ".svg":
        raise RequestError("A chart is an SVG picture.", "Try: -o chart.svg")
    return Target(output, forbidden=shelf.own(), force=force)


def _write(target: Target, drawing: str) -> None:
    with target.open() as write:
        write(drawing)
