"""A search without a cache, in a terminal: what it finds is shown at once, and the ranked answer replaces it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.program import Pollux
from tests.cli.session_text import session

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked")

SESSIONS = 40
ROWS = 24
AT_ONCE = """
import sys
from pollux.cli.terminal import preview
from pollux.library.early import background
from pollux.system import workers
preview._SILENCE = 0.0
workers.WORTH_FORKING = 0
background.start = lambda places: None
from pollux.cli.app import run
sys.exit(run(sys.argv[1:]))
"""
"""Starts pollux so that even a short search shows what it finds, and leaves no process behind."""

TAKEN_BACK = re.compile(r"\x1b\[(\d+)A\r\x1b\[J")
BAR = re.compile(r"\r\x1b\[2K[^\n\r]*")


@pytest.fixture
def cold(tmp_path: Path) -> Pollux:
    """A home with sessions, and no cache."""
    pollux = Pollux(tmp_path)
    for number in range(SESSIONS):
        id = f"{number:08d}-0000-4000-8000-000000000000"
        often = "wombat " * (number % 7 + 1)
        file = pollux.file(f"p/chats/session-{id}.json", session(id, f"{often} and the tide", f"Talk {number}"))
        os.utime(file, (1_794_614_400 + number, 1_794_614_400 + number))
    return pollux


def screen(pollux: Pollux, *arguments: str, err: int | None = None, **env: str) -> str:
    """What a terminal of 24 lines gets to see."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 100, 0, 0))
    environ = {**pollux.env, "TERM": "xterm", "POLLUX_BACKGROUND": "1", **env}
    command = [sys.executable, "-c", AT_ONCE, *arguments, "--no-pager"]
    with subprocess.Popen(
        command, env=environ, cwd=pollux.home, stdout=theirs, stderr=theirs if err is None else err, stdin=theirs
    ):
        os.close(theirs)
        output = b""
        while piece := _read(ours):
            output += piece
    os.close(ours)
    return output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end was closed
        return b""


def frequencies(answer: str) -> list[int]:
    """How often the word occurs in the sessions of an answer, in their order."""
    return [int(number) % 7 for number in re.findall(r"^Talk (\d+)$", answer, re.MULTILINE)]


def test_hits_are_shown_until_the_answer_replaces_them(cold: Pollux) -> None:
    first, lines, answer = TAKEN_BACK.split(screen(cold, "search", "wombat"))
    shown = BAR.sub("", first)
    assert shown.count("\n") == int(lines)
    assert len(shown.splitlines()) < ROWS
    titles = re.findall(r"^Talk (\d+)$", shown, re.MULTILINE)
    assert 3 < len(titles) < SESSIONS
    assert min(map(int, titles)) > SESSIONS // 2, "the newest come first"
    assert "wombat and the tide" in shown
    cold("sync")
    indexed = screen(cold, "search", "wombat")
    assert TAKEN_BACK.search(indexed) is None
    assert frequencies(answer) == frequencies(indexed)


def test_a_search_that_finds_nothing_shows_nothing_first(cold: Pollux) -> None:
    output = screen(cold, "search", "xylophonist")
    assert TAKEN_BACK.search(output) is None
    assert "Nothing like that in 40 sessions." in output


def test_without_a_terminal_only_the_answer_is_written(cold: Pollux, tmp_path: Path) -> None:
    with (tmp_path / "err").open("w+") as err:
        output = screen(cold, "search", "wombat", err=err.fileno())
        err.seek(0)
        assert "\x1b" not in err.read()
    assert TAKEN_BACK.search(output) is None
    for arguments, terminal in ((["--json"], "xterm"), ([], "dumb")):
        cold("cache", "clear")
        assert TAKEN_BACK.search(screen(cold, "search", "wombat", *arguments, TERM=terminal)) is None
