"""Times: written in UTC, shown in the reader's zone by the page itself."""

from __future__ import annotations

from datetime import datetime

from pollux.writers.facts import moment
from pollux.writers.html.markup import EMPTY, Html, tag
from pollux.writers.json import stamp


def clock(at: datetime | None) -> Html:
    """A moment. Without a script it reads as UTC; the exact time is its title."""
    words = moment(at)
    if at is None or words is None:
        return EMPTY
    exact = stamp(at)
    return tag("time", f"{words} UTC", datetime=exact, title=f"{(exact or '').replace('T', ' ').removesuffix('Z')} UTC")
