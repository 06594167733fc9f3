"""The terminal UI in a real terminal: opened, searched, copied from, suspended, left as it was found."""

from __future__ import annotations

import base64
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tui.judging import left_as_it_was
from tests.tui.terminal import SECONDS, TerminalProgram, pollux_command
from tests.waiting import until

pytestmark = pytest.mark.slow


def place(terminal: TerminalProgram) -> int:
    """The number of the chosen message in the reader."""
    match = re.search(r"(\d+)/\d+ · as it happened", terminal.text)
    return int(match[1]) if match else 0


def test_open_search_read_copy_and_leave(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command(), env, home) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.send("germination")
        terminal.until("found")
        terminal.until("germination trials")
        terminal.send("\r")
        terminal.until("as it happened")
        opened = place(terminal)
        terminal.send("p")
        terminal.until(lambda: place(terminal) > opened)
        terminal.send("y")
        terminal.until("copied through the terminal")
        start = terminal.written.rindex(b"\x1b]52;c;") + 7
        copied = base64.b64decode(terminal.written[start : terminal.written.index(b"\a", start)]).decode()
        assert copied.strip()
        terminal.send("q")
        terminal.until("found")
        assert "❯ germination" in terminal.text
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert terminal.settings()[:4] == before[:4]
        assert "germination trials · pollux resume d80997e6" in terminal.text
        assert terminal.written.rindex(b"\x1b[?1049l") > terminal.written.rindex(b"\x1b[?1049h")


def test_resume_lends_the_terminal_to_the_agent_and_comes_back(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command(), {**env, "NO_COLOR": "1"}, home, 100, 30) as terminal:
        terminal.until("15 sessions")
        terminal.send("germination")
        terminal.until("1 found")
        terminal.send("\x12")  # Ctrl+R
        terminal.until("Go on in Claude Code")
        terminal.until("--resume")
        terminal.until("copy the command")
        terminal.send("\r")
        terminal.until("STAND-IN")
        shown = terminal.text.replace("\n", "")
        assert "--resume d80997e6-0e9e-4ce2-99f8-6b4631a4696f" in shown
        assert str(home / "code" / "seedbank") in shown
        assert "NO_COLOR=[1]" in shown
        terminal.send("hello\n")
        terminal.until("Back from Claude Code.")
        assert "❯ germination" in terminal.text
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_an_agent_that_is_killed_leaves_nothing_behind(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Neither its modes nor its screen; and a shell would not find them itself, as only pollux ends for it."""
    (tmp_path / "bin" / "claude").write_text(
        "#!/bin/sh\nstty raw -echo\nprintf '\\033[?1049h\\033[?1002h\\033[?1h\\033[?25l\\033=RUDE'\nkill -9 $$\n"
    )
    with TerminalProgram(pollux_command(), env, home, 100, 30) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.send("germination")
        terminal.until("1 found")
        terminal.send("\x12")  # Ctrl+R
        terminal.until("copy the command")
        terminal.send("\r")
        terminal.until("It was ended by SIGKILL.")
        terminal.send("\x03")
        left_as_it_was(terminal, before)
        assert terminal.written.rindex(b"\x1b>") > terminal.written.rindex(b"\x1b=")


def test_a_hand_over_is_shown_first_and_then_written_and_started(env: dict[str, str], home: Path) -> None:
    sessions = home / ".codex" / "sessions"
    before = set(sessions.rglob("*.jsonl"))
    with TerminalProgram(pollux_command(), env, home, 100, 40) as terminal:
        terminal.until("15 sessions")
        terminal.send("germination")
        terminal.until("1 found")
        terminal.send("\x07")  # Ctrl+G
        terminal.until("Hand over to")
        terminal.until("Codex CLI")
        terminal.send(re.findall(r"(\d)  Codex CLI", terminal.text)[0])
        terminal.until("carried")
        terminal.until("write it and go on")
        assert set(sessions.rglob("*.jsonl")) == before
        terminal.send("\r")
        terminal.until("STAND-IN")
        (new,) = set(sessions.rglob("*.jsonl")) - before
        assert f"resume {new.stem[-36:]}" in terminal.text.replace("\n", "")
        terminal.send("hello\n")
        terminal.until("Back from Codex CLI.")
        terminal.until("❯ germination")
        terminal.until("2 found")  # the hand-over stands below its origin
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_bytes_that_are_no_text(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command(), env, home) as terminal:
        terminal.until("15 sessions")
        terminal.send(b"caf\xe9")
        terminal.send(b"\x1b[200~ \xff\xc3 tide\x1b[201~")
        terminal.until("❯ caf\ufffd \ufffd\ufffd tide")
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_nobody_goes_on_with_the_sample(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("tui", "--sample"), env, home, 100, 30) as terminal:
        terminal.until("bundled sample")
        for key in ("\x12", "\x06", "\r"):
            terminal.send(key)
            if key != "\r":
                terminal.until("The bundled sample is invented and read-only: no agent can go on with it.")
        terminal.until("as it happened")
        terminal.send("R")
        terminal.until("The bundled sample is invented and read-only: no agent can go on with it.")
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_a_closed_terminal_ends_it(env: dict[str, str], home: Path) -> None:
    program = TerminalProgram(pollux_command(), env, home)
    program.until("15 sessions")
    os.close(program._file)
    end = time.monotonic() + 30
    while os.waitpid(program.child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(program.child, signal.SIGKILL)
            pytest.fail("it lives on without a terminal")
        time.sleep(0.05)


def test_a_terminal_that_is_gone_ends_it_without_a_signal(env: dict[str, str], home: Path) -> None:
    """A process that the terminal does not control gets no signal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(pollux_command(), env=env, cwd=home, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while b"sessions" not in shown:
            shown += os.read(ours, 65536)
        os.close(ours)
        assert process.wait(SECONDS) == 128 + signal.SIGHUP


def test_without_a_cache_the_sessions_appear(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "cache")
    with TerminalProgram(pollux_command(), env, home) as terminal:
        terminal.until("15 sessions")
        terminal.until("The tides of Port Lune")
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_no_history_says_where_pollux_looked(env: dict[str, str], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with TerminalProgram(pollux_command(), {**env, "HOME": str(empty)}, empty) as terminal:
        terminal.until("No sessions were found.")
        terminal.until("looked in")
        terminal.send("\x03")
        assert terminal.wait() == 0


def test_a_dumb_terminal_gets_the_list(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command(), {**env, "TERM": "dumb"}, home) as terminal:
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.written
        assert "germination trials" in terminal.text


def test_line_by_line(env: dict[str, str], home: Path) -> None:
    named = pollux_command("mark", "d80997e6", "--name", "my own trials")
    subprocess.run(named, env=env, check=True, capture_output=True)
    strict = {"TERM": "dumb", "PYTHONIOENCODING": "utf-8:strict"}  # as in most locales
    with TerminalProgram(pollux_command("tui", "--plain"), {**env, **strict}, home) as terminal:
        terminal.until("pollux>")
        terminal.send(b"caf\xe9\n")
        terminal.until("0 found.")
        terminal.send("germination\n")
        terminal.until("1. my own trials, claude, ")
        terminal.send("1\n")
        terminal.until("You  ")
        terminal.send("\x04")
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.written
        assert terminal.written.endswith(b"pollux> \r\n")


def test_line_by_line_there_is_more(env: dict[str, str], home: Path) -> None:
    """What was written keeps its number."""
    script = """
import sys
from pollux.cli import main
from pollux.tui import plain
class Few(plain.Question):
    def __new__(cls, text="", hits=2): return super().__new__(cls, text, hits=hits)
plain.Question = Few
sys.argv = ["pollux", "tui", "--plain"]
main()
"""
    with TerminalProgram([sys.executable, "-c", script], {**env, "TERM": "dumb"}, home, 100, 200) as terminal:
        terminal.until("pollux>")
        terminal.send("the\n")
        terminal.until("Enter for more.")
        assert "The best 2 found." in terminal.text
        terminal.send("\n\n\n\n")
        terminal.until("\n11. ")
        found = terminal.text.partition("The best 2 found.")[2]
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", found, re.MULTILINE)]
        assert numbers == [*range(1, len(numbers) + 1)]
        terminal.send("q\n")
        assert terminal.wait() == 0


class TestPick:
    def test_it_prints_what_was_chosen_and_leaves_no_trace(self, env: dict[str, str], home: Path) -> None:
        script = f'echo before; X=$({" ".join(pollux_command("pick", "--agent", "claude", "--id"))}); echo "<$X> $?"'
        with TerminalProgram(["/bin/sh", "-c", script], env, home) as terminal:
            before = terminal.settings()
            terminal.until("❯")
            terminal.send("germination")
            terminal.until("germination trials")
            terminal.send("\r")
            terminal.until("> 0")
            assert terminal.wait() == 0
            assert terminal.text.split() == ["before", "<d80997e6-0e9e-4ce2-99f8-6b4631a4696f>", "0"]
            assert terminal.settings()[:4] == before[:4]

    @pytest.mark.parametrize("key", ["\x1b", "\x03"])
    def test_leaving_it_prints_nothing(self, env: dict[str, str], home: Path, key: str) -> None:
        script = f'X=$({" ".join(pollux_command("pick"))}); echo "<$X> $?"'
        with TerminalProgram(["/bin/sh", "-c", script], env, home) as terminal:
            terminal.until("germination trials")
            terminal.send(key)
            terminal.until("<> 1")
            assert terminal.wait() == 0

    def test_enter_waits_for_the_answer_to_what_was_typed(self, env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command("pick", "--command"), env, home) as terminal:
            terminal.until("germination trials")
            terminal.send("germination\r")
            assert terminal.wait() == 0
            assert "&& claude --resume d80997e6-0e9e-4ce2-99f8-6b4631a4696f" in terminal.text.replace("\n", "")

    def test_it_moves_and_shrinks_with_the_window(self, env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command("pick", "--path"), env, home) as terminal:
            terminal.until("germination trials")
            terminal.send("\x1b[B\x1b[B\x1b[A")
            terminal.resize(30, 6)
            terminal.send("x\x7f\x1b[6~\x1b[5~\r")
            assert terminal.wait() == 0
            assert ".jsonl" in terminal.text.replace("\n", "")


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_copying_through_tmux(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    tmux = ["tmux", "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]
    inside = " ".join(pollux_command())
    subprocess.run([*tmux, "new-session", "-d", "-x", "90", "-y", "30", inside], env=env, cwd=home, check=True)
    try:
        until(lambda: "15 sessions" in _captured(tmux))
        subprocess.run([*tmux, "send-keys", "C-y"], check=True)
        until(lambda: "copied through tmux" in _captured(tmux))
        buffer = subprocess.run([*tmux, "show-buffer"], capture_output=True, text=True, check=True).stdout
        assert buffer.startswith("gemini:")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def _captured(tmux: list[str]) -> str:
    return subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False).stdout


def test_the_sample_says_what_it_is(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "nobody").mkdir()
    env = {**env, "HOME": str(tmp_path / "nobody")}
    with TerminalProgram(pollux_command("--or-sample"), env, tmp_path, 120, 30) as terminal:
        terminal.until("15 sessions")
        terminal.until("This is the bundled sample, not your own history.")
        terminal.send("\r")
        terminal.until("as it happened")
        terminal.send("\x03")
        assert terminal.wait() == 0
        assert " · pollux --sample show " in terminal.text
    with TerminalProgram(pollux_command("--sample", "tui", "--plain"), env, tmp_path) as terminal:
        terminal.until("This is the bundled sample, not your own history.")
        terminal.until("pollux>")
