"""What was used when."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pollux.draw.bars import bar
from pollux.draw.calendar import calendar_lines, room
from pollux.draw.width import pad, width
from pollux.tui.pages.page import Choice, Page
from pollux.usage.labels import at_least, label
from pollux.usage.service import Grouping, Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import date

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Filter, Library

RECENT = 14


class TimelinePage(Page):
    """The calendar of `pollux timeline`, and the last days as bars."""

    title = "Timeline"
    command = "timeline"
    options = ("tokens", "cost", "prompts", "sessions")
    option = "--of"

    def lines(self, canvas: Canvas, library: Library, choice: Choice) -> Iterator[str]:
        """The calendar, the last days."""
        of, criteria = Measure(choice.by), choice.criteria()
        amounts = library.usage.timeline(of, criteria)
        days = {day: value for day, value in amounts.items() if day is not None}
        if not days:
            yield "Nothing in this period."
            return
        last = max(days)
        earliest = last - timedelta(days=last.weekday()) - timedelta(weeks=room(canvas) - 1)
        span = (max(min(days), earliest), last)
        yield from calendar_lines(canvas, of, days, span, _mark(library, of, criteria))
        yield ""
        yield canvas.paint("The last days", "bold")
        shown = [day for number in range(RECENT) if (day := last - timedelta(days=number)) >= min(days)]
        yield from _bars(canvas, of, days, shown, _too_low(library, of, criteria))


def _mark(library: Library, of: Measure, criteria: Filter) -> str:
    """The mark before a sum that is known to be too low."""
    if of not in (Measure.TOKENS, Measure.COST):
        return ""
    return at_least(of, library.usage.stats(Grouping.AGENT, criteria, timed=True).total)


def _too_low(library: Library, of: Measure, criteria: Filter) -> set[str]:
    """The days whose sums are known to be too low."""
    if of not in (Measure.TOKENS, Measure.COST):
        return set()
    rows = library.usage.stats(Grouping.DAY, criteria).rows
    return {row.name for row in rows if row.name is not None and at_least(of, row)}


def _bars(
    canvas: Canvas, of: Measure, days: Mapping[date, float], shown: Sequence[date], too_low: Collection[str]
) -> Iterator[str]:
    most = max(days.get(day, 0) for day in shown)
    words = [("≥" if day.isoformat() in too_low else "") + label(of, days[day]) if day in days else "" for day in shown]
    wide = max(map(width, words))
    columns = max((canvas.columns or 80) - 12 - wide - 2, 8)
    for day, amount in zip(shown, words, strict=True):
        name = pad(f"{day:%a} {day.day} {day:%b}", 11)
        drawn = canvas.paint(bar(days.get(day, 0), most, columns), "accent")
        yield f"{canvas.paint(name, 'dim')} {pad(amount, wide, right=True)} {drawn}".rstrip()
