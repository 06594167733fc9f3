"""Handing a session over from the terminal UI: shown first, then written, or not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pollux.library.sample import HOME
from pollux.tui import clipboard
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.handoff import HandoffScreen
from pollux.tui.overlays.menu import Menu
from tests.tui.driving import Driver, drive

TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"


def shows(driver: Driver, words: str) -> bool:
    return words in driver.text()


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was copied."""
    copied: list[str] = []

    def copy(text: str, *_: object) -> str:
        copied.append(text)
        return "copied"

    monkeypatch.setattr(clipboard, "copy", copy)
    return copied


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return Path(shutil.copytree(HOME, tmp_path / "home"))


async def planned(driver: Driver) -> None:
    """Show what would be written for Codex CLI, in another folder."""
    await driver.press("h")
    await driver.until(lambda: isinstance(driver.app.screen, Menu))
    menu = driver.app.screen
    assert isinstance(menu, Menu)
    await driver.press(next(choice.key for choice in menu.choices if choice.words == "Codex CLI"))
    await driver.until(lambda: isinstance(driver.app.screen, Ask))
    await driver.press("ctrl+a", "ctrl+k", *"/", "enter")
    await driver.until(lambda: isinstance(driver.app.screen, HandoffScreen))


def test_a_hand_over_can_be_written_only_and_left(tmp_path: Path, home: Path, copies: list[str]) -> None:
    files = home / ".codex" / "sessions"

    async def steps(driver: Driver) -> None:
        before = set(files.rglob("*.jsonl"))
        driver.app.call_later(driver.app.read, TIDES)
        await driver.read()
        await planned(driver)
        assert shows(driver, "only write it")
        assert not shows(driver, "go on ")  # the agent is not installed
        await driver.press("enter")
        assert isinstance(driver.app.screen, HandoffScreen)
        await driver.press("y")
        assert copies == [f"pollux handoff {TIDES} --to codex --in /"]
        await planned(driver)
        await driver.press("escape")
        assert set(files.rglob("*.jsonl")) == before
        await planned(driver)
        await driver.press("w")
        await driver.until(lambda: shows(driver, "Written: "))
        assert len(set(files.rglob("*.jsonl")) - before) == 1

    drive(steps, tmp_path, home=home, size=(100, 40))


def test_a_hand_over_can_leave_secrets_out(tmp_path: Path, home: Path, copies: list[str]) -> None:
    async def steps(driver: Driver) -> None:
        driver.app.call_later(driver.app.read, TIDES)
        await driver.read()
        await planned(driver)
        assert shows(driver, "to another vendor")
        await driver.press("r")
        await driver.until(lambda: shows(driver, "r with secrets"))
        assert not shows(driver, "to another vendor")
        await driver.press("r")
        await driver.until(lambda: shows(driver, "r without secrets"))
        await driver.press("r")
        await driver.until(lambda: shows(driver, "r with secrets"))
        await driver.press("y")
        assert copies == [f"pollux handoff {TIDES} --to codex --in / --redact"]

    drive(steps, tmp_path, home=home, size=(100, 40))
