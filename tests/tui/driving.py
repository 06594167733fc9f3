"""Drives the terminal UI without a terminal, on the bundled sample or another home."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from pollux.library.library import Library
from pollux.library.sample import HOME
from pollux.tui.app import PolluxApp
from pollux.tui.keys import KEYS, Key
from pollux.tui.list.question import Question
from pollux.tui.list.screen import ListScreen
from pollux.tui.reader.screen import ReaderScreen
from tests.apart import apart
from tests.program import SOURCE

SECONDS = 30.0


class Driver:
    """The app under test: keys in, what is seen out."""

    def __init__(self, app: PolluxApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until everything is quiet."""
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text, and wait for its answer."""
        await self.press(*("space" if letter == " " else letter for letter in text))
        await self.answered()

    async def answered(self) -> None:
        """Wait for the answer to the question."""
        await self.until(lambda: self.listing._answered == self.listing.question)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is true."""
        waited = 0.0
        while not condition():
            assert waited < SECONDS, f"it never became true:\n{self.text()}"
            await asyncio.sleep(0.02)
            waited += 0.02
        await self.pilot.pause()

    @property
    def listing(self) -> ListScreen:
        """The list."""
        return self.app.list_screen

    @property
    def reader(self) -> ReaderScreen:
        """The reader, which must be open."""
        assert isinstance(self.app.screen, ReaderScreen)
        return self.app.screen

    async def read(self) -> None:
        """Wait until the session is read."""
        await self.until(lambda: isinstance(self.app.screen, ReaderScreen) and self.app.screen.session is not None)

    def lines(self) -> list[str]:
        """What is on the screen."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return ["".join(segment.text for segment in strip)[:width].rstrip() for strip in strips[:height]]

    def text(self) -> str:
        """What is on the screen, as one text."""
        return "\n".join(self.lines())


def environment(home: Path, folder: Path) -> dict[str, str]:
    """An environment in which only this home exists, and pollux's own files are in a folder."""
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "POLLUX_BACKGROUND": "0",
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": SOURCE,
    }


def drive(
    steps: Callable[[Driver], Awaitable[None]],
    folder: Path,
    *,
    home: Path = HOME,
    size: tuple[int, int] = (80, 24),
    keys: tuple[Key, ...] = KEYS,
    question: Question = Question(),  # noqa: B008 (an immutable value)
    environ: Mapping[str, str] | None = None,
    synced: bool = True,
) -> None:
    """Open the app on a home, and take some steps in it."""
    variables = {**environment(home, folder), **(environ or {})}
    if synced:
        with Library(variables, home, hunt=False) as library:
            library.sync()

    async def run() -> None:
        library = Library(variables, home, hunt=False, fresh=False)
        app = PolluxApp(lambda: library, question, keys=keys)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            if synced:
                await driver.until(lambda: driver.listing.sessions.rows and not app.keeping_up.is_looking)
            await steps(driver)
        library.close()

    apart(lambda: asyncio.run(run()))
