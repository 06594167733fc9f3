# ruff: noqa: INP001 (a script, no package)
"""Pictures of the terminal UI on the bundled sample: `.venv/bin/python docs/pictures/screens.py`.

Each screen is drawn dark in 80 × 24, and light in a wide terminal.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from pollux.library.handoff import service as handoff
from pollux.library.resume import service
from pollux.model import Session, Summary

FOLDER = Path(__file__).parent / "screens"
NOW, ZONE = "2026-11-15T12:00:00Z", "UTC"
SIZES = {"dark": (80, 24), "light": (130, 36)}
SCREENS: dict[str, list[str]] = {
    "list": ["ctrl+b", "down", "down", "down"],
    "search": [*"harbour", "down"],
    "narrow": ["shift+tab", "down"],
    "reader": ["down", "enter", "wait", "p"],
    "resumed": [*"germination trials", "enter", "wait", "v"],
    "detail": ["enter", "wait", "p", "J", "J", "J", "d"],
    "links": ["down", "down", "down", "down", "down", "enter", "wait", "p", "o"],
    "plan": [*"germination trials", "ctrl+r"],
    "handoff": [*"germination trials", "ctrl+g", "3", "wait"],
    "marks": ["enter", "wait", "p", "m"],
    "keys": ["enter", "wait", "f1"],
    "commands": ["enter", "wait", "ctrl+o", *"copy"],
    "usage": ["f2", "wait"],
    "timeline": ["f3", "wait"],
    "doctor": ["f4", "wait"],
}
"""The keys that lead to each screen; `wait` lets threads finish."""

_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")


def environment(folder: str, home: Path) -> dict[str, str]:
    """An environment in which only the sample exists, and two of its agents."""
    for name in ("claude", "codex"):
        Path(folder, name).touch(0o755)
    places = {f"XDG_{one}_HOME": f"{folder}/{one}" for one in ("CACHE", "DATA", "CONFIG")}
    return {"HOME": str(home), "PATH": folder, **places}


@contextmanager
def every_folder_is_there() -> Iterator[None]:
    """The folders of the sample, in which one would go on, are on no machine."""

    def folder(session: Summary | Session, *_: object, **__: object) -> str | None:
        return session.project

    with patch.multiple(service, folder_to_go_on_in=folder), patch.multiple(handoff, folder_to_go_on_in=folder):
        yield


async def shoot(name: str, keys: list[str], look: str) -> None:
    """Draw one screen."""
    from pollux.library.library import Library
    from pollux.library.sample import HOME
    from pollux.tui.app import PolluxApp
    from pollux.tui.list.question import Question

    with (
        tempfile.TemporaryDirectory() as folder,
        Library(environment(folder, HOME), HOME, hunt=False) as library,
        every_folder_is_there(),
    ):
        library.sync()
        app = PolluxApp(lambda: library, Question(), palette=f"pollux-{look}")
        async with app.run_test(size=SIZES[look]) as pilot:
            while app.keeping_up.is_looking or not app.list_screen.sessions.rows:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            for key in keys:
                if key != "wait":
                    await pilot.press("space" if key == " " else key)
                await pilot.pause(2.0 if key == "wait" else 0.2)
            await pilot.pause(0.5)
            picture = app.export_screenshot(title="pollux")
    (FOLDER / f"{name}-{look}.svg").write_text(normalised(picture), "utf-8")


def normalised(picture: str) -> str:
    """The picture without fonts from elsewhere, and with the same names every time."""
    plain = _FONTS.sub("", picture).replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    return re.sub(r"[ \t]+$", "", _ID.sub("terminal", plain), flags=re.MULTILINE).replace(" ", " ")


def main() -> None:
    """Draw all screens, or those that are named."""
    os.environ |= {"POLLUX_NOW": NOW, "TZ": ZONE, "POLLUX_BACKGROUND": "0"}
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or SCREENS:
        for look in SIZES:
            asyncio.run(shoot(name, SCREENS[name], look))


if __name__ == "__main__":
    main()
