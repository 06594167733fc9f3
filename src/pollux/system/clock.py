"""Points in time as people type them and as agents record them.

`POLLUX_NOW` (an ISO time) replaces the present moment, so that examples and tests stay true.
"""

from __future__ import annotations

import contextlib
import os
import re
from datetime import UTC, datetime, time, timedelta, tzinfo

from pollux.errors import RequestError
from pollux.text.suggest import did_you_mean

_AGO = re.compile(r"(\d{1,6})\s*([a-z]+)(?:\s+ago)?", re.IGNORECASE)
_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2}))?")
_UNITS = {
    "minutes": ("m", "min", "mins", "minute", "minutes"),
    "hours": ("h", "hour", "hours"),
    "days": ("d", "day", "days"),
    "weeks": ("w", "week", "weeks"),
}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
# A century from either end of the calendar, so that no time zone and no span leads beyond the end.
FIRST_YEAR, LAST_YEAR = 100, 9900
LATEST = int(datetime(LAST_YEAR, 12, 31, tzinfo=UTC).timestamp())
"""The beginning of the last day of these years, in seconds since 1970."""


def is_usable(at: datetime) -> bool:
    """Can this time be shown in every zone and compared with others? Times at the ends of the calendar cannot."""
    return FIRST_YEAR <= at.year <= LAST_YEAR


def recorded(text: object, zone: tzinfo | None = UTC) -> datetime | None:
    """A time as an agent writes it. A time without an offset is in the `zone`; without a `zone` it is None.

    None also for text that is not a time, and for a time that cannot be used.
    """
    try:
        at = datetime.fromisoformat(text) if type(text) is str else None
    except ValueError:
        return None
    if at is None or not is_usable(at):
        return None
    if at.tzinfo is None:
        return at.replace(tzinfo=zone) if zone is not None else None
    return at.astimezone(UTC)


def since_epoch(number: float | None, parts: int = 1) -> datetime | None:
    """A time from a number of (parts of) seconds since 1970; None where it is not a time that can be used."""
    if number is None:
        return None
    try:
        at = datetime.fromtimestamp(number / parts, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return at if FIRST_YEAR <= at.year <= LAST_YEAR else None


def now() -> datetime:
    """The present moment, in the local zone."""
    fixed = os.environ.get("POLLUX_NOW", "")
    with contextlib.suppress(ValueError):
        return datetime.fromisoformat(fixed).astimezone()
    return datetime.now(UTC).astimezone()


def local(moment: datetime) -> datetime:
    """The time in the local zone; one at the very edge of the calendar stays as it is."""
    try:
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        return moment


def parse(text: str, *, end: bool = False, zone: tzinfo | None = None) -> datetime:
    """The time that a person typed: `3d`, `yesterday`, `2026-11-15`, `2026-11-15 06:00`. `end`: the end of a whole day.

    Days and hours are those of the `zone`, or of this machine.
    """
    try:
        moment = _parse(text.strip(), end=end, zone=zone)
        moment.timestamp()
    except (ValueError, OverflowError, OSError):
        examples = "Try: 3d, 2w, 12h, yesterday, 2026-11-15 or 2026-11-15T06:00"
        hint = did_you_mean(text, ("now", "today", "yesterday"), examples) if text.strip().isalpha() else examples
        raise RequestError(f"{text!r} is not a time that pollux understands.", hint) from None
    return moment


def _parse(text: str, *, end: bool, zone: tzinfo | None) -> datetime:
    present = now().astimezone(zone)
    word = text.lower()
    if word == "now":
        return present
    if word in ("today", "yesterday"):
        return _day(present if word == "today" else present - _DAY, end=end, zone=zone)
    if (ago := _AGO.fullmatch(word)) is not None:
        for unit, names in _UNITS.items():
            if ago[2] in names:
                return now() - timedelta(**{unit: int(ago[1])})
        raise ValueError(text)
    if (month := _MONTH.fullmatch(word)) is not None:
        return _month(int(month[1]), int(month[2]) if month[2] else None, end=end, zone=zone)
    moment = datetime.fromisoformat(text)
    if "T" not in text.upper() and ":" not in text:
        return _day(moment, end=end, zone=zone)
    return _in(moment, zone)


def _month(year: int, month: int | None, *, end: bool, zone: tzinfo | None) -> datetime:
    """The first moment of a month or year, or its last."""
    first = datetime(year, month or 1, 1)  # noqa: DTZ001 (raises where there is no such month)
    if not end:
        return _in(first, zone)
    following = datetime(year + 1, 1, 1) if month in (None, 12) else datetime(year, month + 1, 1)  # noqa: DTZ001
    return _in(following, zone).astimezone(UTC) - _INSTANT


def _day(moment: datetime, *, end: bool, zone: tzinfo | None) -> datetime:
    """The first moment of a day, or its last; the zone's offset is that of this day, not of today."""
    date = moment.date() + _DAY if end else moment.date()
    first = _in(datetime.combine(date, time.min), zone)
    return first.astimezone(UTC) - _INSTANT if end else first


def _in(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment in a zone, or in that of this machine. A moment with an offset stays the same moment."""
    if moment.tzinfo is None and zone is not None:
        return moment.replace(tzinfo=zone)
    return moment.astimezone(zone)
