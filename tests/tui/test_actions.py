"""What the keys do: marks, links, exports, copies, menus and pages."""

from __future__ import annotations

import base64
import os
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from pollux.library.index import IndexService
from pollux.tui import clipboard
from pollux.tui.list.rows import SessionRow
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.help import Help
from pollux.tui.overlays.menu import Menu, numbered
from pollux.tui.overlays.palette import Palette
from pollux.tui.pages.screen import PageScreen
from pollux.tui.reader.screen import ReaderScreen
from pollux.tui.widgets.field import Field
from tests.tui.driving import Driver, drive

TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
PARENT = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was copied."""
    copied: list[str] = []

    def copy(text: str, *_: object) -> str:
        copied.append(text)
        return "copied"

    monkeypatch.setattr(clipboard, "copy", copy)
    return copied


def shows(driver: Driver, words: str) -> bool:
    return words in driver.text()


async def opened(driver: Driver, key: str = TIDES) -> None:
    driver.app.call_later(driver.app.read, key)
    await driver.read()


def test_stars_are_kept_shown_and_found(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("ctrl+b")
        assert "★ 17:04" in driver.text()
        await driver.type("is:starred ")
        keys = [row.key for row in driver.listing.sessions.rows if isinstance(row, SessionRow)]
        assert keys == [TIDES]
        await driver.press("ctrl+b")
        assert driver.app.library.marks.of(TIDES) is None

    drive(steps, tmp_path)


def test_marks_in_the_reader(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("asterisk")
        await driver.press("m", "t", *"harbours", "enter")
        await driver.press("m", "n", *"why", "enter")
        await driver.press("J", "m", "S")
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert (marks.session.starred, tuple(marks.session.tags), marks.session.note) == (True, ("harbours",), "why")
        assert [one.marks.starred for one in marks.messages.values()] == [True]
        assert "#harbours" in driver.text()
        await driver.press("m", "u")
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert not marks.messages

    drive(steps, tmp_path)


def test_what_cannot_be_a_tag_is_asked_for_again(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("m", "t", *"it", "apostrophe", "s", "enter")
        await driver.until(lambda: "cannot be a tag" in driver.text())
        assert isinstance(driver.app.screen, Ask)
        await driver.press("backspace", "backspace", "enter")
        await driver.until(lambda: "Tagged." in driver.text())
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert tuple(marks.session.tags) == ("it",)

    drive(steps, tmp_path)


def test_what_is_new_since_one_looked(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        session = driver.app.library.session(TIDES)
        driver.app.library.marks.read(session, session.messages[2])
        await opened(driver)
        assert "new since you looked" in driver.text()
        await driver.press("G", "escape")
        await driver.until(lambda: not isinstance(driver.app.screen, ReaderScreen))
        assert driver.app.library.marks.new_from(session) is None

    drive(steps, tmp_path)


def test_links_lead_to_the_sub_agent_and_back(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver, PARENT)
        await driver.press("o", "1")
        await driver.until(lambda: isinstance(driver.app.screen, ReaderScreen) and driver.reader.key != PARENT)
        await driver.read()
        await driver.press("o")
        assert "parent" in driver.text()
        await driver.press("escape", "q")
        await driver.until(lambda: isinstance(driver.app.screen, ReaderScreen) and driver.reader.key == PARENT)

    drive(steps, tmp_path)


def test_a_session_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("e", "1", "enter")
        await driver.until(lambda: "Written:" in driver.text())
        await driver.press("e", "1", "enter")
        await driver.until(lambda: "Another" in driver.text())  # the path decides where the lines break
        assert "exists" in driver.text()
        await driver.press("end", *"2", "enter")
        await driver.until(lambda: "Written:" in driver.text())

    drive(steps, tmp_path)
    assert len([*tmp_path.glob("*.md")]) == len([*tmp_path.glob("*.md2")]) == 1
    (file,) = tmp_path.glob("*.md")
    assert "The tides of Port Lune" in file.read_text("utf-8")


def test_copying(tmp_path: Path, copies: list[str]) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("ctrl+y")
        await driver.type("tide")
        await driver.press("ctrl+u")
        await driver.press("escape")
        await opened(driver)
        await driver.press("p", "y", "Y", "i", "Y", "c", "c", "v", "t", "Y", "c")
        assert copies[:2] == [TIDES, "pollux search 'tide*' --limit 50 --each 3"]
        assert copies[2].startswith("The tides of Port Lune")
        assert copies[3] == TIDES.partition(":")[2]
        assert copies[4].startswith(f"pollux show {TIDES} --at ")
        assert copies[5].startswith(f"pollux show {TIDES} --fate live --full --at ")
        await driver.press("c")
        assert "There is no code block" in driver.text()

    drive(steps, tmp_path)


def test_scopes(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("tab")
        await driver.until(lambda: "all kinds of sessions" in driver.lines()[0])
        assert "checkpoint" in driver.text()
        await driver.press("escape")
        await driver.until(lambda: driver.lines()[0].endswith("15 sessions"))

    drive(steps, tmp_path, size=(80, 60))


def test_narrowing_adds_a_term(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("shift+tab", "down", "enter")
        await driver.until(lambda: driver.lines()[0].endswith("3 sessions"))
        assert driver.listing.field.value == "agent:claude "
        assert driver.listing.question.command == "pollux list agent:claude"

    drive(steps, tmp_path)


def test_where_nothing_was_found_there_is_nothing_to_narrow_down(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("qqqq ")
        await driver.press("shift+tab")
        await driver.until(lambda: "There is nothing to narrow down." in driver.text())
        assert driver.app.screen is driver.listing

    drive(steps, tmp_path)


def test_a_star_for_the_sample_is_refused(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("ctrl+b")
        await driver.until(lambda: "The sample history is read-only." in driver.text())

    drive(steps, tmp_path, environ={"XDG_DATA_HOME": os.devnull})


def test_a_timeline_shows_no_days_before_its_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00Z")

    async def steps(driver: Driver) -> None:
        await driver.press("f3")
        await driver.until(lambda: "Mon 9 Nov   ≥42.0k" in driver.text())
        await driver.press("2")  # since the 8th
        await driver.until(lambda: "a week" in driver.lines()[0] and "adding up" not in driver.lines()[0])
        assert "Mon 9 Nov   ≥42.0k" in driver.text()
        assert "Sun 8 Nov" not in driver.text()

    drive(steps, tmp_path, size=(80, 40))


@pytest.mark.parametrize(("key", "words"), [("f1", "Enter"), ("ctrl+o", "page down")])
def test_a_tiny_window_shows_what_was_asked_for(tmp_path: Path, key: str, words: str) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press(key)
        await driver.until(lambda: words in driver.text())

    drive(steps, tmp_path, size=(30, 5))


def test_a_tiny_window_has_room_for_an_answer(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("ctrl+r")
        await driver.until(lambda: "is\ngone. Another folder to go on" in driver.text())
        await driver.type("/srv/here")
        await driver.until(lambda: driver.lines()[-1].strip() == "/srv/here")

    drive(steps, tmp_path, size=(30, 5))


def test_help_and_all_commands(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("f1")
        assert isinstance(driver.app.screen, Help)
        await driver.press("escape", "ctrl+o")
        assert isinstance(driver.app.screen, Palette)
        await driver.press(*"usage", "enter")
        await driver.until(lambda: isinstance(driver.app.screen, PageScreen))
        await driver.press("q")
        await opened(driver)
        await driver.press("Y")
        assert isinstance(driver.app.screen, Menu)
        await driver.press("down", "up", "escape")
        assert isinstance(driver.app.screen, ReaderScreen)

    drive(steps, tmp_path)


@pytest.mark.parametrize(("key", "words"), [("f2", "gemini-2.5-pro"), ("f3", "busiest"), ("f4", "accounted for")])
def test_pages(tmp_path: Path, key: str, words: str) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press(key)
        await driver.until(lambda: words in driver.text())
        await driver.press("tab", "2", "5", "j", "k", "space", "b", "G", "g")
        await driver.until(lambda: "adding up" not in driver.text())
        await driver.press("q")
        assert driver.app.screen is driver.listing

    drive(steps, tmp_path)


def test_a_page_says_how_many_files_are_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IndexService, "unread_files", 7)

    async def steps(driver: Driver) -> None:
        await driver.press("f2")
        await driver.until(lambda: "all time · 7 files unread" in driver.text())
        await driver.press("q")
        assert driver.app.screen is driver.listing

    drive(steps, tmp_path)


def test_a_page_that_is_left_before_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread ends in peace."""
    begun, go_on, made = threading.Event(), threading.Event(), list[object]()
    make = PageScreen._make

    def slowly(self: PageScreen, *arguments: Any) -> object:
        begun.set()
        assert go_on.wait(30)
        made.append(make(self, *arguments))
        return made[-1]

    monkeypatch.setattr(PageScreen, "_make", slowly)

    async def steps(driver: Driver) -> None:
        await driver.press("f2")
        await driver.until(begun.is_set)
        await driver.press("q")
        await driver.until(lambda: driver.app.screen is driver.listing)
        go_on.set()
        await driver.until(lambda: made)

    drive(steps, tmp_path)
    assert isinstance(made[0], PageScreen.Made)


def test_every_theme(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        for name in ("light", "contrast", "dark"):
            await driver.press("f6")
            assert driver.app.theme == f"pollux-{name}"
            assert f"Colours: {name}" in driver.text()

    drive(steps, tmp_path)


class TestClipboard:
    def test_a_terminal_gets_the_text(self) -> None:
        sent: list[str] = []
        assert clipboard.copy("hé", sent.append, {"PATH": ""}) == "copied through the terminal"
        clipboard.copy("half \udcff", sent.append, {"PATH": ""})  # Textual would not send it
        assert sent == ["hé", "half \\udcff"]

    def test_a_text_that_is_too_long_goes_into_a_file(self) -> None:
        sent: list[str] = []
        text = "x" * (clipboard.LONGEST + 1)
        words = clipboard.copy(text, sent.append, {"PATH": "", "SSH_CONNECTION": "1"})
        assert not sent
        file = Path(words.rpartition(" ")[2])
        assert file.read_text() == text
        assert file.stat().st_mode & 0o077 == 0
        file.unlink()
        assert len(base64.b64encode(text.encode()[: clipboard.LONGEST])) < 100_000

    def test_where_the_terminal_ignores_it_a_tool_takes_it(self, tmp_path: Path) -> None:
        tool = tmp_path / "xclip"
        tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\n")
        tool.chmod(0o700)
        environ = {"PATH": f"{tmp_path}:/bin:/usr/bin", "DISPLAY": ":0", "VTE_VERSION": "1"}
        assert clipboard.copy("text", lambda _: None, environ) == "copied with xclip"
        assert (tmp_path / "copied").read_text() == "text"


@pytest.mark.parametrize(("opens", "key"), [("e", "5"), ("m", "n"), ("Y", "k")])
def test_a_key_that_is_pressed_twice_at_once_closes_a_menu_and_nothing_else(
    tmp_path: Path, copies: list[str], opens: str, key: str
) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press(opens)
        menu = driver.app.screen
        for _ in range(3):
            menu.post_message(Key(key, key))
        await driver.until(lambda: driver.app.screen is not menu)
        assert any(isinstance(screen, ReaderScreen) for screen in driver.app.screen_stack)
        assert len(copies) == (opens == "Y")

    drive(steps, tmp_path)


def test_a_folder_that_was_chosen_stays_when_one_goes_on_with_a_copy(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        driver.app.call_later(driver.app.resume, "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f")
        await driver.until(lambda: isinstance(driver.app.screen, Ask))
        await driver.press("home", "ctrl+k", "slash", "enter")
        await driver.press("f")
        shown = {piece.strip() for line in driver.lines() for piece in line.split("│")}
        assert {"Go on with a copy in Claude Code", "folder   /"} <= shown

    drive(steps, tmp_path)


def test_a_mistyped_folder_is_asked_for_again(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        driver.app.call_later(driver.app.resume, "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f")
        await driver.until(lambda: isinstance(driver.app.screen, Ask))
        for wrong in ("/nowhere", "~nobody-here/x"):
            await driver.press("home", "ctrl+k", *(_KEYS.get(letter, letter) for letter in wrong), "enter")
            await driver.until(partial(shows, driver, f"{wrong} is not a folder."))
            asked = driver.app.screen
            assert isinstance(asked, Ask)
            assert asked.query_one(Field).value == wrong
        await driver.press("home", "ctrl+k", "slash", "enter")
        await driver.until(lambda: "Go on in Claude Code" in driver.text())
        await driver.press("i")
        await driver.until(lambda: isinstance(driver.app.screen, Ask))
        assert driver.app.screen.query_one(Field).value == "/"
        await driver.press("x", "enter")
        await driver.until(lambda: "/x is not a folder." in driver.text())

    drive(steps, tmp_path)


_KEYS = {"/": "slash", "~": "tilde", "-": "minus"}


def test_a_file_in_the_home_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("e", "1", "home", "ctrl+k", *(_KEYS.get(letter, letter) for letter in "~nobody-here"))
        await driver.press("enter")
        await driver.until(lambda: "Written: ~nobody-here" in driver.text())
        assert (tmp_path / "~nobody-here").is_file()

    drive(steps, tmp_path)


@pytest.mark.parametrize("size", [(80, 24), (30, 5)])
def test_a_menu_may_have_more_choices_than_there_are_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    async def steps(driver: Driver) -> None:
        chosen: list[str | None] = []
        choices = numbered((f"sub-agent {number}", str(number)) for number in range(500))
        assert len({choice.key for choice in choices}) == 33  # one of them is none
        driver.app.push_screen(Menu("Go to", choices), chosen.append)
        await driver.press("up")
        await driver.until(partial(shows, driver, "    sub-agent 499"))
        await driver.press("pageup", "pagedown", "up", "enter")
        driver.app.push_screen(Menu("Go to", choices), chosen.append)
        await driver.press("z")
        assert chosen == ["498", "31"]

    drive(steps, tmp_path, size=size)


def test_a_mark_is_for_the_message_that_the_menu_was_about(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("J", "m")
        reader = driver.app.screen_stack[-2]
        assert isinstance(reader, ReaderScreen)
        first = reader.message
        reader.view.to_next(1)
        assert first is not None
        assert reader.message != first
        await driver.press("S")
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert list(marks.messages) == [first.id]

    drive(steps, tmp_path)


@pytest.mark.parametrize("size", [(80, 24), (30, 5)])
def test_a_menu_of_many_choices_shows_the_one_that_j_leads_to(tmp_path: Path, size: tuple[int, int]) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("e")
        menu = driver.app.screen
        assert isinstance(menu, Menu)
        for number, choice in enumerate(menu.choices[1:], 1):
            await driver.press("j")
            assert menu.chosen == number
            await driver.until(partial(shows, driver, f" {choice.key}  {choice.words}"))

    drive(steps, tmp_path, size=size)
