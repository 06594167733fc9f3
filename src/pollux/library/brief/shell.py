"""Recognises commands in a shell: which a call ran, whether it tests, whether it commits."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pollux.model import ToolCall

_ARGUMENTS = ("command", "cmd", "commands", "script")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_START = r"(?:^|[;&|(\n]|&&|\|\|)\s*(?:\w+=\S*\s+)*(?:sudo\s+|time\s+|timeout\s+\S+\s+|uv run\s+|poetry run\s+|npx\s+)*"
_TEST = re.compile(
    rf"{_START}(?:[\w./~-]*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|bats|"
    r"(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|mix|swift|flutter|dart|rake|make|just|mvn|gradle|gradlew|bazel|sbt|"
    r"zig build|zig|composer|stack|cabal|lein)\s+(?:run\s+)?(?:-\S+\s+)*(?:test|check|nextest)\S*"
    r"|python[\d.]*\s+-m\s+(?:pytest|unittest|nose2?|doctest)|python[\d.]*\s+manage\.py\s+test)\b"
)
_COMMIT = re.compile(rf"{_START}git(?:\s+-[cC]\s+\S+)*\s+commit\b")


def shell_command(call: ToolCall) -> str | None:
    """The command that a call ran in a shell, as people type it; None where it ran none."""
    if call.tool_kind != "execute":
        return None
    if isinstance(call.input, str):
        return call.input
    if not isinstance(call.input, Mapping):
        return None
    for name in _ARGUMENTS:
        value = call.input.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list | tuple) and value and all(isinstance(word, str) for word in value):
            return _typed(list(value))
    return None


def _typed(words: list[str]) -> str:
    """`bash -lc COMMAND` is COMMAND; other words stand side by side."""
    is_shell = len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].startswith("-")
    return words[2] if is_shell else " ".join(words)


def is_test(command: str) -> bool:
    """Does a command run tests, as far as its program tells?"""
    return _TEST.search(command[:2000]) is not None


def commits(command: str) -> bool:
    """Does a command make a git commit?"""
    return _COMMIT.search(command[:2000]) is not None
