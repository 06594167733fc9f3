"""Files that are no files, cannot be opened, come and go, or have impossible names."""

from __future__ import annotations

import builtins
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux import Library
from pollux.errors import Unreadable
from pollux.sources.base import SourceContext
from tests.properties.small import BAD, EVERYTHING, GOOD, Small, conversation, header, lines, prompt, reply


@pytest.fixture
def small(tmp_path: Path) -> Small:
    return Small(tmp_path)


def test_folder_instead_of_a_file(small: Small) -> None:
    small.bad.mkdir()
    (small.bad / "inner").write_text("{}")
    assert set(small.listed(small.library())) == GOOD
    with pytest.raises(Unreadable, match="folder"):
        small.library().session(str(small.bad))


def test_dangling_symlink(small: Small) -> None:
    small.bad.symlink_to(small.home / "nowhere")
    assert small.read_bad() is None
    status, reason = small.line_of_bad()
    assert status == "unreadable"
    assert reason


def test_looping_symlink(small: Small) -> None:
    small.bad.symlink_to(small.bad)
    assert small.read_bad() is None
    status, reason = small.line_of_bad()
    assert status == "unreadable"
    assert reason


def test_folder_that_leads_back(small: Small) -> None:
    (small.root / "garden" / "chats" / "again").symlink_to(small.root)
    (small.root / "circle").symlink_to(small.root)
    assert set(small.listed(small.library())) == GOOD


def test_pipe(small: Small) -> None:
    os.mkfifo(small.bad)
    assert small.read_bad() is None
    assert small.line_of_bad() == ("unreadable", "not a regular file")


def _refusing(path: Path) -> Callable[..., Any]:
    """`open` as somebody without permission has it."""
    opened = builtins.open

    def refuse(file: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(file, int) and os.fsencode(file) == os.fsencode(path):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(file, *arguments, **named)

    return refuse


def test_no_permission(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    library = small.library()
    with monkeypatch.context() as patch:
        # For root every file is readable, so the refusal is played.
        patch.setattr(builtins, "open", _refusing(small.bad))
        rows = {summary.summary.id for summary in library.list(EVERYTHING)}
        line = next(line for line in library.doctor().files if line.path == str(small.bad))
        with pytest.raises(Unreadable, match="Permission denied"):
            library.session(str(small.bad))
    assert rows == GOOD
    assert line.status == "unreadable"
    assert "Permission denied" in (line.reason or "")


def test_no_permission_for_a_folder(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = small.root / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refuse(path: Any = ".") -> Any:
        if os.fsencode(path) == os.fsencode(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scandir(path)

    library = small.library()
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        rows = {summary.summary.id for summary in library.list(EVERYTHING)}
        lines_ = {line.path: line for line in library.doctor().files}
    assert rows == GOOD
    assert lines_[str(closed)].status == "unreadable"


def _gemini(library: Library) -> tuple[Any, Any]:
    return next((source, root) for source, root in library.homes.roots() if source.name == "gemini")


def _source_and_bundles(library: Library) -> tuple[Any, list[Any]]:
    source, root = _gemini(library)
    return source, source.bundles(root.path, list(source.find(root.path)), SourceContext())


def test_file_vanishes_after_it_was_found(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    source, bundles = _source_and_bundles(small.library())
    small.bad.unlink()
    assert {session.id for bundle in bundles for session in source.read(bundle).sessions} == GOOD


def test_file_vanishes_before_it_is_grouped(small: Small) -> None:
    small.bad.write_bytes(b" " * 10 + lines(*conversation(BAD)))
    library = small.library()
    source, root = _gemini(library)
    files = list(source.find(root.path))
    small.bad.unlink()
    bundles = source.bundles(root.path, files, SourceContext())
    assert {session.id for bundle in bundles for session in source.read(bundle).sessions} == GOOD


def test_folder_vanishes_after_it_was_found(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    source, bundles = _source_and_bundles(small.library())
    for path in sorted(small.root.glob("garden/**/*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert {session.id for bundle in bundles for session in source.read(bundle).sessions} == {sorted(GOOD)[2]}


def test_file_becomes_a_folder(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    source, bundles = _source_and_bundles(small.library())
    small.bad.unlink()
    small.bad.mkdir()
    assert {session.id for bundle in bundles for session in source.read(bundle).sessions} == GOOD


def test_file_grows_after_it_was_found(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    source, bundles = _source_and_bundles(small.library())
    with small.bad.open("ab") as out:
        out.write(lines(prompt(5, "And leeks?"), reply(6, "In April.")) + b'{"id": "m7", "ty')
    session = next(session for bundle in bundles for session in source.read(bundle).sessions if session.id == BAD)
    assert [message.text for message in session.prompts][-1] == "And leeks?"
    assert "line.torn" in {notice.code for notice in session.notices}


def test_file_grows_while_it_is_read(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)))
    opened = builtins.open
    grown = 0

    def growing(file: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal grown
        if not isinstance(file, int) and os.fsencode(file) == os.fsencode(small.bad) and grown < 20:
            grown += 1
            with opened(small.bad, "ab") as out:
                out.write(lines(prompt(10 + grown, f"Question {grown}?")))
        return opened(file, *arguments, **named)

    library = small.library()
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", growing)
        results = {session.id: session for session in library.sessions(EVERYTHING)}
    assert results.keys() == {*GOOD, BAD}
    assert len(results[BAD].prompts) >= 2


def test_name_that_is_not_utf8(small: Small) -> None:
    small.bad = Path(os.fsdecode(os.fsencode(small.chats) + b"/session-2026-03-02T10-00-\xff\xfe\x80.jsonl"))
    small.bad.write_bytes(lines(*conversation(BAD)))
    session = small.read_bad()
    assert session is not None
    assert session.files[0].encode("utf-8")
    assert small.line_of_bad()[0] == "read"


def test_name_that_is_not_utf8_and_no_id(small: Small) -> None:
    small.bad = Path(os.fsdecode(os.fsencode(small.chats) + b"/session-\xff.jsonl"))
    small.bad.write_bytes(lines(prompt(1, "Who am I?"), reply(2, "Nobody.")))
    session = small.read_bad()
    assert session is not None
    assert session.key.encode("utf-8")


def test_project_that_is_not_utf8(small: Small) -> None:
    (small.root / "garden" / ".project_root").write_bytes(b"/home/mia/g\xe4rten")
    assert len(small.library().list(EVERYTHING)) == 3


COMMANDS = ("list", "list --all", f"show {BAD}", f"show {BAD} --full", "projects", "doctor")


@pytest.mark.parametrize("command", COMMANDS)
def test_terminal_escapes_never_reach_a_terminal(small: Small, command: str) -> None:
    evil = "\x1b]0;owned\x07\x1b[2Jhello\x9b31m\x08\x7f"
    folder = small.root / "evil"
    (folder / "chats").mkdir(parents=True)
    (folder / ".project_root").write_text(f"/home/mia/{evil}")
    first = {**header(BAD), "summary": evil, "projectHash": None}
    call = {"id": evil, "name": evil, "args": {evil: evil}, "status": "success", "result": evil, "resultDisplay": evil}
    turn = {**reply(2, evil), "model": evil, "thoughts": [{"subject": evil, "description": evil}], "toolCalls": [call]}
    note = {"id": "m3", "timestamp": "2026-03-01T10:00:03.000Z", "type": "error", "content": evil}
    (folder / "chats" / small.bad.name).write_bytes(lines(first, prompt(1, evil), turn, note))
    output = _in_a_terminal(small, command.split())
    assert b"\x1b]0;owned" not in output
    assert b"\x1b[2J" not in output
    assert b"\xc2\x9b31m" not in output
    assert b"\x08" not in output
    assert b"\x07" not in output


def _in_a_terminal(small: Small, command: list[str]) -> bytes:
    """What the program sends to a terminal."""
    outer, inner = pty.openpty()
    environ = {**small.environ, "TERM": "xterm-256color", "PAGER": "cat", "COLUMNS": "100"}
    program = [sys.executable, "-m", "pollux", *command]
    with subprocess.Popen(program, env=environ, cwd=small.home, stdin=inner, stdout=inner, stderr=inner) as run:
        os.close(inner)
        output = bytearray()
        while True:
            try:
                piece = os.read(outer, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            output += piece
        run.wait(30)
    os.close(outer)
    assert run.returncode == 0, bytes(output)
    return bytes(output)
