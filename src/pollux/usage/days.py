"""Days, weeks and months in a time zone, as unions of quarters of an hour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pollux.errors import UnknownName
from pollux.index.catalogue.rollups import QUARTER, UNTIMED

YEAR = timedelta(days=366)
"""No longer empty time than this is shown."""


def zone(name: str | None) -> tzinfo | None:
    """The time zone of this name; None is the machine's own. Raises `UnknownName`."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "Names are those of the IANA database: Europe/Berlin, America/New_York, UTC."
        raise UnknownName("time zone", name, available_timezones(), hint) from None


def day_of(where: tzinfo | None) -> Callable[[int], date | None]:
    """A function that gives the day on which a quarter begins in a zone; None where no time is known."""

    @cache
    def day(quarter: int) -> date | None:
        if quarter == UNTIMED:
            return None
        try:
            if where is None:
                return date.fromtimestamp(quarter * QUARTER)  # noqa: DTZ012 (the machine's own zone is meant)
            return datetime.fromtimestamp(quarter * QUARTER, where).date()
        except (OverflowError, OSError, ValueError):  # the edge of the calendar
            return None

    return day


def named(by: str, day: date) -> str:
    """The name of a day, or of its week or month."""
    if by == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[:7] if by == "month" else day.isoformat()


def span_of(by: str, where: tzinfo | None) -> Callable[[int], str | None]:
    """A function that names the day, week or month of a quarter: `2026-11-15`, `2026-W46`, `2026-11`."""
    day = day_of(where)

    @cache
    def name(day: date | None) -> str | None:
        return None if day is None else named(by, day)

    return lambda quarter: name(day(quarter))


def unbroken(spans: Iterable[str]) -> list[str | None]:
    """Days, weeks or months in their order, with those between them; None stands for a gap of more than a year.

    A clock that was wrong by centuries must not fill them with empty days.
    """
    names = list[str | None]()
    before: date | None = None
    for span in sorted(spans):
        first, last = bounds(span)
        if before is not None and first - before > YEAR:
            names.append(None)
        elif before is not None:
            names += _between(before, first, span)
        names.append(span)
        before = last
    return names


def _between(before: date, after: date, like: str) -> Iterator[str]:
    """The names of the days, weeks or months between two days; `like` is one of them."""
    by = "week" if "W" in like else "month" if len(like) == 7 else "day"
    day = before + timedelta(days=1)
    while day < after:
        yield named(by, day)
        day = bounds(named(by, day))[1] + timedelta(days=1)


def bounds(name: str) -> tuple[date, date]:
    """The first and the last day of a day, week or month by its name."""
    if "W" in name:
        first = date.fromisoformat(f"{name}-1")
        return first, first + timedelta(days=6)
    if len(name) == 7:
        first = date.fromisoformat(f"{name}-01")
        return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return date.fromisoformat(name), date.fromisoformat(name)
