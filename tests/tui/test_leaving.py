"""A screen that is left before it has its parts."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from pollux.library.library import Library
from pollux.library.sample import HOME
from pollux.system.termination import Terminated, termination_raises
from pollux.tui.app import PolluxApp
from pollux.tui.keys import KEYS
from pollux.tui.list.narrowing import Narrowing
from pollux.tui.list.question import Question
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.help import Help
from pollux.tui.overlays.menu import Choice, Menu
from pollux.tui.overlays.palette import Palette
from pollux.tui.pages.screen import PageScreen
from pollux.tui.pages.usage import UsagePage
from pollux.tui.reader.screen import ReaderScreen
from tests.apart import apart
from tests.tui.driving import Driver, drive, environment

SCREENS: list[Callable[[], Screen[Any]]] = [
    lambda: ReaderScreen("gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"),
    lambda: PageScreen(UsagePage()),
    lambda: Narrowing(Question()),
    lambda: Palette(KEYS),
    lambda: Help("list", KEYS),
    lambda: Menu("Mark", [Choice("t", "tag", "t")]),
    lambda: Ask("A note"),
]


@pytest.mark.parametrize("make", SCREENS)
def test_a_screen_may_be_left_before_it_is_composed(tmp_path: Path, make: Callable[[], Screen[Any]]) -> None:
    async def steps(driver: Driver) -> None:
        screen = make()
        pushed = driver.app.push_screen(screen)
        screen._pruning = True  # as Textual marks what it is about to remove
        await pushed
        driver.app.exit()

    drive(steps, tmp_path)


def test_a_signal_that_came_while_textual_was_imported_ends_it(tmp_path: Path) -> None:
    """What a signal raises in an import may be dropped."""
    variables = environment(HOME, tmp_path)
    with Library(variables, HOME, hunt=False) as library:
        library.sync()
    app = PolluxApp(lambda: Library(variables, HOME, hunt=False, fresh=False), Question(), keys=KEYS)
    app.dropped_signals = [signal.SIGTERM]
    apart(lambda: app.run(headless=True))
    assert app.ended_by == signal.SIGTERM


def test_signals_are_told_even_if_what_they_raise_is_dropped() -> None:
    with termination_raises() as signals:
        with contextlib.suppress(Terminated):
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(1)
        assert signals == [signal.SIGHUP]
