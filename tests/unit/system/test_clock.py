from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pollux.errors import RequestError
from pollux.system.clock import now, parse

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("POLLUX_NOW", NOON.isoformat())
    with monkeypatch.context() as inner:
        inner.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3d", "2026-11-12T12:00:00Z"),
        ("2w", "2026-11-01T12:00:00Z"),
        ("12h", "2026-11-15T00:00:00Z"),
        ("90 min", "2026-11-15T10:30:00Z"),
        ("3 days ago", "2026-11-12T12:00:00Z"),
        ("now", "2026-11-15T12:00:00Z"),
        ("today", "2026-11-15T00:00:00Z"),
        ("Yesterday", "2026-11-14T00:00:00Z"),
        ("2026-11-10", "2026-11-10T00:00:00Z"),
        ("2026-11-10T06:00", "2026-11-10T06:00:00Z"),
        ("2026-11-10 06:00", "2026-11-10T06:00:00Z"),
        ("2026-11-10T06:00+02:00", "2026-11-10T04:00:00Z"),
        ("2026-11", "2026-11-01T00:00:00Z"),
        ("2026", "2026-01-01T00:00:00Z"),
    ],
)
def test_what_people_type(text: str, meant: str) -> None:
    assert parse(text) == datetime.fromisoformat(meant)


@pytest.mark.parametrize("text", ["today", "2026-11-15"])
def test_a_day_ends_at_its_end(text: str) -> None:
    assert parse(text, end=True) == NOON.replace(hour=0) + timedelta(days=1, microseconds=-1)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-10", "2026-11-10T05:00:00Z", "2026-11-11T05:00:00Z"),
        ("2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),  # a day of 25 hours
        ("today", "2026-11-15T05:00:00Z", "2026-11-16T05:00:00Z"),
        ("2026-11", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z"),
    ],
)
def test_the_days_of_a_zone(text: str, first: str, last: str) -> None:
    york = ZoneInfo("America/New_York")
    assert parse(text, zone=york) == datetime.fromisoformat(first)
    assert parse(text, zone=york, end=True) == datetime.fromisoformat(last) - timedelta(microseconds=1)


def test_a_clock_in_a_zone() -> None:
    york = ZoneInfo("America/New_York")
    assert parse("2026-11-10 06:00", zone=york) == datetime.fromisoformat("2026-11-10T11:00Z")
    assert parse("2026-11-10T06:00+02:00", zone=york) == datetime.fromisoformat("2026-11-10T04:00Z")
    assert parse("12h", zone=york) == NOON - timedelta(hours=12)


def test_a_month_and_a_year_end_at_their_end() -> None:
    assert parse("2026-02", end=True).date().isoformat() == "2026-02-28"
    assert parse("2026", end=True).date().isoformat() == "2026-12-31"


@pytest.mark.parametrize(
    "text", ["", "soon", "3x", "999999d", "2026-13", "2026-11-31", "0000", "9999", "12:61", "\x1b[2J"]
)
def test_nonsense_is_refused_or_harmless(text: str) -> None:
    if text == "9999":
        assert parse(text).year == 9999
        return
    with pytest.raises(RequestError):
        parse(text)


def test_a_wrong_now_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "whenever")
    assert now().tzinfo is not None
