"""Charts that are written to a file."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.cli.terminal.figures import number, plural
from pollux.errors import NotFound, RequestError
from pollux.system.target import Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pollux.library.library import Filter, Library
    from pollux.usage.accounts import By, Of
    from pollux.usage.sums import Row

CUT = "; gaps of more than a year are cut"


def draw_stats(
    library: Library, by: By, of: Of | None, stack: By, asked: Filter, timezone: str | None, output: str, *, force: bool
) -> None:
    """The chart of `pollux stats`: columns over time, stacked; bars for everything else."""
    from pollux.usage.accounts import By
    from pollux.usage.charts import bars, columns
    from pollux.usage.days import unbroken
    from pollux.usage.stats import TIMES

    target = _target(library, output, force=force)
    of = of or library.accounts.stats(By.AGENT, asked).of
    found = library.accounts.stacks(by, of, stack, asked, timezone)
    if not found:
        raise NotFound("Nothing was used then and there.", "Try: pollux stats")
    title, subtitle = f"{of.value.capitalize()} by {by.value}", _subtitle(library, of, asked)
    if by in TIMES:
        names = unbroken(name for name in found if name is not None)
        if not names:
            raise NotFound("None of these requests has a known time.", "Try: --by agent")
        untimed = sum(found.get(None, {}).values())
        subtitle += f", {label(of, untimed)} of it without a time and not shown" if untimed else ""
        subtitle += CUT if None in names else ""
        spans = [(name, found.get(name, {}) if name is not None else {}) for name in names]
        drawing = columns(title, subtitle, spans, lambda value: label(of, value))
    else:
        sums = [(name or "unknown", sum(values.values())) for name, values in found.items()]
        sums.sort(key=lambda pair: (-pair[1], pair[0]))
        drawing = bars(title, subtitle, sums, lambda value: label(of, value))
    _write(target, drawing)


def _subtitle(library: Library, of: Of, asked: Filter) -> str:
    """The sum of all, and what is to be known about it."""
    from pollux.usage.accounts import By

    total = library.accounts.stats(By.AGENT, asked).total
    if of == "cost" and total.cost_usd is None:
        raise NotFound("None of these requests has a known price.", "Try: --of tokens")
    least = _least(of, total)
    if of == "tokens":
        return f"{least}{label(of, total.usage.known or 0)} in all"
    unpriced = f", without {plural(total.unpriced, 'request')} of unknown cost" if total.unpriced else ""
    return f"{least}{label(of, total.cost_usd or 0)} in all{unpriced}"


def least(library: Library, of: Of, asked: Filter) -> str:
    """`at least ` where the files are known to hold less than what was used on the days of a calendar."""
    from pollux.usage.accounts import By

    return _least(of, library.accounts.stats(By.AGENT, asked, timed=True).total) if of in ("tokens", "cost") else ""


def _least(of: Of, total: Row) -> str:
    return "at least " if (total.usage.exact is False if of == "tokens" else total.at_least) else ""


def draw_timeline(
    library: Library, of: Of, asked: Filter, days: Mapping[date, float], output: str, *, force: bool
) -> None:
    """The calendar of `pollux timeline`."""
    from pollux.usage.charts import calendar
    from pollux.usage.charts.calendar import shown_weeks

    target = _target(library, output, force=force)
    span = min(days), max(days)
    subtitle = f"{least(library, of, asked)}{label(of, sum(days.values()))} from {span[0]} to {span[1]}"
    subtitle += CUT if None in shown_weeks(days) else ""
    drawing = calendar(f"{of.value.capitalize()} a day", subtitle, days, lambda value: label(of, value))
    _write(target, drawing)


def label(of: Of, value: float) -> str:
    """A value with its unit."""
    if of == "cost":
        return f"${value:,.2f}" if value >= 0.1 or math.isclose(value, round(value, 2)) else f"${value:.4f}"
    words = number(round(value))
    return words if of == "tokens" else f"{words} {of.value if value != 1 else of.value[:-1]}"


def _target(library: Library, output: str, *, force: bool) -> Target:
    if Path(output).suffix.lower() != ".svg":
        raise RequestError("A chart is an SVG picture.", "Try: -o chart.svg")
    return Target(output, forbidden=library.own(), force=force)


def _write(target: Target, drawing: str) -> None:
    with target.open() as write:
        write(drawing)
