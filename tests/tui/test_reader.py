"""The reader: moving, finding, folding, both views of a session, and what becomes of it while it is open."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pollux.library.sample import HOME
from pollux.model import Fate, Session
from pollux.tui.reader.loading import Loaded, load_session, what_became_of
from pollux.tui.reader.screen import ReaderScreen
from tests.tui.driving import Driver, drive

CORPUS = Path(__file__).parent.parent / "corpus"
COMPRESSED = "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f"
TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"


async def opened(driver: Driver, key: str = TIDES) -> None:
    driver.app.call_later(driver.app.read, key)
    await driver.read()


def test_a_conversation_is_shown_with_its_calls(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        text = driver.text()
        assert "You  17:02:37" in text
        assert "✓ grep_search" in text
        await driver.press("G")
        assert driver.reader.view.is_at_end

    drive(steps, tmp_path, size=(80, 40))


def test_going_through_messages_and_prompts(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        view = driver.reader.view
        assert view.document is not None
        seen = []
        while view.to_next(1):
            seen.append(view.current)
        assert seen == sorted(seen)
        await driver.press("g")
        assert (view.top, view.current) == ((0, 0), 0)
        await driver.press("p")
        assert view.document.is_prompt(view.current)
        first = view.current
        await driver.press("p")
        assert view.current > first
        await driver.press("P")
        assert view.current == first

    drive(steps, tmp_path)


def test_words_are_found_also_in_what_is_folded(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("slash", *"astimezone", "enter")
        assert "astimezone" in driver.text()
        await driver.press("slash", *"harbour", "enter")
        first = driver.reader.view._found
        await driver.press("n")
        assert driver.reader.view._found != first
        await driver.press("N")
        assert driver.reader.view._found == first
        assert "harbour" in driver.text()
        await driver.press("slash", *"nowhere-at-all", "enter")
        assert driver.reader.footer.sentence == "Not found: nowhere-at-all"

    drive(steps, tmp_path)


def test_both_views_of_a_session(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver, COMPRESSED)
        assert "compressed away" in driver.text()
        await driver.press("v")
        document = driver.reader.view.document
        assert document is not None
        assert all(message.fate is Fate.LIVE for message in document.messages)
        assert "compressed away" not in driver.text()
        assert "as it would be resumed" in driver.text()
        await driver.press("v")
        assert "as it happened" in driver.text()

    drive(steps, tmp_path)


def test_tools_and_thinking(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        assert "✓ grep_search" in driver.text()
        await driver.press("t")
        assert "Tool calls: full." in driver.text()
        assert "output:" in driver.text()
        await driver.press("t")
        assert "grep_search" not in driver.text()
        await driver.press("t")
        assert "✓ grep_search" in driver.text()
        await driver.press("T")
        assert "Suspecting a Fixed Offset" not in driver.text()

    drive(steps, tmp_path, size=(80, 50))


def test_the_detail_of_a_message(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("p", "d")
        text = driver.text()
        assert "Record" in text
        assert ".jsonl:" in text.replace("\n", "")
        await driver.press("G")
        assert [line for line in driver.lines()[:-1] if line][-1].strip() == "}"
        assert '  "timestamp": "' in driver.text()
        await driver.press("g")
        assert driver.text() == text
        await driver.press("escape")
        assert "Record" not in driver.text()

    drive(steps, tmp_path)


def test_the_head_of_a_session_has_no_detail(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.press("g", "d")
        assert "No message is chosen here." in driver.text()

    drive(steps, tmp_path)


@pytest.mark.parametrize("size", [(200, 60), (112, 30), (60, 20), (20, 5), (3, 3)])
def test_every_size_has_a_reader(tmp_path: Path, size: tuple[int, int]) -> None:
    async def steps(driver: Driver) -> None:
        await opened(driver)
        await driver.pilot.resize_terminal(*size)
        await driver.press("J", "J", "d", "d", "G", "g", "space", "b", "slash", "x", "escape", "t", "T", "v")
        assert len(driver.lines()) <= size[1]

    drive(steps, tmp_path)


def test_at_the_end_all_is_read_also_what_is_shown_nowhere(tmp_path: Path) -> None:
    """The last record of this session is none that anybody sees: it stayed unread for ever."""

    async def steps(driver: Driver) -> None:
        driver.app.call_later(driver.app.read, "claude:ba57feba-7d21-4e6f-98a2-2a25a7e4c715")
        await driver.read()
        await driver.press("G")
        session = driver.reader.session
        assert session is not None
        assert driver.reader.seen == len(session.messages)
        await driver.press("q")
        assert driver.app.library.marks.new_from(session) is None

    drive(steps, tmp_path)


def test_what_cannot_be_read_says_so_and_does_not_wait(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        driver.app.call_later(driver.app.read, "gemini:00000000-0000-0000-0000-000000000000")
        await driver.until(lambda: isinstance(driver.app.screen, ReaderScreen))
        await driver.until(lambda: "No session" in driver.reader.footer.sentence)
        await driver.pilot.pause(0.5)  # by then it would say that it still reads
        assert "No session" in driver.reader.footer.sentence
        assert not load_session(driver.app.library, driver.reader.key).is_there
        await driver.press("q")
        assert not isinstance(driver.app.screen, ReaderScreen)

    drive(steps, tmp_path)


def test_what_became_of_a_session_that_cannot_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    before = Session(agent="gemini", id="1", files=(str(file),))
    missing, broken = Loaded(None, "No session.", (), is_there=False), Loaded(None, "Not now.", ())
    assert what_became_of(before, missing) == "Its files are gone: this is what was in them."
    file.write_bytes(b"\0")
    assert what_became_of(before, missing) == "Its files do not hold it any more: this is what was in them."
    assert what_became_of(before, broken).endswith("any more: this is what was in them. Not now.")


ADDED = {
    "message": {"role": "user", "time": {"created": 1794790990000}, "agent": "build"},
    "part": {"type": "text", "text": "They are a day early."},
}
"""What a person says to OpenCode, in its tables."""


class TestWhileOpen:
    """A copy of the sample whose files are changed while a session is open."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        return Path(shutil.copytree(HOME, tmp_path / "home"))

    @staticmethod
    def file(driver: Driver) -> Path:
        assert driver.reader.session is not None
        return Path(driver.reader.session.files[0])

    def test_it_grows(self, tmp_path: Path, home: Path) -> None:
        async def steps(driver: Driver) -> None:
            await opened(driver)
            await driver.press("F")
            file = self.file(driver)
            records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            record = next(one for one in reversed(records) if one.get("type") == "user")
            added = {**record, "id": "another", "content": [{"text": "They are a day early."}]}
            with file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(added) + "\n")
            await driver.until(lambda: "a day early" in driver.text())
            assert "new message" in driver.reader.footer.sentence

        drive(steps, tmp_path, home=home)

    def test_a_database_grows_by_its_log_first(self, tmp_path: Path) -> None:
        """As long as the agent has it open, SQLite puts what is new beside it."""
        home = Path(shutil.copytree(CORPUS / "opencode" / "1.18.33" / "home", tmp_path / "home"))
        (database,) = home.rglob("opencode.db")
        with closing(sqlite3.connect(database, check_same_thread=False)) as agent:
            agent.execute("PRAGMA journal_mode=WAL")
            (session,) = agent.execute("SELECT session_id FROM message ORDER BY time_created LIMIT 1").fetchone()

            async def steps(driver: Driver) -> None:
                await opened(driver, f"opencode:{session}")
                await driver.press("F")
                before = database.stat()
                with agent:
                    when = 1794790990000
                    message = ("msg_zz", session, when, when, json.dumps(ADDED["message"]))
                    agent.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message)
                    part = ("prt_zz", "msg_zz", session, when, when, json.dumps(ADDED["part"]))
                    agent.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", part)
                assert (before.st_size, before.st_mtime_ns) == (database.stat().st_size, database.stat().st_mtime_ns)
                await driver.until(lambda: "a day early" in driver.text())

            drive(steps, tmp_path, home=home, environ={"XDG_DATA_HOME": str(home / ".local" / "share")})

    def test_it_is_cut(self, tmp_path: Path, home: Path) -> None:
        async def steps(driver: Driver) -> None:
            await opened(driver)
            await driver.press("G")
            file = self.file(driver)
            lines = file.read_text("utf-8").splitlines(keepends=True)
            file.write_text("".join(lines[: len(lines) // 2]), "utf-8")
            await driver.until(lambda: driver.reader.footer.sentence)
            await driver.press("g", "G")

        drive(steps, tmp_path, home=home)

    @pytest.mark.parametrize("what", ["pipe", "folder", "device", "loop"])
    def test_something_else_stands_in_its_place_for_a_while(self, tmp_path: Path, home: Path, what: str) -> None:
        async def steps(driver: Driver) -> None:
            await opened(driver)
            file = self.file(driver)
            content, messages = file.read_bytes(), driver.reader.session
            file.unlink()
            match what:
                case "pipe":
                    os.mkfifo(file)
                case "folder":
                    file.mkdir()
                case "device":
                    file.symlink_to("/dev/zero")
                case _:
                    file.symlink_to(file)
            await driver.until(lambda: "gone" in driver.reader.footer.sentence)
            assert driver.reader.session == messages
            file.rmdir() if what == "folder" else file.unlink()
            file.write_bytes(content)
            await driver.until(lambda: "back" in driver.reader.footer.sentence)

        drive(steps, tmp_path, home=home)

    def test_it_is_deleted_and_comes_back(self, tmp_path: Path, home: Path) -> None:
        async def steps(driver: Driver) -> None:
            await opened(driver)
            file = self.file(driver)
            content = file.read_bytes()
            file.unlink()
            await driver.until(lambda: "gone" in driver.reader.footer.sentence)
            assert "You  17:02:37" in driver.text()
            file.write_bytes(content)
            await driver.until(lambda: "back" in driver.reader.footer.sentence)
            assert "You  17:02:37" in driver.text()

        drive(steps, tmp_path, home=home)
