"""Lines that are broken for a screen."""

from __future__ import annotations

import time

import pytest

from pollux.draw.width import width
from pollux.tui.canvas import broken, plain

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

    assert seconds(400_000) < max(20 * seconds(40_000), 1.0)
