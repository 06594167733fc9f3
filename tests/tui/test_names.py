"""Ids that mean harm to a shell or a terminal, in the command lines that pollux shows, copies and prints."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tui.driving import environment
from tests.tui.judging import left_as_it_was
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow
OPTION, SHELL, CONTROLS = "--dangerously-skip-permissions", "a b;$(touch OWNED)", "esc\x1b]0;PWN\x07\nnl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / ".claude" / "projects" / "-tmp-x"
    folder.mkdir(parents=True)
    for number, (id, words) in enumerate([(OPTION, "dashed"), (SHELL, "spaced"), (CONTROLS, "escaped")]):
        record = {
            "parentUuid": None,
            "uuid": f"{id[:4]}u0",
            "isSidechain": False,
            "type": "user",
            "message": {"role": "user", "content": f"{words} words"},
            "timestamp": f"2026-11-0{number + 1}T10:00:00Z",
            "cwd": str(tmp_path),
            "sessionId": id,
            "version": "2.1.325",
        }
        (folder / f"{id}.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    return tmp_path / "home"


@pytest.fixture
def env(tmp_path: Path, home: Path) -> dict[str, str]:
    variables = {**environment(home, tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
    subprocess.run(pollux_command("sync"), env=variables, check=True, capture_output=True)
    return {**variables, "LANG": "C.UTF-8"}


@pytest.mark.parametrize(("words", "id"), [("dashed", OPTION), ("spaced", SHELL), ("escaped", CONTROLS)])
def test_the_line_on_leaving_and_the_copied_command(
    env: dict[str, str], home: Path, tmp_path: Path, words: str, id: str
) -> None:
    with TerminalProgram(pollux_command(), env, home, 120, 30) as terminal:
        before = terminal.settings()
        terminal.until("3 sessions")
        terminal.send(words)
        terminal.until("1 found")
        terminal.send("\r")
        terminal.until("as it happened")
        terminal.press("p")
        terminal.press("Y")
        terminal.press("c")
        start = terminal.written.rindex(b"\x1b]52;c;") + len(b"\x1b]52;c;")
        copied = base64.b64decode(terminal.written[start : terminal.written.index(b"\a", start)]).decode()
        terminal.send("\x03")
        left_as_it_was(terminal, before, copied=True)
        farewell = terminal.written[terminal.written.rindex(b"\x1b[?1049l") :].decode().rstrip().splitlines()[-1]
    line = farewell[farewell.index("pollux ") :]
    assert shown_by_bash(copied, tmp_path) == ["show", f"claude:{id}", "--at", f"{id[:4]}u0"]
    command, name = shown_by_bash(line, tmp_path)
    assert command == "resume"
    assert f"claude:{id}".startswith(name) if name.startswith("claude:") else id.startswith(name)
    assert not name.startswith("-")


def shown_by_bash(line: str, folder: Path) -> list[str]:
    """What `pollux` gets where somebody pastes a line."""
    bash = shutil.which("bash")
    assert bash is not None
    program = f"pollux() {{ printf '%s\\0' \"$@\"; }}; {line}"
    done = subprocess.run([bash, "-c", program], capture_output=True, check=True, cwd=folder)
    assert not (folder / "OWNED").exists()
    return done.stdout.decode().split("\0")[:-1]


def test_an_id_that_looks_like_an_option_is_not_picked(env: dict[str, str], home: Path) -> None:
    with TerminalProgram(pollux_command("pick", "dashed", "--id"), env, home) as terminal:
        terminal.until("dashed words")
        terminal.send("\r")
        assert terminal.wait() == 2
        assert "looks like an option" in terminal.text
