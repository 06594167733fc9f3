from __future__ import annotations

from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from pollux.usage.charts import bars, calendar, columns
from pollux.usage.charts.calendar import level, levels
from pollux.usage.charts.svg import ticks

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 (our own drawing)


def tips(picture: ET.Element) -> list[str]:
    """What is told of each rectangle that stands for a value."""
    return [title.text or "" for rect in picture.iter(f"{SVG}rect") for title in rect.iter(f"{SVG}title")]


def test_a_stack_is_as_high_as_its_values() -> None:
    spans = [("Mon", {"a": 30.0, "b": 10.0}), ("Tue", {}), ("Wed", {"b": 20.0})]
    picture = drawn(columns("Title", "sub", spans, lambda value: f"{value:g}"))
    rects = [rect for rect in picture.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    heights = [float(rect.get("height", "")) for rect in rects]
    assert tips(picture) == ["Mon · a: 30", "Mon · b: 10", "Wed · b: 20"]
    assert heights[0] == pytest.approx(3 * heights[1], abs=0.05)
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.05)
    # The second stands on the first.
    assert float(rects[1].get("y", "")) + heights[1] == pytest.approx(float(rects[0].get("y", "")), abs=0.02)


def test_many_series_share_a_colour_and_the_legend_says_so() -> None:
    spans = [("2026", {f"model-{n}": float(20 - n) for n in range(12)})]
    picture = drawn(columns("Title", "", spans, str))
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert "5 others" in words
    assert "model-7" not in words
    assert len(tips(picture)) == 12


def test_names_cannot_break_a_picture() -> None:
    name = '<script>"&\u2028'
    drawn(bars("t", "s", [("\x1b[31m\x00\ud800\ufffe", 1.0)], str))
    for text in (
        columns(name, name, [(name, {name: 1.0})], str),
        bars(name, name, [(name, 1.0)], str),
        calendar(name, name, {date(2026, 1, 1): 1.0}, str),
    ):
        picture = drawn(text)
        assert not list(picture.iter(f"{SVG}script"))
        assert any(name in (element.text or "") for element in picture.iter())
        assert "prefers-color-scheme: dark" in text


def test_a_calendar_has_every_day_once() -> None:
    first, last = date(2025, 12, 30), date(2026, 3, 3)
    values = {first: 0.0, date(2026, 1, 5): 7.0, last: 0.0}
    labels = tips(drawn(calendar("t", "s", values, lambda value: f"{value:g}")))
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    assert sorted(labels) == [f"{day}: {7 if day == date(2026, 1, 5) else 0}" for day in days]


def test_centuries_without_anything_are_cut() -> None:
    days = [date(1000, 3, 3), date(2026, 3, 3), date(2026, 11, 15), date(9000, 1, 1)]
    text = calendar("t", "s", dict.fromkeys(days, 1.0), str)
    assert text.count(">…<") == 2
    labels = tips(drawn(text))
    assert {f"{day}: 1.0" for day in days} <= set(labels)
    assert len(labels) < 2 * 366
    spans = [("1000", {"a": 1.0}), (None, {}), ("2026", {"a": 3.0})]
    assert [text.text for text in drawn(columns("t", "s", spans, str)).iter(f"{SVG}text")].count("…") == 1


def test_shades_grow_with_the_value() -> None:
    values = {date(2026, 1, 1) + timedelta(days=n): float(n) for n in range(9)}
    shades = [level(values[day], levels(values)) for day in sorted(values)]
    assert shades == sorted(shades)
    assert set(shades) == {0, 1, 2, 3, 4}
    assert level(0, levels({})) == 0


@pytest.mark.parametrize("most", [0.003, 0.9, 1, 7, 99, 100, 12_345, 9.9e6])
def test_an_axis_ends_at_or_just_above_the_largest_value(most: float) -> None:
    scale = ticks(most)
    assert scale[0] == 0
    assert scale[-1] >= most * 0.999999
    assert scale[-2] < most
    assert 2 <= len(scale) <= 7
