"""What is typed quickly does what it does when it is typed slowly."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, Paste

from pollux.library.library import Library
from pollux.tui.list import answering
from pollux.tui.list.question import Answer, Question
from pollux.tui.reader import loading, screen as reader_screen
from pollux.tui.reader.screen import ReaderScreen
from tests.tui.driving import Driver, drive

TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"


def burst(driver: Driver, *keys: str) -> None:
    """Type all of this before anything of it is handled."""
    for key in keys:
        driver.app.post_message(Key(key, key if len(key) == 1 else " " if key == "space" else None))


def test_what_is_typed_after_enter_is_for_the_conversation(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        burst(driver, *"harbour", "enter", "d", "J", "J", "y")
        await driver.read()
        await driver.until(lambda: driver.reader.query_one("#detail").display)
        await driver.until(lambda: "the message, " in driver.text())
        assert driver.listing.field.value == "harbour"

    drive(steps, tmp_path)


def test_what_is_typed_goes_through_all_that_it_opens(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        burst(
            driver, "enter", "m", "t", *"harbours", "enter", "slash", *"tide", "enter", "q", "f2", "q", *"lune", "end"
        )
        await driver.until(lambda: driver.app.screen is driver.listing and driver.listing.field.value == "lune")
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert tuple(marks.session.tags) == ("harbours",)

    drive(steps, tmp_path)


def test_a_pasted_text_waits_too(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        burst(driver, "enter", "slash")
        driver.app.post_message(Paste("Lune"))
        burst(driver, "enter")
        await driver.read()
        await driver.until(lambda: driver.reader.view.needle == "Lune")
        assert driver.listing.field.value == ""

    drive(steps, tmp_path)


def test_leaving_waits_for_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_read = threading.Event()
    load = loading.load_session

    def slow(*given: object) -> object:
        is_read.wait()
        return load(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(reader_screen, "load_session", slow)

    async def steps(driver: Driver) -> None:
        try:
            for leaving in ("q", "escape"):
                burst(driver, "enter", *("/aqua" if leaving == "escape" else ""))
                await driver.until(lambda: isinstance(driver.app.screen, ReaderScreen))
                burst(driver, leaving, *"tide")
                await driver.until(lambda: driver.app.screen is driver.listing and driver.listing.field.value == "tide")
                burst(driver, "escape")
                await driver.until(lambda: not driver.listing.field.value)
        finally:
            is_read.set()

    drive(steps, tmp_path)


def test_leaving_waits_for_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer = threading.Event()
    may_answer.set()
    answer = answering.answer

    def slow(*given: object, **named: object) -> Answer:
        may_answer.wait()
        return answer(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(answering, "answer", slow)

    async def steps(driver: Driver) -> None:
        may_answer.clear()
        try:
            burst(driver, *"tide", "enter", *"JJ", "escape", *"lune")
            await driver.until(lambda: driver.listing.field.value == "lune")
        finally:
            may_answer.set()
        await driver.answered()
        assert driver.app.screen is driver.listing

    drive(steps, tmp_path)


def test_where_nothing_is_found_all_of_it_was_for_the_field(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        burst(driver, *"zzzz", "enter", *"yy")
        await driver.until(lambda: driver.listing.field.value == "zzzzyy")

    drive(steps, tmp_path)


def test_any_number_of_keys_can_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = threading.Event()
    answer = answering.answer

    def slow(library: Library, question: Question, **named: Any) -> Answer:
        if question.text.startswith("zz"):
            typed.wait()
        return answer(library, question, **named)

    monkeypatch.setattr(answering, "answer", slow)

    async def steps(driver: Driver) -> None:
        try:
            burst(driver, *"zzzz", "enter", *(["ctrl+n", "f6"] * 500), *"yy")
            await driver.until(lambda: len(driver.app.typed._waiting) > 900)
        finally:
            typed.set()
        await driver.until(lambda: driver.listing.field.value == "zzzzyy")

    drive(steps, tmp_path)


def test_what_was_typed_for_an_agent_does_not_come_here(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        typed = [Key(letter, letter) for letter in "yes"]
        driver.app.typed.forget()
        for event in typed:
            driver.app.post_message(event)
        burst(driver, *"tide")
        await driver.until(lambda: driver.listing.field.value)
        await driver.answered()
        assert driver.listing.field.value == "tide"

    drive(steps, tmp_path)
