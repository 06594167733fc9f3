"""How often the screen is arranged and drawn: a key that changes nothing's place arranges nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from tests.tui.driving import Driver, drive


class Frames:
    """Counts how often a screen is arranged without being told of another size, and how often it is drawn."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.arranged = self.drawn = 0
        arrange, draw = Screen._refresh_layout, Screen._compositor_refresh

        def arranging(screen: Screen[Any], *given: Any, **named: Any) -> None:
            self.arranged += not given
            arrange(screen, *given, **named)

        def drawing(screen: Screen[Any]) -> None:
            self.drawn += 1
            draw(screen)

        patch.setattr(Screen, "_refresh_layout", arranging)
        patch.setattr(Screen, "_compositor_refresh", drawing)

    def begin(self) -> None:
        """Count from here on."""
        self.arranged = self.drawn = 0


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> Frames:
    """The frames of a test."""
    return Frames(monkeypatch)


def test_a_row_further_is_one_frame_of_the_list_and_its_preview(tmp_path: Path, frames: Frames) -> None:
    async def steps(app: Driver) -> None:
        await app.press("down")
        before = app.text()
        frames.begin()
        await app.press("down")
        assert app.text() != before
        assert (frames.arranged, frames.drawn) == (0, 1)

    drive(steps, tmp_path, size=(120, 30))


def test_a_typed_letter_and_its_answer_move_nothing_on_the_screen(tmp_path: Path, frames: Frames) -> None:
    async def steps(app: Driver) -> None:
        await app.type("ti")
        frames.begin()
        await app.type("d")
        assert "tid" in app.lines()[0]
        assert "found" in app.lines()[0]
        assert frames.arranged == 0
        assert 1 <= frames.drawn <= 2  # the letter, and the answer

    drive(steps, tmp_path, size=(120, 30))


def test_scrolling_in_a_session_moves_nothing_on_the_screen(tmp_path: Path, frames: Frames) -> None:
    async def steps(app: Driver) -> None:
        await app.press("enter")
        await app.read()
        await app.press("pagedown")
        frames.begin()
        await app.press("pagedown")
        assert frames.arranged == 0

    drive(steps, tmp_path, size=(80, 12))


@pytest.mark.parametrize("opens", [False, True])
def test_another_size_of_the_window_is_not_arranged_twice(tmp_path: Path, frames: Frames, opens: bool) -> None:
    async def steps(app: Driver) -> None:
        if opens:
            await app.press("enter")
            await app.read()
        frames.begin()
        await app.pilot.resize_terminal(130, 36)
        await app.pilot.pause()
        assert frames.arranged == 0
        assert len(app.lines()) == 36

    drive(steps, tmp_path, size=(120, 30))


@pytest.mark.parametrize("keys", [(), ("enter",), ("enter", "d")])
def test_the_first_frame_of_another_size_is_right_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    async def steps(app: Driver) -> None:
        await app.press(*keys[:1])
        if keys[:1] == ("enter",):
            await app.read()
        await app.press(*keys[1:])
        shown: list[str] = []
        draw = Screen._compositor_refresh

        def drawing(screen: Screen[Any]) -> None:
            draw(screen)
            if screen is app.app.screen:
                shown.append(app.text())

        monkeypatch.setattr(Screen, "_compositor_refresh", drawing)
        await app.pilot.resize_terminal(130, 36)
        await app.pilot.pause(0.2)
        assert shown[0] == shown[-1]

    drive(steps, tmp_path, size=(120, 30))
