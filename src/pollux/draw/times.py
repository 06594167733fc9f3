"""Points in time as people read them."""

from __future__ import annotations

from datetime import datetime

from pollux.system.clock import local

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def ago(moment: datetime | None, present: datetime, *, brief: bool = False) -> str:
    """A time for a list: how long ago within a day, else date and time, else the date; `brief` leaves the clock out."""
    if moment is None:
        return "–"
    passed = (present - moment).total_seconds()
    if 0 <= passed < 60:
        return "just now"
    if 0 <= passed < 3600:
        return f"{int(passed // 60)} min ago"
    if 0 <= passed < 86400:
        return f"{int(passed // 3600)} h ago"
    text = day_and_time(moment, present)
    return text[:6] if brief and local(moment).year == present.year else text


def day_and_time(moment: datetime, present: datetime) -> str:
    """`Nov 15 06:16`, or `Nov 15 2025` in another year."""
    here = local(moment)
    day = f"{_MONTHS[here.month - 1]} {here.day:2}"
    return f"{day}  {here.year}" if here.year != present.year else f"{day} {here:%H:%M}"


def full(moment: datetime) -> str:
    """`2026-11-15 06:16`, local."""
    return f"{local(moment):%Y-%m-%d %H:%M}"


def clock(moment: datetime, *, seconds: bool = True) -> str:
    """`06:16:02`, local."""
    return f"{local(moment):%H:%M:%S}" if seconds else f"{local(moment):%H:%M}"
