"""What opens over a screen, on terminals that are too small for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.library.resume.plan import ResumePlan
from pollux.tui.canvas import StripCanvas, plain
from pollux.tui.key_line import key_line
from pollux.tui.keys import PAGES, READER, of_place
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.help import Help
from pollux.tui.overlays.plan import PlanScreen
from tests.tui.driving import Driver, drive

WARNING = "The folder is a guess, from the paths in the session. "


async def planned(driver: Driver) -> None:
    """Show how a session would be resumed; there is much to warn of."""
    entry = driver.listing.chosen
    assert entry is not None
    plan = ResumePlan(
        session=entry.summary,
        title="Gemini CLI",
        words=("gemini", "--session-file", f"/home/juno/{'deep/' * 20}session.jsonl"),
        folder="/home/juno/code/tidewatch",
        environ={},
        fork=False,
        program="/usr/bin/gemini",
        files=(),
        opened=None,
        copies=True,
        warnings=(f"{WARNING * 5}The end.",),
    )
    driver.app.push_screen(PlanScreen(plan))
    await driver.until(lambda: isinstance(driver.app.screen, PlanScreen))


@pytest.mark.parametrize("size", [(60, 20), (20, 5)])
def test_all_of_a_plan_can_be_read_without_a_mouse(tmp_path: Path, size: tuple[int, int]) -> None:
    async def steps(driver: Driver) -> None:
        await planned(driver)
        assert "Go on in" in driver.text()
        assert "The end." not in driver.text()
        assert ("Esc stay" in driver.text()) == (size[1] >= 12)
        for _ in range(80):
            await driver.press("down")
        assert "Esc stay" in driver.text()
        assert "The end." in driver.text() or size[1] < 12
        await driver.press("pageup", "pageup", "pageup", "pageup", "pageup", "b", "b", "b", "k")
        assert "Go on in" in driver.text()
        await driver.press("escape")
        assert not isinstance(driver.app.screen, PlanScreen)

    drive(steps, tmp_path, size=size)


def test_keys_stand_above_their_meanings_where_there_is_no_room_beside(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("f1")
        await driver.until(lambda: isinstance(driver.app.screen, Help))
        assert [line.rstrip(" ▐") for line in driver.lines()[:3]] == [" In the list", " Enter", "   Open the"]

    drive(steps, tmp_path, size=(20, 5))


@pytest.mark.parametrize("place", [PAGES, READER])
@pytest.mark.parametrize("columns", [30, 60, 80])
def test_the_last_line_always_names_the_way_back(place: str, columns: int) -> None:
    line = plain(key_line(StripCanvas(columns), of_place(place), columns))
    assert "q back" in line
    assert "F1 keys" in line
    assert len(line.rstrip()) <= columns


@pytest.mark.parametrize("size", [(20, 5), (80, 24)])
def test_the_field_for_an_answer_is_always_seen(tmp_path: Path, size: tuple[int, int]) -> None:
    async def steps(driver: Driver) -> None:
        driver.app.push_screen(Ask("A question of many words. " * 12, "the answer"))
        await driver.until(lambda: isinstance(driver.app.screen, Ask))
        assert "the answer" in driver.text()

    drive(steps, tmp_path, size=size)
