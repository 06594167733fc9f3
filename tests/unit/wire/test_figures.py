"""Figures that contradict one another."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.model import Usage
from pollux.wire import Notes, coherent

WHOLE = {"input": 100, "cached": 60, "cache_write": 40, "cache_write_long": 40, "output": 7, "reasoning": 7}


@pytest.mark.parametrize(
    ("figures", "unknown", "noted"),
    [
        ({}, set(), set()),
        ({"cached": 101}, {"cached"}, {"cached"}),
        (
            {"cached": 10**7, "cache_write": 10**7},
            {"cached", "cache_write", "cache_write_long"},
            {"cached", "cache_write"},
        ),
        ({"cached": 61}, {"cached", "cache_write", "cache_write_long"}, {"cached", "cache_write"}),
        ({"cache_write": 101}, {"cache_write", "cache_write_long"}, {"cache_write"}),
        ({"cache_write_long": 41}, {"cache_write_long"}, {"cache_write_long"}),
        ({"cache_write": None}, {"cache_write_long"}, set()),
        ({"reasoning": 8}, {"reasoning"}, {"reasoning"}),
        ({"input": None, "cached": 10**7}, set(), set()),
        ({"output": None, "reasoning": 8}, set(), set()),
    ],
)
def test_a_part_larger_than_its_whole_is_unknown(figures: dict[str, Any], unknown: set[str], noted: set[str]) -> None:
    record = {**WHOLE, **figures}
    notes = Notes()
    usage = coherent(Usage(**record, exact=True), notes)
    assert {name: getattr(usage, name) for name in record} == {**record, **dict.fromkeys(unknown)}
    assert usage.exact is (None if unknown else True)
    assert {notice.subject for notice in notes.all()} == noted
    assert {notice.code for notice in notes.all()} <= {"usage.odd"}


def test_what_is_too_low_stays_so() -> None:
    assert coherent(Usage(output=1, reasoning=2, exact=False), Notes()).exact is False
