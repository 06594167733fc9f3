"""Folders in folders, hundreds of levels deep: Python's own helpers go into them one frame, or one handle, a level."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import ROOT, Pollux
from tests.cli.session_text import session

THREAD = "0199f2d1-0000-7000-8000-000000000001"


def deep(above: Path, levels: int, name: str, content: str) -> str:
    """A file so many levels below a folder, and its path. The path may be longer than the system takes at once."""
    above.mkdir(parents=True, exist_ok=True)
    folder = os.open(above, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=folder)
    os.write(file, content.encode())
    os.close(file)
    os.close(folder)
    return str(above) + "/d" * levels + f"/{name}"


def rollout(project: str) -> str:
    """A small session as Codex CLI writes it."""
    at = "2026-11-15T05:00:00.000Z"
    meta = {"id": THREAD, "timestamp": at, "cwd": project, "originator": "codex_exec", "cli_version": "0.100.0"}
    record = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello abyss"}]}
    lines = [{"type": "session_meta", "payload": meta}, {"type": "response_item", "payload": record}]
    return "".join(json.dumps({"timestamp": at, **line}) + "\n" for line in lines)


@pytest.fixture
def frugal(empty: Pollux) -> Iterator[Pollux]:
    """A home whose commands have few handles; it is cleared by a program that goes to any depth."""
    empty.handles = 256
    yield empty
    subprocess.run(["rm", "-rf", str(empty.folder)], check=True)


@pytest.mark.parametrize("levels", [400, 1200])
def test_a_session_hundreds_of_levels_deep(frugal: Pollux, levels: int) -> None:
    project = "/home/ada" + "/p" * levels
    name = f"rollout-2026-11-15T05-00-00-{THREAD}.jsonl"
    file = deep(frugal.home / ".codex" / "sessions", levels, name, rollout(project))
    frugal.file("p/chats/session-2026-11-15T05-00-near.json", session("near", "hello shallows"))
    for command in (["list", "--json"], ["search", "abyss", "--json"]):
        (one,) = [one for one in json.loads(frugal(*command).stdout) if one["key"].startswith("codex:")]
        assert one["project"] == project
    files = {one["path"]: one["status"] for one in json.loads(frugal("doctor", "--json").stdout)["files"]}
    assert files[file] == "read"
    for command in (
        ["list"],
        ["doctor"],
        ["projects"],
        ["show", THREAD],
        ["stats"],
        ["archive", "on"],
        ["archive", "verify"],
        ["export", "--all", "--to", "html", "-o", str(frugal.folder / "site")],
        ["export", "--all", "--to", "markdown", "-o", str(frugal.folder / "pages")],
    ):
        result = frugal(*command)
        assert (result.returncode, "went wrong" in result.stderr) == (0, False), (command, result.stderr[:500])
    os.unlink(file)  # noqa: PTH108 (a path of so many parts)
    (document,) = [one for one in json.loads(frugal("list", "--json").stdout) if one["key"].startswith("codex:")]
    assert document["kept"]
    result = frugal("show", THREAD)
    assert (result.returncode, "hello abyss" in result.stdout) == (0, True), result.stderr[:500]


def test_a_path_that_is_too_long_for_the_system_is_told_of(frugal: Pollux) -> None:
    deep(frugal.home / ROOT / "p" / "chats", 2_200, "session-2026-11-15T05-00-far.json", session("far"))
    frugal.file("p/chats/session-2026-11-15T05-00-near.json", session("near", "hello shallows"))
    assert [one["id"] for one in json.loads(frugal("list", "--json").stdout)] == ["near"]
    account = json.loads(frugal("doctor", "--json").stdout)
    assert [one["reason"] for one in account["files"] if one["status"] == "unreadable"] == ["File name too long"]
    assert frugal("doctor", "--strict").returncode == 3
