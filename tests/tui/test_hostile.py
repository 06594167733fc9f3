"""Texts that mean harm, in every field of every agent, shown in a real terminal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.tui.driving import environment
from tests.tui.hostile import LONG, hostile_home, long_home
from tests.tui.judging import left_as_it_was
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow

EVIL_QUERY = "\x1b[2J\x1b]0;stolen\x07\u202e\x9b31m"
DOWN, ENTER, ESCAPE, LEAVE = "\x1b[B", "\r", "\x1b", "\x03"
READING = ("p", "d", "J", "d", ENTER, "T", "t", "v", "G", "/evil\r", "n", "Y", ESCAPE, "o", ESCAPE, "m", ESCAPE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_home(tmp_path_factory.mktemp("hostile") / "home")


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    variables = {**environment(home, home.parent), "PATH": os.environ["PATH"]}
    subprocess.run(pollux_command("sync"), env=variables, check=True, capture_output=True)
    return {**variables, "TERM": "xterm-256color", "LANG": "C.UTF-8"}


@pytest.mark.parametrize(
    ("agent", "size"),
    [
        *(("claude", (80, 24)), ("codex", (160, 40)), ("gemini", (40, 8))),
        *(("qwen", (120, 30)), ("copilot", (60, 20)), ("opencode", (100, 24))),
    ],
)
def test_the_list_the_reader_and_the_detail(env: dict[str, str], home: Path, agent: str, size: tuple[int, int]) -> None:
    with TerminalProgram(pollux_command("tui", f"agent:{agent}"), env, home, *size) as terminal:
        before = terminal.settings()
        terminal.until("evil" if size[0] > 100 else "❯")
        for _ in range(2):
            terminal.press(DOWN)
            terminal.press(ENTER)
            for key in READING:
                terminal.press(key)
            terminal.press("q")
            terminal.until("❯")
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)


def test_what_a_search_finds(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("tui", "evil"), env, home, 120, 30) as terminal:
        before = terminal.settings()
        terminal.until("found")
        terminal.until("stolen")
        for key in (DOWN, DOWN, ENTER, "q", "\x1b[Z", DOWN, ESCAPE, "\x12", ESCAPE):
            terminal.press(key)
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)


def test_what_is_typed_and_given(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("tui", EVIL_QUERY), env, home) as terminal:
        before = terminal.settings()
        terminal.until("❯")
        terminal.press(f"\x1b[200~{EVIL_QUERY}\x1b[201~")
        terminal.press("\x15")  # the command line that gives the same answer, copied
        terminal.send(LEAVE)
        left_as_it_was(terminal, before, copied=True)


@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
def test_pick(env: dict[str, str], home: Path, size: tuple[int, int]) -> None:
    with TerminalProgram(pollux_command("pick", EVIL_QUERY), env, home, *size) as terminal:
        before = terminal.settings()
        terminal.until("❯")
        terminal.press("\x15")
        terminal.press("evil")
        for key in (DOWN, DOWN, ENTER):
            terminal.send(key)
        left_as_it_was(terminal, before)


def test_line_by_line(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("tui", "--plain", EVIL_QUERY), {**env, "TERM": "dumb"}, home) as terminal:
        before = terminal.settings()
        terminal.until("pollux>")
        for line in ("evil", "1", "2", ""):
            terminal.press(f"{line}\n")
        terminal.send("q\n")
        left_as_it_was(terminal, before)
        assert b"\x1b" not in terminal.written


def test_ten_megabytes_in_any_field(tmp_path: Path) -> None:
    home = long_home(tmp_path / "home", "x" * 10_000_000)
    env = {**environment(home, tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    subprocess.run(pollux_command("sync"), env=env, check=True, capture_output=True)
    with TerminalProgram(pollux_command(), env, home, 120, 40) as terminal:
        before = terminal.settings()
        terminal.until(f"{len(LONG)} sessions")
        for _ in LONG:
            for key in (ENTER, "p", "J", "d", "d", "G"):
                terminal.press(key)
            terminal.until("as it happened")
            terminal.press("q")
            terminal.until("❯")
            terminal.press(DOWN)
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)
