"""Times in the order of a conversation: agents sort by them, and what they add must be newer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pollux.writers.native.ledger import Ledger

MISSING = "times: of messages that have none, or one after the hand-over; each has its neighbour's"
MOVED = "times: of messages that are older than the one before them; each has the time of that one"


def in_order(times: Sequence[datetime | None], at: datetime, ledger: Ledger) -> list[datetime]:
    """A time for each, none before the one before it and none after `at`."""
    usable = [moment if (moment := in_utc(time)) is not None and moment <= at else None for time in times]
    if None in usable:
        ledger.add(MISSING)
    latest = next((time for time in usable if time is not None), at)
    ordered: list[datetime] = []
    for time in usable:
        if time is not None and time < latest:
            ledger.add(MOVED)
        latest = max(latest, time or latest)
        ordered.append(latest)
    return ordered


def in_utc(time: datetime | None) -> datetime | None:
    """A time in UTC; None where there is none, or one that UTC cannot hold."""
    if time is None:
        return None
    try:
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # the first or the last hours of the calendar
        return None
