"""The first screen is there before Textual, looks like Textual's, and loses no key; the terminal is given back."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pyte
import pytest

from pollux.tui.opening.frame import colour_system
from tests.tui.judging import left_as_it_was
from tests.tui.terminal import Screen, TerminalProgram, pollux_command

pytestmark = pytest.mark.slow
_SEQUENCE = re.compile(rb"\x1b\[\?\d+\$p|\x1b\[>\d*q|\x1b\[\?u|\x1b\]22;\w*\x07")


def screen_of(written: bytes, columns: int, rows: int) -> Screen:
    screen = Screen(columns, rows)
    pyte.ByteStream(screen).feed(_SEQUENCE.sub(b"", written))
    return screen


def distance(one: str, other: str) -> int:
    """How far two colours are apart. Textual rounds some of them down."""
    return max(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) for at in (0, 2, 4))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (50, 12)])
@pytest.mark.parametrize("colours", [{}, {"COLORTERM": "truecolor"}])
def test_it_looks_as_textual_draws_it(
    env: dict[str, str], home: Path, size: tuple[int, int], colours: dict[str, str]
) -> None:
    with TerminalProgram(pollux_command(), {**env, **colours}, home, *size) as terminal:
        terminal.until(lambda: b"\x1b[?1004h" in terminal.written)  # now Textual begins
        early = terminal.written[: terminal.written.index(b"\x1b[?1004h")]
        if size[0] >= 60:
            terminal.until(lambda: "looking …".encode() in terminal.written)
            terminal.until(lambda: "looking" not in terminal.text)
        terminal.settle(1.0)
        assert terminal.written.count(b"\x1b[?1049h") == 1
        first, later = screen_of(bytes(early), *size), terminal.screen
        assert "The tides of Port Lune" in "\n".join(first.display)
        beside = size[0] * 3 // 5 - 2 if size[0] >= 112 else size[0] - 1
        for y in range(size[1]):
            for x in range(beside):
                ours, theirs = first.buffer[y][x], later.buffer[y][x]
                assert (ours.data, ours.bg) == (theirs.data, theirs.bg), (x, y)
                assert ours.data == " " or ours.bold == theirs.bold, (x, y)
                assert ours.data == " " or distance(ours.fg, theirs.fg) <= 1, (x, y)


def test_what_is_typed_before_textual_is_there_is_not_lost(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command(), env, home) as terminal:
        terminal.until("The tides of Port Lune")
        assert b"\x1b[?1004h" not in terminal.written
        terminal.send("germination")
        terminal.until("1 found")
        assert "❯ germination" in terminal.text
        terminal.send("\x03")
        assert terminal.wait() == 0


@pytest.mark.parametrize("is_early", [True, False])
def test_a_signal_gives_the_terminal_back(env: dict[str, str], home: Path, is_early: bool) -> None:
    with TerminalProgram(pollux_command(), env, home) as terminal:
        before = terminal.settings()
        terminal.until("The tides of Port Lune" if is_early else lambda: b"\x1b[?1004h" in terminal.written)
        os.kill(terminal.child, signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert terminal.settings() == before
        assert terminal.written.rindex(b"\x1b[?1049l") > terminal.written.rindex(b"\x1b[?1049h")


def test_the_terminal_is_given_back_when_all_is_written(env: dict[str, str], home: Path) -> None:
    """With its settings back, a second Ctrl+C would end the process in the middle of what it writes."""
    with TerminalProgram(pollux_command(), env, home, 600, 200) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.settle()
        terminal.send("\x1b[17~")  # F6 draws more than waits in a terminal
        assert terminal.has_more()
        terminal.send("\x03")
        for _ in range(40):
            time.sleep(0.05)
            assert terminal.settings()[:4] != before[:4]  # nobody has taken it yet
        left_as_it_was(terminal, before)


STOPPED = [signal.SIGTSTP, signal.SIGCONT]


@pytest.mark.parametrize("signals", [[signal.SIGCONT], [signal.SIGSTOP, signal.SIGCONT] * 2, STOPPED])
def test_it_may_be_stopped_from_outside(env: dict[str, str], home: Path, signals: list[int]) -> None:
    with TerminalProgram(pollux_command(), env, home) as terminal:
        before = terminal.settings()
        terminal.until(lambda: b"\x1b[?1004h" in terminal.written)
        terminal.settle()
        for number in signals:
            drawn = len(terminal.written)
            os.kill(terminal.child, number)
            terminal.settle()
            if number == signal.SIGCONT:
                assert b"The tides of Port Lune" in terminal.written[drawn:]
        terminal.send("germination")
        terminal.until("1 found")
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert terminal.settings() == before


def test_colours_of_the_terminal() -> None:
    assert colour_system({"NO_COLOR": "1", "COLORTERM": "truecolor"}) is None
    found = [colour_system({"TERM": "xterm", "COLORTERM": one}) for one in ("", "truecolor", "24bit")]
    assert [one.name for one in (*found, colour_system({"TERM": "xterm-256color"})) if one is not None] == [
        "STANDARD",
        "TRUECOLOR",
        "TRUECOLOR",
        "EIGHT_BIT",
    ]


@pytest.mark.parametrize("command", [(), ("pick",)], ids=["tui", "pick"])
def test_without_a_cache_sessions_appear_by_themselves(
    env: dict[str, str], home: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    with TerminalProgram(pollux_command(*command), {**env, "XDG_CACHE_HOME": str(tmp_path / "cold")}, home) as terminal:
        terminal.until("15 sessions")
        terminal.until("The tides of Port Lune")
        terminal.until(lambda: "unread" not in terminal.text)
