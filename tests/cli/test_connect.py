"""`mcp install` and `skill install` as a person uses them: in a terminal, twice at once, on a full disk."""

from __future__ import annotations

import json
import os
import pty
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.program import Pollux

QUESTION = b"Write it?"
LIMIT = 100_000


def start(pollux: Pollux, *words: str, **more: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pollux", *words]
    return subprocess.Popen(command, env={**pollux.env, "TERM": "xterm", "PAGER": "cat"}, cwd=pollux.home, **more)  # type: ignore[call-overload, no-any-return]


def answer(pollux: Pollux, typed: bytes, *words: str) -> tuple[int, str]:
    """The status and the output of a command in a terminal in which somebody answers its question."""
    ours, theirs = pty.openpty()
    with start(pollux, *words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        output, asked = b"", False
        while piece := _read(ours):
            output += piece
            if not asked and QUESTION in output:
                asked = True
                os.write(ours, typed)
        status = process.wait(timeout=120)
    os.close(ours)
    return status, output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize(("typed", "is_written"), [(b"y\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)])
@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["mcp", "install", "codex"], ".codex/config.toml"),
        (["skill", "install", "claude"], ".claude/skills/pollux/SKILL.md"),
    ],
)
def test_in_a_terminal_it_asks(empty: Pollux, words: list[str], file: str, typed: bytes, is_written: bool) -> None:
    status, shown = answer(empty, typed, *words)
    assert shown.index(file) < shown.index("Write it?")
    assert (empty.home / file).exists() == is_written
    assert (status == 0) == is_written
    assert "Traceback" not in shown
    if is_written:
        status, shown = answer(empty, b"", *words)
        assert (status, "has it already" in shown, "Write it?" in shown) == (0, True, False)


def test_a_file_in_one_long_line_is_not_shown_as_a_whole(empty: Pollux) -> None:
    (empty.home / ".claude.json").write_text(json.dumps({"history": ["x" * 50] * 1000}))
    told = empty("mcp", "install", "claude")
    assert '  +    "pollux": {' in told.stdout
    assert len(told.stdout) < 2000
    empty("mcp", "install", "claude", "--yes")
    told = empty("mcp", "install", "claude", "--remove")
    assert '  -    "pollux": {' in told.stdout
    assert len(told.stdout) < 2000


def test_control_characters_in_settings_are_shown(empty: Pollux) -> None:
    entry = {"command": "npx\x1b[2J", "args": ["\u202e"]}
    (empty.home / ".claude.json").write_text(json.dumps({"mcpServers": {"pollux": entry}}, ensure_ascii=False))
    told = empty("mcp", "install", "claude")
    assert not set("\x1b\u202e") & set(told.stdout)
    told = empty("mcp", "doctor")
    assert told.returncode == 1
    assert not set("\x1b\u202e") & set(told.stdout)


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_many_at_once_leave_one_entry(empty: Pollux, agent: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda _: start(empty, "mcp", "install", agent, "--yes", stdout=-3).wait(120), range(4)))
    assert ends == [0, 0, 0, 0]
    assert "has it already" in empty("mcp", "install", agent).stdout
    assert list((empty.folder / "xdg" / "data" / "pollux" / "replaced").glob("2*")) == []


def test_a_full_disk_leaves_the_file_as_it_was(empty: Pollux) -> None:
    file = empty.home / ".claude.json"
    file.write_text(json.dumps({"history": ["x" * 50] * 5000}, indent=2))
    before = file.read_bytes()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))  # noqa: E731
    with start(empty, "mcp", "install", "claude", "--yes", stdout=-3, stderr=-1, preexec_fn=limit) as process:
        _, said = process.communicate(timeout=120)
    assert process.returncode == 5
    assert b"cannot be written" in said
    assert b"Nothing was written" in said
    assert file.read_bytes() == before
    assert [path.name for path in empty.home.iterdir()] == [".claude.json"]


@pytest.mark.parametrize("content", ['{"mcpServers": ', "\x00", '{"mcpServers": {"pollux": 3}, }'])
def test_a_broken_file_is_a_sentence(empty: Pollux, content: str) -> None:
    (empty.home / ".claude.json").write_text(content)
    for words in (["mcp", "install", "claude", "--yes"], ["mcp", "install", "all", "--remove", "--yes"]):
        told = empty(*words)
        assert (told.returncode, told.stdout) == (5, "")
        assert ".claude.json is not valid JSON" in told.stderr
        assert "Nothing was written" in told.stderr
    told = empty("mcp", "doctor")
    assert told.returncode == 1
    assert "is not valid JSON" in told.stdout
    assert (empty.home / ".claude.json").read_text() == content
