from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pollux.errors import RequestError
from pollux.index.catalogue.rollups import QUARTER, UNTIMED, micros, quarter
from pollux.usage.days import bounds, day_of, span_of, unbroken, zone

# Each with the days around a change of its clocks: by an hour, by half an hour, by a day, and never.
ZONES = {
    "America/New_York": [(2026, 3, 8), (2026, 11, 1)],
    "Europe/Berlin": [(2026, 3, 29), (2026, 10, 25)],
    "Asia/Kolkata": [(2026, 6, 1)],
    "Australia/Lord_Howe": [(2026, 4, 5), (2026, 10, 4)],
    "Pacific/Apia": [(2011, 12, 30), (2026, 4, 5)],
    "Asia/Kathmandu": [(2026, 1, 1)],
}
CHANGES = [(name, day) for name, days in ZONES.items() for day in days]


def quarters_around(day: tuple[int, int, int]) -> range:
    middle = int(datetime(*day, 12, tzinfo=UTC).timestamp()) // QUARTER
    return range(middle - 96 * 3, middle + 96 * 3)


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_every_moment_of_a_quarter_is_of_its_day(name: str, day: tuple[int, int, int]) -> None:
    where = ZoneInfo(name)
    tell = day_of(where)
    for number in quarters_around(day):
        begin = datetime.fromtimestamp(number * QUARTER, UTC)
        for moment in (begin, begin + timedelta(minutes=7), begin + timedelta(minutes=15, microseconds=-1)):
            assert tell(number) == moment.astimezone(where).date()
            assert quarter(micros(moment)) == number


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_days_follow_one_another(name: str, day: tuple[int, int, int]) -> None:
    tell = day_of(ZoneInfo(name))
    days = [result for number in quarters_around(day) if (result := tell(number)) is not None]
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("name", "day", "hours"),
    [
        ("America/New_York", (2026, 3, 8), 23.0),
        ("America/New_York", (2026, 11, 1), 25.0),
        ("Europe/Berlin", (2026, 10, 25), 25.0),
        ("Australia/Lord_Howe", (2026, 4, 5), 24.5),
        ("Australia/Lord_Howe", (2026, 10, 4), 23.5),
        ("Pacific/Apia", (2011, 12, 30), 0.0),
        ("Asia/Kolkata", (2026, 6, 1), 24.0),
    ],
)
def test_a_day_is_as_long_as_it_was_there(name: str, day: tuple[int, int, int], hours: float) -> None:
    tell = day_of(ZoneInfo(name))
    assert sum(tell(number) == date(*day) for number in quarters_around(day)) / 4 == hours


def test_names_of_days_weeks_and_months() -> None:
    new_year = int(datetime(2027, 1, 1, 3, tzinfo=UTC).timestamp()) // QUARTER
    assert [span_of(by, ZoneInfo("UTC"))(new_year) for by in ("day", "week", "month")] == [
        "2027-01-01",
        "2026-W53",
        "2027-01",
    ]
    assert span_of("month", ZoneInfo("America/New_York"))(new_year) == "2026-12"
    assert span_of("day", None)(UNTIMED) is None


def test_bounds() -> None:
    assert bounds("2026-11-15") == (date(2026, 11, 15), date(2026, 11, 15))
    assert bounds("2026-W46") == (date(2026, 11, 9), date(2026, 11, 15))
    assert bounds("2026-12") == (date(2026, 12, 1), date(2026, 12, 31))
    assert bounds("2027-02") == (date(2027, 2, 1), date(2027, 2, 28))


@pytest.mark.parametrize(
    ("names", "whole"),
    [
        (["2026-11-14", "2026-11-12"], ["2026-11-12", "2026-11-13", "2026-11-14"]),
        (["2026-W52", "2027-W01"], ["2026-W52", "2026-W53", "2027-W01"]),
        (["2027-02", "2026-11"], ["2026-11", "2026-12", "2027-01", "2027-02"]),
        (["0999-W52", "2026-W01", "2026-W02"], ["0999-W52", None, "2026-W01", "2026-W02"]),
        (["0100-01", "2026-11", "9900-01"], ["0100-01", None, "2026-11", None, "9900-01"]),
        ([], []),
    ],
)
def test_spans_without_a_break(names: list[str], whole: list[str | None]) -> None:
    assert unbroken(names) == whole


def test_the_edge_of_the_calendar_is_no_day() -> None:
    assert day_of(ZoneInfo("Pacific/Apia"))(10**12) is None


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_an_unknown_zone_is_a_bad_request(name: str) -> None:
    with pytest.raises(RequestError, match="No time zone"):
        zone(name)
