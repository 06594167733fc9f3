"""Commands are recognised by their programs."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.library.brief.shell import commits, is_test, shell_command
from tests.unit.library.brief.made import call


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"cmd": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ({"command": ["/bin/zsh", "-c", "ls"]}, "ls"),
        ({"command": ["git", "commit", "-m", "x y"]}, "git commit -m x y"),
        ("ls", "ls"),
        ({"chars": "q"}, None),
        ({"command": [1]}, None),
        (None, None),
    ],
)
def test_the_command_of_a_call(given: Any, command: str | None) -> None:
    assert shell_command(call("shell", given)) == command


def test_only_a_shell_runs_commands() -> None:
    assert shell_command(call("edit", {"command": "ls"})) is None


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cd x && .venv/bin/pytest tests",
        "PYTHONPATH=src python3 -m pytest",
        "npm test",
        "npm run test:unit",
        "cargo test --all",
        "go test ./...",
        "make -j4 check",
        "timeout 60 uv run pytest",
        "npx vitest run",
    ],
)
def test_tests(command: str) -> None:
    assert is_test(command)


@pytest.mark.parametrize("command", ["cat pytest.ini", "echo pytest", "make", "npm install", "git log --grep test", ""])
def test_no_tests(command: str) -> None:
    assert not is_test(command)


def test_commits() -> None:
    assert commits("git add -A && git commit -m x")
    assert commits("git -c user.name=a commit")
    assert not commits("git log; echo git commit")
