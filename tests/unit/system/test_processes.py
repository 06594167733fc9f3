"""Real processes, as the system shows them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pollux.system.processes import Process, is_alive, processes


def test_this_process_is_among_them() -> None:
    running = processes()
    if running is None:
        pytest.skip("the system does not show processes")
    own = next(process for process in running if process.pid == os.getpid())
    assert own.folder == os.path.realpath(Path.cwd())
    assert own.words
    assert 0 <= time.time() - own.began < 24 * 3600


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("claude",), "claude"),
        (("claude      ",), "claude"),
        (("/usr/bin/codex", "resume", "id"), "codex"),
        (("/usr/bin/node", "--no-warnings", "/usr/bin/gemini", "--resume"), "gemini"),
        (("node", "/lib/bundle/gemini.js"), "gemini"),
        (("node",), "node"),
        (("vim", "gemini"), "vim"),
        (("",), ""),
    ],
)
def test_the_program_of_a_command_line(words: tuple[str, ...], program: str) -> None:
    assert Process(1, words, "/", 0.0).program == program


@pytest.mark.parametrize(("mode", "writes"), [("a", True), ("r", False), ("r+", True)])
def test_who_writes_to_a_file(tmp_path: Path, mode: str, writes: bool) -> None:
    file = tmp_path / "file"
    file.touch()
    code = f"file = open({str(file)!r}, {mode!r}); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        one = Process(process.pid, (), "/", 0.0)
        assert one.writes_to({os.path.realpath(file)}) is writes
        assert not one.writes_to({str(tmp_path / "other")})
        assert is_alive(process.pid)
        process.stdin.close()
    assert not one.writes_to({os.path.realpath(file)})
    assert not is_alive(process.pid)
