"""The command line of the list gives the answer that the list shows."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from pollux.library.sample import HOME
from pollux.tui.list.answering import answer
from pollux.tui.list.by_id import keys_of_id, show_command
from pollux.tui.list.question import HITS, Question
from pollux.tui.list.rows import SessionRow
from tests.tui.driving import Driver, drive, environment

LONG = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"
MANY = 15


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The sample, read; and beside it many sessions that say the same words again and again."""
    folder = tmp_path_factory.mktemp("same")
    home = folder / "home"
    subprocess.run(["cp", "-r", str(HOME), str(home)], check=True)
    project = home / ".claude" / "projects" / "-home-juno-code-many"
    project.mkdir()
    for number in range(MANY):
        id = f"{number:08x}-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
        records = [
            {
                "parentUuid": f"{id[:8]}-{turn - 1}" if turn else None,
                "uuid": f"{id[:8]}-{turn}",
                "type": "user",
                "message": {"role": "user", "content": f"crumbled biscuit {turn}"},
                "timestamp": f"2026-11-01T10:{number:02}:{turn:02}Z",
                "cwd": "/home/juno/code/many",
                "sessionId": id,
                "version": "2.1.325",
            }
            for turn in range(5)
        ]
        (project / f"{id}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    result = environment(home, folder)
    with Library(result, home, hunt=False) as library:
        library.sync()
    return result


def listed(variables: Mapping[str, str], question: Question) -> list[str]:
    """The sessions that the list shows, those that are folded left out."""
    home = Path(variables["HOME"])
    with Library(variables, home, hunt=False, fresh=False) as library:
        rows = answer(library, question).rows
    assert rows is not None
    return [row.key for row in rows if isinstance(row, SessionRow)]


def printed(variables: Mapping[str, str], line: str) -> list[str]:
    """The sessions that a command line gives to a program."""
    program, *words = shlex.split(line)
    assert program == "pollux"
    command = [sys.executable, "-m", "pollux", words[0], "--json", *words[1:]]
    done = subprocess.run(command, env=dict(variables), capture_output=True, check=False)
    return list(dict.fromkeys(one["key"] for one in json.loads(done.stdout)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        Question("packet"),
        Question("packet "),
        Question("crumbled biscuit"),
        Question("crumbled biscuit", "project", "/home/juno/code/many"),
        Question("agent:codex packet"),
        Question("-seed packet"),
        Question("agent:codex"),
        Question("agent:claude", "project", "/home/juno/code/postcards"),
        Question("project:seedbank", "project", "/home/juno/code/postcards"),
        Question("since:2026-11-05 agent:gemini"),
    ],
)
def test_the_command_line_finds_the_sessions_of_the_list(variables: dict[str, str], question: Question) -> None:
    sessions = listed(variables, question)
    assert sessions
    assert printed(variables, question.command) == sessions


def test_more_sessions_match_than_the_list_holds(variables: dict[str, str]) -> None:
    """So that the limit of the command line matters above."""
    assert MANY * 3 < HITS < MANY * 5
    assert len(listed(variables, Question("crumbled biscuit"))) == MANY


def test_words_with_a_dash_are_no_options() -> None:
    assert Question("--json tide ").command == "pollux search --limit 50 --each 3 -- '--json tide'"


class TestIds:
    @pytest.mark.parametrize("text", ["6403bd", "6403bd4e", "6403BD4E", LONG, LONG.partition(":")[2], "gemini:64"])
    def test_an_id_as_lists_show_it_leads_to_its_session(self, variables: dict[str, str], text: str) -> None:
        assert listed(variables, Question(text))[0] == LONG

    @pytest.mark.parametrize("text", ["claude:6403bd4e", "6403", "bd4e-5b4f", "6403bd4e tide"])
    def test_what_is_no_beginning_of_an_id_does_not(self, variables: dict[str, str], text: str) -> None:
        assert LONG not in listed(variables, Question(text))[:1]

    def test_the_session_stands_above_what_its_words_find(self, variables: dict[str, str]) -> None:
        """The uuids of messages begin with the ids here, and so do the words of one prompt."""
        home = Path(variables["HOME"])
        project = home / ".claude" / "projects" / "-home-juno-code-many"
        first = project / "00000001-aaaa-4aaa-8aaa-aaaaaaaaaaaa.jsonl"
        before = first.read_bytes()
        try:
            first.write_bytes(before.replace(b"crumbled biscuit 4", b"what was 00000007 about?"))
            with Library(variables, home, hunt=False) as library:
                library.sync()
            keys = listed(variables, Question("00000007"))
        finally:
            first.write_bytes(before)
            with Library(variables, home, hunt=False) as library:
                library.sync()
        assert [key[:15] for key in keys] == ["claude:00000007", "claude:00000001"]

    def test_several_that_begin_alike_stand_together(self, variables: dict[str, str]) -> None:
        assert len(listed(variables, Question("claude:000000"))) == MANY

    def test_only_sessions_within_the_filter_are_looked_for(self, variables: dict[str, str]) -> None:
        with Library(variables, Path(variables["HOME"]), hunt=False, fresh=False) as library:
            assert keys_of_id(library, "6403bd4e", Filter(agent="gemini")) == [LONG]
            assert keys_of_id(library, "6403bd4e", Filter(agent="claude")) == []

    @pytest.mark.parametrize(
        ("text", "command"),
        [
            ("6403bd4e", "pollux show 6403bd4e"),
            ("gemini:6403bd4e", "pollux show gemini:6403bd4e"),
            ("6403BD4E", f"pollux show {LONG}"),
            ("-6403bd", f"pollux show {LONG}"),
        ],
    )
    def test_the_command_shows_the_session(self, text: str, command: str) -> None:
        assert show_command(text, (LONG,)) == command

    def test_digits_without_end_take_no_time(self, variables: dict[str, str]) -> None:
        with Library(variables, Path(variables["HOME"]), hunt=False, fresh=False) as library:
            began = time.process_time()
            assert keys_of_id(library, "a" * 100_000 + "z", Filter()) == []
            assert keys_of_id(library, "1" * 100_000 + "z", Filter()) == []
            assert time.process_time() - began < 1


@pytest.mark.parametrize("text", ['"one pack', "-packet", "x" * 300_000])
def test_what_is_refused_calls_no_row_found(tmp_path: Path, text: str) -> None:
    async def steps(driver: Driver) -> None:
        await driver.type("tide")
        assert "found" in driver.lines()[0]
        driver.listing.field.value = text
        await driver.until(lambda: driver.listing.footer.sentence)
        assert "found" not in driver.lines()[0]
        assert driver.lines()[0].endswith("not searched")
        driver.listing.field.value = "tide"
        await driver.until(lambda: driver.lines()[0].endswith("found"))

    drive(steps, tmp_path)
