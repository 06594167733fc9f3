"""A session that is cut, deleted and restored while it is open, in a real terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.judging import left_as_it_was
from tests.tui.terminal import TerminalProgram, pollux_command

pytestmark = pytest.mark.slow


def test_a_session_is_cut_deleted_and_restored(env: dict[str, str], home: Path) -> None:
    (file,) = home.rglob("d80997e6*.jsonl")
    content = file.read_bytes()
    lines = content.splitlines(keepends=True)
    with TerminalProgram(pollux_command("tui", "germination"), env, home, 100, 30) as terminal:
        before = terminal.settings()
        terminal.until("1 found")
        terminal.send("\r")
        terminal.until("as it happened")
        terminal.press("G")
        file.write_bytes(b"".join(lines[: len(lines) // 2]))
        terminal.until("The file was cut")
        file.unlink()
        terminal.until("gone")
        assert "as it happened" in terminal.text
        file.write_bytes(content)
        terminal.until("new message")
        for key in ("g", "G", "t", "v", "q"):
            terminal.press(key)
        terminal.until("❯ germination")
        terminal.send("\x03")
        left_as_it_was(terminal, before)
        assert b"Traceback" not in terminal.written
