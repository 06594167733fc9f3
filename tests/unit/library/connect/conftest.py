"""A machine with a home, some agents' folders, and a pollux."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pollux.library.library import Library

COMMAND = str(Path(sys.executable).with_name("pollux"))
FOLDERS = {"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "opencode": ".config/opencode"}


class Machine:
    """A user's home, and a project in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.environ = {"HOME": str(self.home), "PATH": "/nowhere"}

    def have(self, *agents: str) -> None:
        """Have these agents on the machine."""
        for agent in agents:
            self.file(f"{FOLDERS[agent]}/history", "")

    def library(self, **more: str) -> Library:
        return Library({**self.environ, **more}, self.project, hunt=False)

    def file(self, name: str, content: str) -> Path:
        """A file in the home."""
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
        return file

    @property
    def copies(self) -> list[Path]:
        """What is kept."""
        folder = self.home / ".local" / "share" / "pollux" / "replaced"
        return sorted(file for file in folder.glob("*") if not file.name.startswith(".")) if folder.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00Z")
    return Machine(tmp_path)
