"""The list: rows by day, searching as one types, folding, scopes."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from pollux.library.index import IndexService
from pollux.library.library import Library
from pollux.tui.keys import KEYS, LIST
from pollux.tui.list import answering
from pollux.tui.list.question import Answer, Question
from pollux.tui.list.rows import PassageRow, SessionRow
from pollux.tui.reader.screen import ReaderScreen
from tests.tui.driving import SECONDS, Driver, drive


def test_sessions_stand_by_day(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        lines = driver.lines()
        assert lines[0].endswith("15 sessions")
        assert "Saturday 14 November" in lines[2]
        assert "◆ gemini    tidewatch" in lines[3]
        assert "60.6k" in lines[3]

    drive(steps, tmp_path)


def test_typing_searches_and_the_passages_are_shown(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("harbour")
        rows = driver.listing.sessions.rows
        assert isinstance(rows[0], SessionRow)
        assert any(isinstance(row, PassageRow) for row in rows)
        assert "harbour" in driver.text()
        assert "found" in driver.lines()[0]

    drive(steps, tmp_path)


def test_at_the_last_row_there_is_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.tui.list.screen.HITS", 5)

    async def steps(driver: Driver) -> None:
        await driver.type("the ")
        few, sessions = list(driver.listing.sessions.rows), driver.listing.sessions
        assert sum(isinstance(row, PassageRow) for row in few) <= 5
        assert "--limit 5 " in driver.listing.command
        await driver.press("ctrl+end")
        await driver.answered()
        row = few[-1] if isinstance(few[-1], PassageRow) else few[-2]
        assert sessions.row == row
        assert len(sessions.rows) > len(few)
        assert "--limit 20 " in driver.listing.command
        for _ in range(9):
            await driver.press("ctrl+end")
            await driver.answered()
        assert "the best" not in driver.lines()[0]
        assert driver.listing.question.hits < 5 * 4**9
        await driver.type("tide")
        assert driver.listing.question.hits == 5

    drive(steps, tmp_path)


def test_the_wheel_leads_to_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.tui.list.screen.HITS", 12)

    async def steps(driver: Driver) -> None:
        await driver.type("the ")
        sessions = driver.listing.sessions
        few, cursor = len(sessions.rows), sessions.cursor
        assert few > sessions.size.height
        assert driver.listing.question.hits == 12
        for _ in range(few):
            sessions.on_mouse_scroll_down()
        await driver.answered()
        assert driver.listing.question.hits > 12
        assert len(sessions.rows) > few
        assert sessions.cursor == cursor

    drive(steps, tmp_path)


def test_enter_does_not_wait_for_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.tui.list.screen.HITS", 5)
    answer, may_answer = answering.answer, threading.Event()

    def slow(library: Library, question: Question, **named: Any) -> Answer:
        assert question.hits != 20 or may_answer.wait(SECONDS)
        return answer(library, question, **named)

    monkeypatch.setattr(answering, "answer", slow)

    async def steps(driver: Driver) -> None:
        await driver.type("the ")
        await driver.press("ctrl+end")
        assert driver.listing.question.hits == 20
        await driver.press("enter")
        await driver.read()
        assert driver.reader.key == driver.listing.sessions.rows[-1].key  # type: ignore[union-attr]
        may_answer.set()

    drive(steps, tmp_path)


def test_a_word_that_is_being_typed_is_a_beginning(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("germinat")
        assert "germination" in driver.text()
        await driver.type(" ")
        assert driver.listing.question.query == "germinat"

    drive(steps, tmp_path)


def test_the_first_letter_of_a_word_is_not_searched_for_yet(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("down")
        rows, row = driver.listing.sessions.rows, driver.listing.sessions.row
        await driver.type("e")
        assert (driver.listing.sessions.rows, driver.listing.sessions.row) == (rows, row)
        await driver.type("n")
        assert "entered" in driver.text()
        await driver.press("backspace")
        await driver.type("g ")
        assert driver.listing.question.query == "eg"

    drive(steps, tmp_path)
    assert Question("架").query == "架"  # a whole word


def test_enter_opens_the_session_at_the_passage(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("ZoneInfo")
        await driver.press("down")
        row = driver.listing.sessions.row
        assert isinstance(row, PassageRow)
        await driver.press("enter")
        await driver.read()
        message = driver.reader.message
        assert message is not None
        assert message.id == row.hit.message_id

    drive(steps, tmp_path)


def test_a_pasted_id_leads_to_its_session(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("claude:d80997e6-0e9e")
        assert [row.key for row in driver.listing.sessions.rows if isinstance(row, SessionRow)] == [
            "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f"
        ]

    drive(steps, tmp_path)


def test_a_wrong_query_says_so_and_the_rows_stay(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("harbour")
        before = driver.listing.sessions.rows
        driver.listing.field.value = "harbour agent:nobody"
        await driver.until(lambda: driver.listing.footer.sentence)
        assert driver.listing.sessions.rows == before

    drive(steps, tmp_path)


def test_sub_agents_are_folded_under_their_parent(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        sessions = driver.listing.sessions
        place = next(n for n, row in enumerate(sessions.rows) if isinstance(row, SessionRow) and row.children)
        sessions.go_to(place)
        count = len(sessions.rows)
        await driver.press("right")
        await driver.until(lambda: len(sessions.rows) == count + 1)
        child = sessions.rows[place + 1]
        assert isinstance(child, SessionRow)
        assert child.depth == 1
        assert "└" in driver.text()
        await driver.press("left")
        await driver.until(lambda: len(sessions.rows) == count)
        assert sessions.cursor == place

    drive(steps, tmp_path, size=(80, 40))


def test_every_width_has_a_list(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        for columns, rows in ((200, 60), (112, 30), (80, 24), (60, 20), (40, 10), (20, 5), (2, 2)):
            await driver.pilot.resize_terminal(columns, rows)
            await driver.pilot.pause()
            assert all(len(line) <= columns for line in driver.lines())
        await driver.pilot.resize_terminal(60, 20)
        await driver.pilot.pause()
        assert "The tides of Port Lune" in driver.text()

    drive(steps, tmp_path)


def test_coming_back_finds_everything_as_it_was(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("tide")
        await driver.press("down", "down", "down")
        field, sessions = driver.listing.field, driver.listing.sessions
        before = (field.value, sessions.row, sessions.top)
        await driver.press("enter")
        await driver.read()
        await driver.press("q")
        await driver.until(lambda: not isinstance(driver.app.screen, ReaderScreen))
        await driver.until(lambda: not driver.app.keeping_up.is_looking)
        assert (
            driver.listing.field.value,
            driver.listing.sessions.row,
            driver.listing.sessions.top,
        ) == before

    drive(steps, tmp_path)


def test_enter_waits_for_the_answer_to_what_was_typed(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        first = driver.listing.sessions.row
        for letter in "germination":
            driver.app.screen.query_one("SearchField").insert_text_at_cursor(letter)  # type: ignore[attr-defined]
        driver.listing.action_open()
        await driver.read()
        assert first is not None
        assert driver.reader.session is not None
        assert driver.reader.session.key != first.key
        assert driver.reader.session.title == "germination trials"

    drive(steps, tmp_path)


def test_enter_opens_at_the_best_passage(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("germination ")
        row = driver.listing.sessions.rows[1]
        assert isinstance(driver.listing.sessions.row, SessionRow)
        assert isinstance(row, PassageRow)
        await driver.press("enter")
        await driver.read()
        assert driver.reader.message is not None
        assert driver.reader.message.id == row.hit.message_id

    drive(steps, tmp_path)


def test_the_beginning_of_an_id_leads_to_its_session(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("6403bd4e")
        row = driver.listing.sessions.row
        assert row is not None
        assert row.key == "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"
        assert driver.listing.command == "pollux show 6403bd4e"

    drive(steps, tmp_path)


@pytest.mark.parametrize("query", ['"one', "agent:claud "])
def test_a_query_that_is_refused_counts_nothing_and_the_rows_stay(tmp_path: Path, query: str) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press(*("space" if letter == " " else letter for letter in query))
        await driver.until(lambda: driver.listing.footer.sentence)
        assert "not searched" in driver.lines()[0]
        assert driver.listing.sessions.rows

    drive(steps, tmp_path)


def test_keys_in_a_list_that_is_empty(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("is:starred ")
        assert not driver.listing.sessions.rows
        for key in KEYS:
            if key.place == LIST and key.action not in {"back", "scope", "facets"}:
                await driver.press(key.keys[0])
                assert driver.app.screen is driver.listing
                assert "0 sessions" in driver.text()

    drive(steps, tmp_path)


def test_a_sync_that_ends_while_pollux_closes_is_not_shown(tmp_path: Path) -> None:
    apps = []

    async def steps(driver: Driver) -> None:
        apps.append(driver.app)

    drive(steps, tmp_path)
    with subprocess.Popen(["/bin/true"]) as ended:
        ended.wait()
        apps[0].keeping_up._syncing = ended
        apps[0].keeping_up.poll()


def test_a_click_before_a_shorter_list_is_drawn(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        sessions = driver.listing.sessions
        sessions.rows = sessions.rows[:2]
        for y in range(sessions.size.height):
            assert sessions.render_line(y).cell_length == sessions.size.width
        sessions.changed()

    drive(steps, tmp_path)


def test_an_answer_that_takes_long_is_waited_for_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick, go_on = answering.answer, threading.Event()

    def slow(library: Library, question: Question, **options: Any) -> Answer:
        assert not question.text or go_on.wait(60)
        return quick(library, question, **options)

    monkeypatch.setattr(answering, "answer", slow)

    async def steps(driver: Driver) -> None:
        assert "searching" not in driver.text()
        await driver.press(*"tides")
        await driver.until(lambda: "15 sessions · searching …" in driver.text())
        go_on.set()
        await driver.answered()
        assert "searching" not in driver.text()

    drive(steps, tmp_path)


def test_where_nothing_can_be_stored_the_list_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IndexService, "start_sync", lambda _: subprocess.Popen(["false"]))

    async def steps(driver: Driver) -> None:
        await driver.until(lambda: "could not be stored" in driver.text())
        assert "`pollux list` and `pollux search` work without it." in driver.text()
        assert "for the first time" not in driver.text()

    drive(steps, tmp_path, synced=False)


@pytest.mark.parametrize(("size", "is_whole"), [((80, 24), True), ((20, 5), False)])
def test_a_long_sentence_is_seen_whole_or_says_that_it_is_not(
    tmp_path: Path, size: tuple[int, int], is_whole: bool
) -> None:
    """It moves nothing else away."""
    sentence = " ".join(f"word-{number}" for number in range(50)) + " end."

    async def steps(driver: Driver) -> None:
        before = driver.lines()[:2]
        driver.app.say(sentence)
        await driver.pilot.pause()
        assert driver.lines()[:2] == before
        seen = " ".join(line.strip() for line in driver.lines()[2:])
        assert (sentence in seen) == is_whole
        assert driver.lines()[-1].endswith("end." if is_whole else "…")

    drive(steps, tmp_path, size=size)


def test_marks_that_cannot_be_read_are_told_once(tmp_path: Path) -> None:
    file = tmp_path / "data" / "pollux" / "marks" / "marks.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no mark\n")

    async def steps(driver: Driver) -> None:
        await driver.until(lambda: "1 line of" in driver.listing.footer.sentence)
        await driver.press("down", "f5")
        await driver.until(lambda: not driver.app.keeping_up.is_looking)
        assert driver.listing.footer.sentence == ""

    drive(steps, tmp_path)
