"""The table of keys: complete, free of conflicts, documented; every row of it does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.tui.app import PolluxApp
from pollux.tui.keys import ANYWHERE, KEYS, LIST, PAGES, PLACES, READER, SAME, Key, changed, markdown, spoken
from pollux.tui.list.screen import ListScreen
from pollux.tui.pages.screen import PageScreen
from pollux.tui.reader.screen import ReaderScreen
from tests.tui.driving import Driver, drive

DOCS = Path(__file__).parent.parent.parent / "docs" / "tui.md"
SCREENS: dict[str, type] = {LIST: ListScreen, READER: ReaderScreen, PAGES: PageScreen, ANYWHERE: PolluxApp}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_row_has_an_action(key: Key) -> None:
    assert callable(getattr(SCREENS[key.place], f"action_{key.action}"))
    assert key.meaning.endswith(".")
    assert key.label


def test_no_action_is_without_a_key() -> None:
    for place, screen in SCREENS.items():
        own = {
            name.removeprefix("action_")
            for one in screen.__mro__
            if one.__module__.startswith("pollux.")
            for name in vars(one)
            if name.startswith("action_")
        }
        assert own == {key.action for key in KEYS if key.place == place}


def test_a_terminal_can_tell_all_keys_apart() -> None:
    for key in KEYS:
        for one in key.keys:
            *held, last = one.split("+")
            assert "alt" not in held
            assert not (held == ["ctrl"] and last in SAME)
            assert key.place not in (LIST, ANYWHERE) or held or len(last) > 1


def test_the_documentation_has_the_table() -> None:
    text = DOCS.read_text("utf-8")
    table = text[text.index("<!-- keys -->\n") + len("<!-- keys -->\n") : text.index("<!-- end of keys -->")]
    assert table.strip() == markdown().strip()


def test_keys_as_people_say_them() -> None:
    assert [spoken(key) for key in ("ctrl+r", "G", "shift+tab", "f1", "slash", "up")] == [
        "Ctrl+R",
        "G",
        "Shift+Tab",
        "F1",
        "/",
        "↑",
    ]


class TestSettings:
    def test_a_key_is_changed(self) -> None:
        table = {key.name: key.keys for key in changed({"reader": {"copy": "C", "find": ["slash", "ctrl+g"]}})}
        assert table["reader.copy"] == ("C",)
        assert table["reader.find"] == ("slash", "ctrl+g")

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"reader": {"copy": "e"}}, "reader.copy and reader.export are both on e."),
            ({"reader": {"copy": "f1"}}, "reader.copy and anywhere.help are both on F1."),
            ({"anywhere": {"help": "f2"}}, "anywhere.help and anywhere.usage are both on F2."),
            ({"reader": {"copy": "alt+c"}}, "The settings put reader.copy on alt+c."),
            ({"list": {"copy": "ctrl+h"}}, "The settings put list.copy on ctrl+h."),
            ({"list": {"copy": "c"}}, "The settings put list.copy on c."),
            ({"list": {"copy": "no key"}}, "The settings put list.copy on 'no key', which is no key."),
            ({"list": {"copy": "nokey"}}, "The settings put list.copy on 'nokey', which is no key."),
            ({"list": {"copy": "f0"}}, "The settings put list.copy on 'f0', which is no key."),
            ({"list": {"copy": "ctrl+shift+y"}}, "The settings put list.copy on ctrl+shift+y."),
            ({"list": {"copy": "ctrl+1"}}, "The settings put list.copy on ctrl+1."),
            ({"list": {"copy": "backspace"}}, "The settings put list.copy on backspace."),
            ({"lost": {"copy": "c"}}, "The settings have keys for 'lost', which is no place."),
            ({"list": {"cop": "ctrl+y"}}, "The settings have a key for list.cop, which does nothing."),
        ],
    )
    def test_what_makes_no_sense_is_refused_by_name(self, settings: dict[str, dict[str, str]], sentence: str) -> None:
        with pytest.raises(RequestError, match=f"^{re.escape(sentence)}$"):
            changed(settings)

    def test_a_changed_key_works_and_is_shown(self, tmp_path: Path) -> None:
        async def steps(driver: Driver) -> None:
            driver.app.call_later(driver.app.read, "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31")
            await driver.read()
            await driver.press("V")
            assert "as it would be resumed" in driver.text()
            await driver.press("f1")
            assert re.search(r"V +As it happened, or as the agent", driver.text())

        drive(steps, tmp_path, keys=changed({"reader": {"fates": "V"}}), size=(90, 50))


@pytest.mark.parametrize("place", PLACES)
def test_every_key_reaches_its_action(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key of every row is pressed, in each place where it works."""
    called: list[str] = []

    def recorder(name: str) -> Callable[..., None]:
        return lambda *_: called.append(name)

    async def steps(driver: Driver) -> None:
        if place == READER:
            driver.app.call_later(driver.app.read, "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31")
            await driver.read()
        elif place == PAGES:
            driver.app.call_later(driver.app.action_usage)
            await driver.until(lambda: isinstance(driver.app.screen, PageScreen))
        rows = [key for key in KEYS if key.place == place]
        with monkeypatch.context() as patch:
            for key in rows:
                patch.setattr(SCREENS[place], f"action_{key.action}", recorder(key.name))
            for key in rows:
                for one in key.keys:
                    await driver.press(one)
                    assert called.pop() == key.name, one
                    assert not called

    drive(steps, tmp_path)
