"""Lines of 10 MB in the small views: the list for scripts, and line by line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.tui.driving import environment
from tests.tui.hostile import LONG, long_home
from tests.tui.judging import left_as_it_was
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow
SIZE = 10_000_000
SECONDS, MEGABYTES = 20.0, 700
"""More than enough of the processor and of memory: a session of one such line is read whole."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_home(tmp_path_factory.mktemp("long") / "home", "x" * SIZE)


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    variables = {**environment(home, home.parent), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
    subprocess.run(pollux_command("sync"), env=variables, check=True, capture_output=True)
    return {**variables, "LANG": "C.UTF-8"}


def costs(process: int) -> tuple[float, float]:
    """Seconds of the processor, and the most megabytes, that a process took."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    used = sum(int(file.read_text("utf-8").split()[0]) for file in threads) / 1e9
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    return used, next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def test_picking(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick"), env, home) as terminal:
        before = terminal.settings()
        terminal.until("❯")
        for _ in LONG:
            terminal.press("\x1b[B")
        terminal.press("xxxx")
        seconds, megabytes = costs(terminal.child)
        terminal.send("\x1b")
        assert terminal.wait() == 1
        assert terminal.settings() == before
        assert len(terminal.written) < 1_000_000
        assert seconds < SECONDS
        assert megabytes < MEGABYTES


def test_line_by_line(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("tui", "--plain"), {**env, "TERM": "dumb"}, home) as terminal:
        before = terminal.settings()
        terminal.until("pollux>")
        for number in range(1, len(LONG) + 1):
            terminal.press(f"{number}\n")
        seconds, megabytes = costs(terminal.child)
        terminal.send("q\n")
        left_as_it_was(terminal, before)
        assert b"more characters: pollux show has all of them" in terminal.written
        assert len(terminal.written) < 1_000_000
        assert seconds < SECONDS
        assert megabytes < MEGABYTES
