from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pollux.draw.times import ago, clock, full

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as inner:
        inner.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(days=5), "Nov 10 12:00"),
        (timedelta(days=350), "Nov 30  2025"),
        (-timedelta(hours=5), "Nov 15 17:00"),
    ],
)
def test_ago(passed: timedelta, told: str) -> None:
    assert ago(NOON - passed, NOON) == told


def test_the_edges_of_the_calendar() -> None:
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        assert ago(moment, NOON)
        assert full(moment)
        assert clock(moment)
