"""What is left of wire values that nobody took apart."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.wire import Notes, Shape, fit, tidy


class _Inner(Shape):
    name: str | None = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class _Outer(Shape):
    inner: _Inner | None = None
    inners: list[_Inner] | None = None
    words: list[str] | None = None
    rest: Any = None


def _tidied(value: dict[str, Any]) -> Any:
    return tidy(fit(_Outer, value, Notes()))


def test_absent_fields_are_left_out_and_nulls_in_lists_are_not() -> None:
    assert _tidied({"inner": {"name": None}, "rest": [None, {"a": None, "b": [None]}]}) == {
        "inner": {},
        "rest": [None, {"b": [None]}],
    }


def test_what_we_do_not_know_stands_where_it_stood() -> None:
    value = {"inner": {"name": "a", "news": {"none": None}}, "more": [None]}
    assert _tidied(value) == value


def test_odd_items_stand_beside_those_that_fit() -> None:
    assert _tidied({"words": ["a", 1, "b"], "inners": [{"name": "a"}, 7]}) == {
        "words": ["a", "b", 1],
        "inners": [{"name": "a"}, {"odd": 7}],
    }


def test_what_is_tidied_stays_as_it_was() -> None:
    value = [{"a": None, "b": {"c": None}}]
    assert tidy(value) == [{"b": {}}]
    assert value == [{"a": None, "b": {"c": None}}]
