"""What a terminal gets to see, which is never what a pipe gets."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.library import sample
from pollux.library.library import Library
from tests.cli.program import CORPUS, Pollux
from tests.cli.session_text import EVIL, harmless, session

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def in_terminal(pollux: Pollux, *arguments: str, **env: str | None) -> str:
    """What pollux writes to a terminal. A variable that is None is not set."""
    ours, theirs = pty.openpty()
    given = {**pollux.env, "NO_COLOR": "", "TERM": "xterm", "PAGER": "cat", **env}
    environ = {name: value for name, value in given.items() if value is not None}
    command = [sys.executable, "-m", "pollux", *arguments]
    with subprocess.Popen(command, env=environ, cwd=pollux.home, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        output = b""
        while piece := _read(ours):
            output += piece
        process.wait(timeout=240)
    os.close(ours)
    return output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end was closed
        return b""


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "evil"],
        ["show", "evil", "--full"],
        ["show", "evil", "--raw"],
        ["export", "evil", "--to", "markdown"],
        ["export", "evil", "--to", "text"],
        ["export", "evil", "--to", "csv"],
        ["export", "evil", "--to", "openai"],
        ["export", "evil", "--to", "json"],
        ["show", "evil", "--json"],
        ["list", "--json"],
        ["list", "--jsonl"],
        ["search", "hello", "--json"],
        ["search", "--regex", "evil", "--json"],
        ["stats", "--by", "session", "--csv"],
        ["doctor", "--json"],
        ["projects"],
        ["doctor", "--all"],
    ],
    ids=" ".join,
)
def test_only_our_own_colours(empty: Pollux, arguments: list[str]) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-evil.json", session("evil", EVIL, EVIL))
    empty.file("p/.project_root", "/home/ada/\x1b]0;red")
    screen = in_terminal(empty, *arguments)
    assert screen
    assert "Traceback" not in screen
    assert harmless(COLOUR.sub("", screen))
    assert "\x1b[31m red" not in screen


def test_a_document_says_the_same_in_a_terminal(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-evil.json", session("evil", EVIL, EVIL))
    for arguments in (["show", "evil", "--json"], ["export", "evil", "--to", "json"], ["list", "--json"]):
        assert json.loads(in_terminal(empty, *arguments)) == json.loads(empty(*arguments).stdout)
    assert "\\u202eevil \\u009b2J" in in_terminal(empty, "show", "evil", "--json")
    assert "\u202eevil \x9b2J" in empty("show", "evil", "--json").stdout


def test_colours_and_a_dumb_terminal(pollux: Pollux) -> None:
    assert COLOUR.search(in_terminal(pollux, "list"))
    for env in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        assert not COLOUR.search(in_terminal(pollux, "list", **env))


def test_the_pager_is_used_and_may_be_left_out(pollux: Pollux) -> None:
    marks = "sed s/^/PAGED/"
    assert "PAGED" in in_terminal(pollux, "show", "last", PAGER=marks)
    assert "PAGED" not in in_terminal(pollux, "show", "last", "--no-pager", PAGER=marks)
    assert "PAGED" not in in_terminal(pollux, "--no-pager", "show", "last", PAGER=marks)
    assert "PAGED" not in in_terminal(pollux, "show", "last", PAGER=marks, TERM="dumb")
    assert "PAGED" not in in_terminal(pollux, "show", "last", PAGER=marks, TERM=None)
    for pager in ("no-such-pager", "'", "", "true"):
        assert "Traceback" not in in_terminal(pollux, "show", "last", PAGER=pager)


def test_a_list_tells_of_what_could_not_be_read(pollux: Pollux) -> None:
    day = pollux.home / ".codex" / "sessions" / "2026" / "11" / "15"
    day.mkdir(parents=True)
    name = "rollout-2026-11-15T06-11-37-01a1ddd5-2ce5-7f91-a235-2086e3ca43ee.jsonl.zst"
    (day / name).write_bytes(b"\x28\xb5\x2f\xfd" + b"broken" * 9)
    screen = COLOUR.sub("", in_terminal(pollux, "list", "-n", "2"))
    assert "2 of ≥14 sessions.\n" in screen
    assert "pollux: 1 session could not be read. Lists may lack sessions" in screen


def test_a_pager_gets_letters_that_the_terminal_has(pollux: Pollux) -> None:
    screen = in_terminal(pollux, "show", "26f2b7db", PAGER="sed s/^/PAGED/", PYTHONIOENCODING="ascii")
    assert "PAGED" in screen
    assert screen.isascii()
    assert "  x run_shell_command" in COLOUR.sub("", screen)


def test_a_pager_opens_at_a_message(pollux: Pollux) -> None:
    pager = pollux.folder / "less"
    pager.write_text('#!/bin/sh\necho "asked: $*"; cat\n')
    pager.chmod(0o755)
    screen = in_terminal(pollux, "show", "26f2b7db", "--at", "4c6c631c", PAGER=str(pager))
    line = int(screen.partition("asked: +")[2].partition("\n")[0])
    assert "▶ 4c6c631c" in COLOUR.sub("", screen.splitlines()[line + 6])
    assert "You" in screen
    other = COLOUR.sub("", in_terminal(pollux, "show", "26f2b7db", "--at", "4c6c631c", PAGER="sed s/^/PAGED/"))
    assert "lines before" in other.splitlines()[1]
    assert "PAGED" in other


def test_the_sample_is_all_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = tmp_path / "home"
    (sessions / ".gemini").mkdir(parents=True)
    (sessions / ".gemini" / "tmp").symlink_to(CORPUS / "0.36.0" / "home" / ".gemini" / "tmp")
    monkeypatch.setattr(sample, "HOME", sessions)
    monkeypatch.setenv("GEMINI_CLI_HOME", str(CORPUS / "0.61.0" / "home"))
    environ, cwd = sample.sample_environment()
    assert len(Library(environ, cwd, hunt=False).list()) == 5
    assert sorted(path.name for path in sessions.iterdir()) == [".gemini"]


@pytest.mark.skipif(not sample.HOME.is_dir(), reason="the sample is not there yet")
def test_the_sample_works(empty: Pollux) -> None:
    for arguments in (["list"], ["show", "last"], ["projects"], ["doctor", "--strict"], ["agents"]):
        result = empty("--sample", *arguments)
        assert result.returncode == 0
        assert result.stdout
        assert result.stderr.splitlines()[0] == "pollux: this is the bundled sample, not your own history."
        assert empty(*arguments, "--sample").stdout == result.stdout
    assert empty("list", "--sample", "--json").stderr == ""


def test_keeping_is_offered_once(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path, "0.61.0")
    assert "`pollux archive on` keeps them, in about" in in_terminal(pollux, "list")
    assert "pollux archive on" not in in_terminal(pollux, "list")


def test_a_mark_is_explained_only_where_it_is_shown(empty: Pollux) -> None:
    wide, narrow = (
        COLOUR.sub("", in_terminal(empty, "--sample", "list", COLUMNS=columns)).replace("\r\n", " ")
        for columns in ("160", "50")
    )
    meaning = "≥ 3 of 15 sessions used more tokens than their files record"
    assert "tokens" in wide.split("title")[1]
    assert meaning in wide
    assert "≥" not in narrow
