"""Days, weeks and months in a time zone, as unions of quarters of an hour."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pollux.errors import UnknownName
from pollux.store.rollups import QUARTER, UNTIMED


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
    """Tells the day on which a quarter begins in a zone; None where no time is known."""

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


def span_of(by: str, where: tzinfo | None) -> Callable[[int], str | None]:
    """Names the day, week or month of a quarter: `2026-11-15`, `2026-W46`, `2026-11`."""
    day = day_of(where)

    @cache
    def name(found: date | None) -> str | None:
        if found is None:
            return None
        if by == "week":
            year, week, _ = found.isocalendar()
            return f"{year}-W{week:02}"
        return found.isoformat()[:7] if by == "month" else found.isoformat()

    return lambda quarter: name(day(quarter))


def bounds(name: str) -> tuple[date, date]:
    """The first and the last day of a day, week or month by its name."""
    if "W" in name:
        first = date.fromisoformat(f"{name}-1")
        return first, first + timedelta(days=6)
    if len(name) == 7:
        first = date.fromisoformat(f"{name}-01")
        return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return date.fromisoformat(name), date.fromisoformat(name)
