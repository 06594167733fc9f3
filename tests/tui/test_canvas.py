"""Lines that are broken for a screen."""

from __future__ import annotations

import time

import pytest

from pollux.draw.width import width
from pollux.tui.canvas import LONGEST, broken, plain

LETTERS = ["x", "漢", "e\u0301", "\x1bdim\x1bword\x1b\x1b"]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("columns", [2, 7, 80])
def test_nothing_is_lost_and_nothing_is_too_wide(letter: str, columns: int) -> None:
    lines = broken(letter * 100, columns)
    assert "".join(map(plain, lines)) == plain(letter * 100)
    assert all(width(plain(line)) <= columns for line in lines)


@pytest.mark.parametrize("letter", LETTERS)
def test_the_time_grows_with_the_length_alone(letter: str) -> None:
    def seconds(length: int) -> float:
        begun = time.process_time()
        broken(letter * length, 80)
        return time.process_time() - begun

    assert seconds(240_000 // len(letter)) < max(20 * seconds(24_000 // len(letter)), 1.0)


def test_an_endless_line_is_cut_and_says_so() -> None:
    lines = broken("x" * 10_000_000, 80)
    assert sum(map(len, lines)) < LONGEST + 100
    assert lines[-1].endswith("… 9,750,000 more characters")
