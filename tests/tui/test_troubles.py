"""The terminal UI in trouble: signals, windows of any size, homes and caches that cannot be used."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.cli.app import BUG
from pollux.library.sample import HOME
from tests.tui.driving import environment
from tests.tui.judging import left_as_it_was, left_on, steering
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow

LEAVE = "\x03"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return Path(shutil.copytree(HOME, tmp_path / "home"))


@pytest.fixture
def env(tmp_path: Path, home: Path) -> dict[str, str]:
    variables = {**environment(home, tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run(pollux_command("sync"), env=variables, check=True, capture_output=True)
    return {**variables, "TERM": "xterm-256color", "LANG": "C.UTF-8"}


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[None]:
    """Pollux's own folders, which nobody may write into."""
    folders = [tmp_path / "cache", *(file for file in (tmp_path / "cache").rglob("*") if file.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield
    for folder in folders:
        folder.chmod(stat.S_IRWXU)


def children(process: int) -> set[int]:
    """The processes that a process has started."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.add(int(file.parent.name))
    return found


class TestSignals:
    @pytest.mark.parametrize("where", ["list", "reader"])
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_to_end(self, env: dict[str, str], home: Path, number: signal.Signals, where: str) -> None:
        with TerminalProgram(pollux_command(), env, home) as terminal:
            before = terminal.settings()
            terminal.until("15 sessions")
            if where == "reader":
                terminal.send("\r")
                terminal.until("as it happened")
            os.kill(terminal.child, number)
            left_as_it_was(terminal, before, 128 + number)

    def test_to_end_while_picking(self, env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command("pick"), env, home) as terminal:
            before = terminal.settings()
            terminal.until("germination")
            os.kill(terminal.child, signal.SIGTERM)
            left_as_it_was(terminal, before, 128 + signal.SIGTERM)

    def test_ctrl_c_at_any_moment(self, env: dict[str, str], home: Path) -> None:
        # What Python does before pollux begins may show a traceback, or drop the interruption.
        begun = "import os, signal; from pollux.cli import main; os.write(1, b'*'); main()"
        moments = random.Random(4)
        for _ in range(12):
            with TerminalProgram([sys.executable, "-c", begun], env, home) as terminal:
                before = terminal.settings()
                terminal.until(lambda: b"*" in terminal.written)
                end = time.monotonic() + moments.uniform(0, 1.2)
                while time.monotonic() < end:
                    terminal._take()
                started = b"\x1b[?1049h" in terminal.written
                terminal.send(LEAVE)
                assert terminal.wait() in ({0} if started else {0, 130, -signal.SIGINT})
                assert b"Traceback" not in terminal.written
                assert left_on(terminal.written) == []
                assert terminal.settings()[:4] == before[:4]

    def test_a_closed_terminal_leaves_nothing_behind(self, env: dict[str, str], home: Path) -> None:
        for keys in ("", "\r"):
            program = TerminalProgram(pollux_command(), {**env, "POLLUX_BACKGROUND": "1"}, home)
            program.until("15 sessions")
            program.send(keys)
            program.settle()
            started = children(program.child)
            os.close(program._file)
            end = time.monotonic() + 30
            while os.waitpid(program.child, os.WNOHANG) == (0, 0):
                assert time.monotonic() < end, "it lives on without a terminal"
                time.sleep(0.05)
            while any(Path(f"/proc/{one}").exists() for one in started):
                assert time.monotonic() < end, "what it started lives on"
                time.sleep(0.05)


class TestWindows:
    def test_all_sizes_while_reading(self, env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command("tui"), env, home, 20, 5) as terminal:
            before = terminal.settings()
            terminal.until("❯")
            terminal.press("\r")
            for size in ((200, 60), (20, 5), (1, 1), (2, 2), (112, 30), (5, 20), (60, 10), (80, 24)):
                terminal.resize(*size)
                terminal.press("dJ")
            terminal.until("as it happened")
            terminal.send(LEAVE)
            left_as_it_was(terminal, before)

    @pytest.mark.parametrize("is_early", [True, False])
    def test_no_colour_at_all(self, env: dict[str, str], home: Path, is_early: bool) -> None:
        with TerminalProgram(pollux_command(), {**env, "NO_COLOR": "1"}, home) as terminal:
            before = terminal.settings()
            terminal.until("15 sessions")
            if not is_early:
                terminal.until(lambda: "looking …".encode() in terminal.written)
                terminal.settle()
            cells = [cell for line in terminal.screen.buffer.values() for cell in line.values()]
            terminal.send(LEAVE)
            left_as_it_was(terminal, before)
            assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}
            assert any(cell.reverse and cell.data != " " for cell in cells)

    def test_without_a_terminal_the_list_is_printed(self, env: dict[str, str], home: Path) -> None:
        done = subprocess.run(
            pollux_command(), env=env, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0
        assert "germination" in done.stdout
        assert "\x1b" not in done.stdout

    def test_picking_without_a_terminal_is_refused(self, env: dict[str, str], home: Path) -> None:
        done = subprocess.run(
            pollux_command("pick"),
            env=env,
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        assert done.returncode == 2
        assert "needs a terminal" in done.stderr
        assert done.stdout == ""


class TestPlaces:
    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    @pytest.mark.usefixtures("unwritable")
    def test_a_cache_that_cannot_be_written(self, env: dict[str, str], home: Path) -> None:
        self.opens(env, home)

    def test_a_cache_that_is_no_folder(self, env: dict[str, str], home: Path, tmp_path: Path) -> None:
        shutil.rmtree(tmp_path / "cache")
        (tmp_path / "cache").write_text("a file")
        with TerminalProgram(pollux_command(), env, home) as terminal:
            before = terminal.settings()
            terminal.until("search everything")
            terminal.send(LEAVE)
            assert terminal.wait() in {0, 2, 3}
            assert b"Traceback" not in terminal.written
            assert left_on(terminal.written) == []
            assert terminal.settings()[:4] == before[:4]

    def test_a_home_that_is_no_folder(self, env: dict[str, str], tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        for name in (".gemini", ".claude", ".codex"):
            (other / name).write_text("a file")
        fresh = {**env, **environment(other, tmp_path / "fresh"), "PATH": env["PATH"]}
        with TerminalProgram(pollux_command(), fresh, other) as terminal:
            before = terminal.settings()
            terminal.until("No sessions")
            terminal.send(LEAVE)
            left_as_it_was(terminal, before)

    def test_a_cache_that_is_cleared_and_built_by_others(self, env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command(), env, home) as terminal:
            before = terminal.settings()
            terminal.until("15 sessions")
            for _ in range(2):
                for command in (["cache", "clear"], ["sync"]):
                    subprocess.run(pollux_command(*command), env=env, check=False, capture_output=True)
                    for key in ("germination", "\x1b[B", "\x1b", "\x1b[15~"):  # F5 looks for new sessions
                        terminal.press(key)
            terminal.until("15 sessions")
            terminal.send(LEAVE)
            left_as_it_was(terminal, before)

    @staticmethod
    def opens(env: dict[str, str], home: Path) -> None:
        with TerminalProgram(pollux_command(), env, home) as terminal:
            before = terminal.settings()
            terminal.until("15 sessions")
            terminal.press("\r")
            terminal.until("as it happened")
            terminal.send(LEAVE)
            left_as_it_was(terminal, before)


def test_the_judge_sees_what_steers() -> None:
    assert steering(b"\x1b[2J\x1b[31m\x1b[3;4H plain \xc3\xa9\x1b[?25l") == []
    for bad in ("\x1b]0;title\x07", "\x1bc", "\x1b[?9h", "\u202e", "\x9b2J", "\x1bPx\x1b\\", "\x1b]52;c;YQ==\x07"):
        assert steering(f"before {bad} after".encode())
    assert left_on(b"\x1b[?1049h\x1b[?25l\x1b[?1049l") == ["25"]


def test_what_goes_wrong_inside_is_told_in_a_sentence(env: dict[str, str], home: Path) -> None:
    script = """
from pollux.cli import main
from pollux.tui.list.acting import Acting
def star(self): secret = "of the session"; raise ValueError("no such luck")
Acting.action_star = star
main()
"""
    with TerminalProgram([sys.executable, "-c", script], env, home) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.send("\x02")
        left_as_it_was(terminal, before, BUG)
        assert "Something went wrong inside pollux (ValueError: no such luck)." in terminal.text
        assert "secret" not in terminal.text


@pytest.mark.parametrize("command", ["tui", "pick"])
def test_what_goes_wrong_in_a_thread_is_told_in_a_sentence(env: dict[str, str], home: Path, command: str) -> None:
    """What answers the search field is a thread of its own."""
    script = f"""
import sys
from pollux.cli import main
from pollux.library.library import Library
def search(*_, **__): raise ValueError("no such luck")
Library.search = search
sys.argv = ["pollux", {command!r}]
main()
"""
    with TerminalProgram([sys.executable, "-c", script], env, home) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.send("tide")
        left_as_it_was(terminal, before, BUG)
        assert "Something went wrong inside pollux (ValueError: no such luck)." in terminal.text


@pytest.mark.parametrize("command", ["", "tui", "pick", "resume", "list", "stats"])
def test_a_present_folder_that_is_gone(env: dict[str, str], home: Path, tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {shlex.join(pollux_command(*command.split()))}"
    with TerminalProgram(["/bin/sh", "-c", script], env, home, 120, 30) as terminal:
        if command in ("", "tui", "pick"):
            terminal.until("germination trials")
            terminal.send("\x03")
        status = terminal.wait()
        assert b"Traceback" not in terminal.written
        assert status == {"resume": 1, "pick": 1}.get(command, 0), terminal.text
        assert command != "resume" or f"No session was held in {gone}." in terminal.text.replace("\n", "")


def test_a_cache_that_cannot_be_made(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with TerminalProgram(
        pollux_command(), {**env, "XDG_CACHE_HOME": str(tmp_path / "file")}, home, 200, 30
    ) as terminal:
        before = terminal.settings()
        terminal.until("cannot be used: Not a directory.")
        terminal.until("`pollux list` and `pollux search` work without it.")
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)


@pytest.mark.parametrize("command", ["tui", "pick"])
def test_where_no_process_can_be_started(env: dict[str, str], home: Path, tmp_path: Path, command: str) -> None:
    """Then pollux reads the sessions itself."""
    script = f"""
import sys
from pollux.cli import main
sys.executable, sys.argv = "/nowhere", ["pollux", "{command}"]
main()
"""
    fresh = {**env, "XDG_CACHE_HOME": str(tmp_path / "fresh")}
    with TerminalProgram([sys.executable, "-c", script], fresh, home, 120, 30) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.until("germination trials")
        terminal.send(LEAVE)
        left_as_it_was(terminal, before, 1 if command == "pick" else 0)


@pytest.mark.parametrize("size", [(80, 24), (0, 0)])
def test_what_variables_say_of_another_window_is_not_believed(
    env: dict[str, str], home: Path, size: tuple[int, int]
) -> None:
    with TerminalProgram(pollux_command(), {**env, "COLUMNS": "200", "LINES": "6"}, home) as terminal:
        before = terminal.settings()
        terminal.resize(*size)
        terminal.screen.resize(24, 80)
        terminal.until("15 sessions")
        terminal.until("F1 keys")
        terminal.settle()
        assert "F1 keys" in terminal.text.splitlines()[23]
        assert terminal.text.count("F1 keys") == 1
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)


def test_errors_that_go_elsewhere_take_no_screen_along(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    line = f"exec {shlex.join(pollux_command())} 2>{shlex.quote(str(errors))}"
    with TerminalProgram(["/bin/sh", "-c", line], env, home) as terminal:
        before = terminal.settings()
        terminal.until("15 sessions")
        terminal.send("\r")
        terminal.until("as it happened")
        terminal.send(LEAVE)
        left_as_it_was(terminal, before)
    assert errors.read_bytes() == b""
