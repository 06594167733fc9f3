"""A calendar: the more was done on a day, the darker it is. Each day leads to its sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pollux.text.filter_term import filter_term
from pollux.text.shell import shell_line
from pollux.usage.charts.calendar import level, levels, months, shown_weeks
from pollux.usage.labels import label
from pollux.usage.service import Measure
from pollux.web.pages.layout import list_address
from pollux.web.pages.report import (
    Tile,
    filter_form,
    heading,
    nothing,
    one_day,
    report_page,
    switch,
    table,
    tiles,
)
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag

if TYPE_CHECKING:
    from pollux.web.reports.asked import Asked

_LEFT, _TOP = 34, 18
_SMALL, _LARGE, _FEW = 16, 24, 27
"""The side of a day, and that where there are few weeks."""

_SHADES = 5


def timeline_page(
    asked: Asked, of: Measure, amounts: Mapping[date | None, float], least: str, projects: list[str]
) -> str:
    """The calendar and its table. `least` stands before a sum that is known to be too low."""
    days = {day: amount for day, amount in amounts.items() if day is not None}
    ways = switch("What is shown", [(one.value.capitalize(), asked.address(of=one), one is of) for one in Measure])
    inner: list[Html | None] = [tag("div", ways, filter_form(asked, projects), class_="choices")]
    if days:
        untimed = amounts.get(None, 0)
        rest = f"Without a time, and so on no day: {label(of, untimed)}." if untimed else None
        inner += [tiles("In all", _sums(asked, of, days, least)), _calendar(asked, of, days), _legend()]
        inner += [tag("p", rest, class_="about") if rest else None, _table(asked, of, days)]
    else:
        inner.append(nothing("Nothing matches.", asked))
    line = shell_line("pollux", "timeline", *asked.options("of"))
    csv = tag("a", "CSV", href=asked.address(".csv"), download=True)
    return report_page(asked, "Timeline", heading("Timeline", asked, line, csv), *inner)


def _sums(asked: Asked, of: Measure, days: Mapping[date, float], least: str) -> Iterator[Tile]:
    """What there is in all."""
    most = max(days, key=lambda day: days[day])
    figure, _, unit = label(of, sum(days.values())).partition(" ")
    yield Tile(f"{'≥' if least else ''}{figure}", unit or of.value)
    span = join([join(["days with any, from"]), one_day(min(days)), join(["to"]), one_day(max(days))], Html(" "))
    yield Tile(f"{sum(amount > 0 for amount in days.values()):,}", span)
    yield Tile(label(of, days[most]), join([join([f"the most, on {most:%A}, "]), one_day(most)]), _day(asked, of, most))


def _calendar(asked: Asked, of: Measure, days: Mapping[date, float]) -> Html:
    """The drawing, for the eye: the table says the same."""
    weeks = shown_weeks(days)
    cell = _LARGE if len(weeks) < _FEW else _SMALL
    wide, high = _LEFT + len(weeks) * cell, _TOP + 7 * cell
    drawing = tag(
        "svg",
        *_names(weeks, cell),
        *_cells(asked, of, days, weeks, cell),
        viewBox=f"0 0 {wide} {high}",
        width=str(wide),
        height=str(high),
        aria_hidden="true",
    )
    return tag("div", drawing, class_="wide calendar", tabindex="0", role="region", aria_label="Calendar")


def _names(weeks: Sequence[date | None], cell: int) -> Iterator[Html]:
    for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri")):
        yield tag("text", name, x="0", y=str(_TOP + row * cell + cell // 2 + 3))
    begin = 0
    for end in [*(place for place, week in enumerate(weeks) if week is None), len(weeks)]:
        for place, name in months([week for week in weeks[begin:end] if week is not None]):
            yield tag("text", name, x=str(_LEFT + (begin + place) * cell), y="11")
        begin = end + 1


def _cells(
    asked: Asked, of: Measure, days: Mapping[date, float], weeks: Sequence[date | None], cell: int
) -> Iterator[Html]:
    limits, first, last = levels(days), min(days), max(days)
    side = str(cell - 3)
    for column, monday in enumerate(weeks):
        x = _LEFT + column * cell
        if monday is None:
            yield tag("text", "…", x=str(x), y=str(_TOP + 3 * cell + cell // 2 + 3))
            continue
        for row in range(7):
            day = monday + timedelta(days=row)
            if not first <= day <= last:
                continue
            amount = days.get(day, 0)
            shade = f"h{level(amount, limits)}"
            place = {"x": str(x), "y": str(_TOP + row * cell), "width": side, "height": side, "rx": "3"}
            square = tag("rect", tag("title", f"{day.isoformat()}: {label(of, amount)}"), class_=shade, **place)
            yield tag("a", square, href=_day(asked, of, day), tabindex="-1") if amount else square


def _legend() -> Html:
    shades = [
        tag("rect", x=str(number * _SMALL), y="0", width="13", height="13", rx="2", class_=f"h{number}")
        for number in range(_SHADES)
    ]
    drawing = tag("svg", *shades, viewBox=f"0 0 {_SHADES * _SMALL} 13", width=str(_SHADES * _SMALL), height="13")
    return tag("p", "less ", drawing, " more", class_="shades", aria_hidden="true")


def _table(asked: Asked, of: Measure, days: Mapping[date, float]) -> Html:
    rows = [
        (tag("a", day.isoformat(), href=_day(asked, of, day)), f"{day:%A}", label(of, days[day]).partition(" ")[0])
        for day in sorted(days, reverse=True)
    ]
    inner = table(("day", "weekday", of.value), rows, numeric=(2,))
    return tag("details", tag("summary", "As a table"), inner, open=len(rows) <= 31)


def _day(asked: Asked, of: Measure, day: date) -> str:
    """The sessions of a day, with the figures of each; of prompts also those of which nothing else is left."""
    name, agent, project = day.isoformat(), asked.get("agent"), asked.get("project")
    if of is not Measure.PROMPTS:
        return to("/stats", by="session", agent=agent, project=project, since=name, until=name)
    named = {"agent": agent, "project": project, "since": name, "until": name}
    query = " ".join(filter_term(key, value) for key, value in named.items() if value is not None)
    return list_address(query, everything=True)
