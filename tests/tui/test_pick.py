"""What `pollux pick` prints of sessions that cannot be resumed, or only through another one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from pollux.library.sample import HOME
from pollux.tui.list.question import Answer, Question
from pollux.tui.list.rows import DayRow, Row, SessionRow
from pollux.tui.pick.picker import Picker
from tests.tui.driving import environment
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow

PARENT = "a49ffc28-73c9-4460-81a1-a4f7a78f995e"


def picked(env: dict[str, str], home: Path, *arguments: str) -> tuple[str, str, int]:
    """What a script gets of the first row: its output, what the terminal shows of the rest, and the status."""
    output = home / "picked"
    command = f"{' '.join(pollux_command('pick', *arguments))} > {output}"
    with TerminalProgram(["/bin/sh", "-c", command], env, home) as terminal:
        terminal.until("❯")
        terminal.send("\r")
        status = terminal.wait()
        return output.read_text("utf-8"), terminal.text.replace("\n", " "), status


@pytest.mark.parametrize(
    ("option", "expected"),
    [("--id", PARENT), ("--command", f"claude --resume {PARENT}")],
)
def test_a_sub_agent_gives_its_parent_and_says_so(env: dict[str, str], home: Path, option: str, expected: str) -> None:
    output, said, status = picked(env, home, option, "adf901d6")
    assert output.rstrip("\n").endswith(expected)
    assert "claude:adf901d6843bf89e4 is a sub-agent" in said
    assert status == 0


@pytest.mark.parametrize(
    ("id", "sentence"),
    [("96427893", "Only typed prompts are left"), ("ff8d99a7485a", "is a checkpoint")],
)
def test_what_no_agent_resumes_has_no_id_to_print(env: dict[str, str], home: Path, id: str, sentence: str) -> None:
    output, said, status = picked(env, home, "--id", id)
    assert (output, status) == ("", 2)
    assert sentence in said


def test_a_kept_session_has_no_id_to_print(env: dict[str, str], home: Path) -> None:
    subprocess.run(pollux_command("archive", "on"), env=env, check=True, capture_output=True)
    subprocess.run(pollux_command("sync"), env=env, check=True, capture_output=True)
    for file in [*home.rglob(f"{PARENT}*")]:
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    subprocess.run(pollux_command("sync"), env=env, check=True, capture_output=True)
    output, said, status = picked(env, home, "--id", PARENT)
    assert (output, status) == ("", 2)
    assert "only pollux has kept them" in said


def test_an_id_that_the_agent_finds_from_everywhere_does_not_need_its_folder(env: dict[str, str], home: Path) -> None:
    shutil.rmtree(home / "code" / "postcards")
    assert picked(env, home, "--id", PARENT)[::2] == (f"{PARENT}\n", 0)


def test_an_id_that_the_agent_finds_only_in_its_folder_does(env: dict[str, str], home: Path) -> None:
    shutil.rmtree(home / "code" / "tidewatch")
    output, said, status = picked(env, home, "--id", "aa6812ea")
    assert (output, status) == ("", 2)
    assert "is gone" in said


def test_an_id_of_another_agent_than_asked_for_is_not_found(env: dict[str, str], home: Path) -> None:
    output, _, status = picked(env, home, "--agent", "claude", "--id", "6403bd4e")
    assert (output, status) == ("", 1)


def test_an_agent_that_nobody_knows_is_refused_before_a_list_is_shown(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick", "--agent", "claud"), env, home) as terminal:
        assert terminal.wait() == 2
        assert "No agent is called 'claud'." in terminal.text
        assert "❯" not in terminal.text


def test_what_is_refused_is_said_below_the_query_and_the_rows_stay(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick", "germination"), env, home) as terminal:
        terminal.until("found")
        rows = terminal.text.rstrip().splitlines()[1:]
        terminal.send('\x15"one pack')
        terminal.until("not searched")
        head, remark, *below = terminal.text.rstrip().splitlines()
        assert head.startswith('❯ "one pack ')
        assert remark == "  This quote is never closed."
        assert below == rows
        terminal.send("\x1b")
        assert terminal.wait() == 1


def test_of_a_long_query_the_end_is_seen(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick"), env, home) as terminal:
        terminal.until("15 sessions")
        terminal.send("words " * 20 + "end")
        terminal.until("words end")
        terminal.send("\x1b")
        assert terminal.wait() == 1


def test_what_is_typed_after_enter_chooses_nothing_else(env: dict[str, str], home: Path) -> None:
    output = home / "picked"
    command = f"{' '.join(pollux_command('pick', '--id'))} > {output}"
    with TerminalProgram(["/bin/sh", "-c", command], env, home) as terminal:
        terminal.until("15 sessions")
        terminal.send("germination\rls\r")
        assert terminal.wait() == 0
    assert output.read_text("utf-8").startswith("d80997e6-")


def test_enter_that_chose_nothing_loses_no_letter(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick"), env, home) as terminal:
        terminal.until("15 sessions")
        terminal.send('"one\r pack"')
        terminal.until('❯ "one pack"')
        terminal.send("\x1b")
        assert terminal.wait() == 1


class NoTerminal:
    """A terminal of which nothing comes, and on which nothing is drawn."""

    def wake(self) -> None:
        """Nobody waits."""


@pytest.mark.parametrize("keys", [(), ("down",), ("end",)])
def test_the_chosen_session_stays_chosen_where_others_come(tmp_path: Path, keys: tuple[str, ...]) -> None:
    with Library(environment(HOME, tmp_path), HOME, hunt=False) as library:
        picker = Picker(library, Filter(), "", NoTerminal())  # type: ignore[arg-type]
        question = Question()
        rows: list[Row] = [DayRow(1), SessionRow("a:1"), SessionRow("a:2"), SessionRow("a:3")]
        answer(picker, question, rows)
        for key in keys:
            picker._press(key)
        chosen = picker._rows[picker._chosen]
        answer(picker, question._replace(hits=200), [DayRow(1), SessionRow("b:4"), *rows, SessionRow("b:5")])
        assert picker._rows[picker._chosen] == chosen
        answer(picker, Question("b"), [SessionRow("b:5"), *rows])
        assert picker._chosen == 0
        picker.close()


def answer(picker: Picker, question: Question, rows: list[Row]) -> None:
    picker._hear(Answer(question, rows, len(rows)))
    picker._take_answer()
