"""Paths as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux import Library
from pollux.system.named_path import named_path

VARIABLES = ["CLAUDE_CONFIG_DIR", "CLAUDE_PROJECTS_DIR", "CODEX_HOME", "CODEX_SESSIONS_DIR", "COPILOT_HOME"]
VARIABLES += ["GEMINI_CLI_HOME", "POLLUX_GEMINI_DIR", "QWEN_HOME", "QWEN_RUNTIME_DIR", "XDG_DATA_HOME"]


def test_a_home_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/juno")
    assert named_path("~/code") == Path("/home/juno/code")
    assert named_path("code/~") == Path("code/~")
    assert named_path("~nobody-here/code") == Path("~nobody-here/code")


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_that_names_the_home_of_nobody(tmp_path: Path, variable: str) -> None:
    library = Library({"HOME": str(tmp_path), variable: "~nobody-here/x"}, tmp_path, hunt=False)
    assert len(library.homes.roots()) > 0
