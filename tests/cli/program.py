"""Starting pollux as a person would, in a home of its own and an environment that never changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests import program

CORPUS = Path(__file__).parent.parent / "corpus" / "gemini"
ROOT = Path(".gemini") / "tmp"


class Pollux:
    """pollux in one home."""

    def __init__(self, folder: Path, version: str | None = None) -> None:
        self.home = folder / "home"
        self.folder = folder
        self.handles: int | None = None
        if version is None:
            self.home.mkdir()
        else:
            shutil.copytree(CORPUS / version / "home", self.home)
        self.env = {
            "HOME": str(self.home),
            "PYTHONPATH": program.SOURCE,
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "POLLUX_BACKGROUND": "0",
            "POLLUX_NOW": "2026-11-15T12:00:00Z",
            **{f"XDG_{name}_HOME": str(folder / "xdg" / name.lower()) for name in ("CACHE", "CONFIG", "DATA")},
        }

    def __call__(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        own = {**self.env, **env}
        return program.run(*arguments, env=own, cwd=self.home, errors="surrogateescape", handles=self.handles)

    def file(self, path: str, content: str | bytes) -> Path:
        """Put a file under the home's root."""
        file = self.home / ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file
