"""Projects that are taught, and completion in shells."""

from __future__ import annotations

import pytest

from tests.cli.program import Pollux


def test_a_taught_path_is_not_resolved(empty: Pollux) -> None:
    (empty.home / "real").mkdir()
    (empty.home / "link").symlink_to(empty.home / "real")
    result = empty("projects", "--add", "link")
    assert result.returncode == 0
    assert str(empty.home / "link") in result.stderr
    assert str(empty.home / "link") in (empty.folder / "xdg/data/pollux/projects.json").read_text()


def test_a_memory_that_cannot_be_written(empty: Pollux) -> None:
    result = empty("projects", "--add", "x", XDG_DATA_HOME="/proc/none")
    assert result.returncode == 4


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(empty: Pollux, shell: str) -> None:
    result = empty("completion", shell)
    assert result.returncode == 0
    assert "_POLLUX_COMPLETE" in result.stdout


def complete(pollux: Pollux, *words: str) -> str:
    line = " ".join(["pollux", *words])
    return pollux(_POLLUX_COMPLETE="zsh_complete", COMP_WORDS=line, COMP_CWORD=str(len(words))).stdout


def test_completion(pollux: Pollux) -> None:
    pollux("sync")  # completion waits for little
    assert "26f2b7db-2185-4078-9062-17194e8fbe1b\nAdd a humidity column" in complete(pollux, "show", "26")
    assert "gemini\\:26f2b7db" in complete(pollux, "export", "gemini:26")
    assert "gemini\nGemini CLI" in complete(pollux, "list", "--agent", "g")
    assert "weather" in complete(pollux, "list", "--project", "we")
    assert "markdown" in complete(pollux, "export", "--to", "m")
    assert "doctor" in complete(pollux, "d")
    assert "98dc623f" in complete(pollux, "show", "26f2b7db", "--at", "98")
    assert "thinking" in complete(pollux, "search", "--in", "th")
    assert "weather" in complete(pollux, "search", "--project", "we")


def test_completion_without_a_home(empty: Pollux) -> None:
    empty.home.rmdir()
    empty.home = empty.folder
    for words in (["show", ""], ["list", "--project", "x"], ["list", "--agent", ""]):
        assert "Traceback" not in complete(empty, *words)
