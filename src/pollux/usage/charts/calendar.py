"""A calendar: the more was done on a day, the darker it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from pollux.usage.charts.svg import Label, box, picture, text

CELL, GAP = 13, 3
LEFT, TOP = 56, 76
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LEVELS = 4
LONGEST = timedelta(days=366)
"""No more empty weeks in a row than this are shown."""


def levels(values: Mapping[date, float]) -> Sequence[float]:
    """The values at which a day becomes one shade darker: a quarter of the busy days has each shade."""
    busy = sorted(value for value in values.values() if value > 0)
    return [busy[len(busy) * place // LEVELS] for place in range(1, LEVELS)] if busy else []


def level(value: float, limits: Sequence[float]) -> int:
    """How dark a day is, from 0 for none."""
    return 0 if value <= 0 else 1 + sum(value > limit for limit in limits)


def weeks(first: date, last: date) -> list[date]:
    """The Mondays of all weeks between two days."""
    monday = first - timedelta(days=first.weekday())
    return [monday + timedelta(weeks=number) for number in range((last - monday).days // 7 + 1)]


def shown_weeks(values: Iterable[date]) -> list[date | None]:
    """The Mondays of all weeks from the first of some days to the last; None stands for a gap of more than a year."""
    mondays: list[date | None] = []
    before: date | None = None
    for monday in sorted({day - timedelta(days=day.weekday()) for day in values}):
        if before is not None and monday - before > LONGEST:
            mondays.append(None)
        elif before is not None:
            mondays += weeks(before, monday)[1:-1]
        mondays.append(monday)
        before = monday
    return mondays


def months(mondays: Sequence[date]) -> Iterator[tuple[int, str]]:
    """The weeks that have the name of a month above them: its first one, and the very first if there is room."""
    for column, monday in enumerate(mondays):
        if monday.day <= 7 or (column == 0 and all(later.day > 7 for later in mondays[1:2])):
            yield column, MONTHS[monday.month - 1]


def _days(monday: date, first: date, last: date) -> Iterator[tuple[int, date]]:
    """The days of a week from the first to the last of all, each with its place in the week."""
    every = ((row, monday + timedelta(days=row)) for row in range(7))
    return ((row, day) for row, day in every if first <= day <= last)


def _headings(mondays: Sequence[date | None]) -> Iterator[tuple[int, str]]:
    """The names of the months above the weeks between two gaps."""
    begin = 0
    for end in [*(column for column, monday in enumerate(mondays) if monday is None), len(mondays)]:
        yield from ((begin + column, name) for column, name in months([day for day in mondays[begin:end] if day]))
        begin = end + 1


def calendar(title: str, subtitle: str, values: Mapping[date, float], label: Label) -> str:
    """A picture of all days from the first to the last, with their values."""
    mondays = shown_weeks(values)
    width = max(LEFT + len(mondays) * (CELL + GAP) + 24, 420)
    height = TOP + 7 * (CELL + GAP) + 40
    return picture(width, height, title, _body(title, subtitle, values, mondays, label))


def _body(
    title: str, subtitle: str, values: Mapping[date, float], mondays: Sequence[date | None], label: Label
) -> Iterator[str]:
    yield text(24, 26, title, more='font-size="16" font-weight="600"')
    yield text(24, 44, subtitle, "soft")
    for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri")):
        yield text(LEFT - 8, TOP + row * (CELL + GAP) + 11, name, "soft", 'text-anchor="end" font-size="10"')
    for column, name in _headings(mondays):
        yield text(LEFT + column * (CELL + GAP), TOP - 7, name, "soft", 'font-size="10"')
    limits = levels(values)
    for column, monday in enumerate(mondays):
        x = LEFT + column * (CELL + GAP)
        if monday is None:
            yield text(x, TOP + 3 * (CELL + GAP) + 11, "…", "soft")
            continue
        for row, day in _days(monday, min(values), max(values)):
            value, place = values.get(day, 0), (x, TOP + row * (CELL + GAP), CELL, CELL)
            yield box(place, f"h{level(value, limits)}", f"{day.isoformat()}: {label(value)}", 2)
    y = TOP + 7 * (CELL + GAP) + 10
    yield text(LEFT, y + 10, "less", "soft", 'font-size="10"')
    for shade in range(LEVELS + 1):
        yield box((LEFT + 28 + shade * (CELL + GAP), y, CELL, CELL), f"h{shade}", round_=2)
    yield text(LEFT + 32 + (LEVELS + 1) * (CELL + GAP), y + 10, "more", "soft", 'font-size="10"')
