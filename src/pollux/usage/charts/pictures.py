"""The charts of what was used, each as an SVG picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import NotFound
from pollux.text.figures import plural
from pollux.usage.charts import bars, calendar, columns
from pollux.usage.charts.calendar import shown_weeks
from pollux.usage.days import unbroken
from pollux.usage.labels import at_least, label
from pollux.usage.stats import TIMES, Grouping

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from pollux.index.catalogue.values import Filter
    from pollux.usage.service import UsageService
    from pollux.usage.stats import Measure

CUT = "; gaps of more than a year are cut"


def stats_picture(  # noqa: PLR0913
    usage: UsageService,
    by: Grouping,
    criteria: Filter,
    *,
    of: Measure | None = None,
    stack: Grouping = Grouping.AGENT,
    timezone: str | None = None,
) -> str:
    """The chart of `pollux stats`: columns over time, stacked; bars for everything else. Raises `NotFound`."""
    of = of or usage.stats(Grouping.AGENT, criteria).of
    amounts = usage.stacks(by, of, stack, criteria, timezone)
    if not amounts:
        raise NotFound("No usage matches.", "Try: pollux stats")
    title, subtitle = f"{of.value.capitalize()} by {by.value}", _subtitle(usage, of, criteria)
    if by in TIMES:
        names = unbroken(name for name in amounts if name is not None)
        if not names:
            raise NotFound("None of these requests has a known time.", "Try: --by agent")
        untimed = sum(amounts.get(None, {}).values())
        subtitle += f", {label(of, untimed)} of it without a time and not shown" if untimed else ""
        subtitle += CUT if None in names else ""
        spans = [(name, amounts.get(name, {}) if name is not None else {}) for name in names]
        return columns(title, subtitle, spans, lambda value: label(of, value))
    sums = [(name or "unknown", sum(values.values())) for name, values in amounts.items()]
    sums.sort(key=lambda pair: (-pair[1], pair[0]))
    return bars(title, subtitle, sums, lambda value: label(of, value))


def _subtitle(usage: UsageService, of: Measure, criteria: Filter) -> str:
    """The sum of all, and what is to be known about it."""
    total = usage.stats(Grouping.AGENT, criteria).total
    if of == "cost" and total.cost_usd is None:
        raise NotFound("None of these requests has a known price.", "Try: --of tokens")
    least = at_least(of, total)
    if of == "tokens":
        return f"{least}{label(of, total.usage.known or 0)} in all"
    unpriced = f", without {plural(total.unpriced, 'request')} of unknown cost" if total.unpriced else ""
    return f"{least}{label(of, total.cost_usd or 0)} in all{unpriced}"


def timeline_picture(of: Measure, days: Mapping[date, float], least: str) -> str:
    """The calendar of `pollux timeline`. `least` stands before the sum."""
    first, last = min(days), max(days)
    subtitle = f"{least}{label(of, sum(days.values()))} from {first} to {last}"
    subtitle += CUT if None in shown_weeks(days) else ""
    return calendar(f"{of.value.capitalize()} a day", subtitle, days, lambda value: label(of, value))
