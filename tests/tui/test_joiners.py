"""Letters and emoji that are joined: no two terminals draw them alike, and none may draw them over other lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from wcwidth import wcwidth

from tests.tui.driving import Driver, drive
from tests.tui.hostile import LONG, long_home

JOINER, ESCAPE = "\u200d", "escape"
COLUMNS = 80


def widest(driver: Driver) -> int:
    """The columns of the widest line, in a terminal that joins nothing."""
    strips = driver.app.screen._compositor.render_strips(driver.app.size)
    return max(sum(max(wcwidth(letter), 0) for segment in strip for letter in segment.text) for strip in strips)


@pytest.mark.parametrize("text", [f"a{JOINER}" * 300, f"\U0001f468{JOINER}" * 300])
def test_no_line_is_wider_than_the_screen(tmp_path: Path, text: str) -> None:
    home = long_home(tmp_path / "home", text)

    async def steps(driver: Driver) -> None:
        for _ in LONG:
            assert widest(driver) <= COLUMNS
            await driver.press("enter")
            await driver.read()
            for key in ("t", "J", "d", "d", "R", ESCAPE):
                await driver.press(key)
                assert widest(driver) <= COLUMNS
            await driver.press("q")
            await driver.until(lambda: driver.app.screen is driver.listing)
            await driver.press("down")

    drive(steps, tmp_path, home=home, size=(COLUMNS, 24))
