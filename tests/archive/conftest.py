"""A home of three agents that changes, and the library that keeps it."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pollux.library.library import Library
from pollux.model import Session, Text, ToolCall

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = sorted(f"{path.parent.parent.name}/{path.parent.name}" for path in CORPUS.glob("*/*/home"))
BEGAN = datetime(2026, 11, 1, 12, tzinfo=UTC)


def spoken_parts(session: Session) -> set[tuple[str, str]]:
    """Every prompt, reply and tool call."""
    parts = set()
    for message in session.messages:
        for part in message.parts:
            if isinstance(part, Text):
                parts.add((session.key, part.text))
            elif isinstance(part, ToolCall):
                parts.add((session.key, f"{part.name} {part.input} {part.output}"))
    return parts


class World:
    """A home, pollux's own folders beside it, and a clock."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        self.environ = {"HOME": str(self.home)}
        self._clock = monkeypatch
        self.day = 0.0
        self.tomorrow()

    def furnish(self, *versions: str) -> None:
        """Put homes of the corpus together into one."""
        for version in versions:
            shutil.copytree(CORPUS / version / "home", self.home, dirs_exist_ok=True, symlinks=True)
            file = CORPUS / version / "env.json"
            for name, value in json.loads(file.read_bytes()).items() if file.exists() else ():
                self.environ[name] = value.replace("{HOME}", str(self.home))

    @property
    def now(self) -> datetime:
        return BEGAN + timedelta(days=self.day)

    def tomorrow(self) -> None:
        self.later(1)

    def later(self, days: float) -> None:
        self.day += days
        self._clock.setenv("POLLUX_NOW", self.now.isoformat())

    def library(self) -> Library:
        places = {f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
        return Library({**self.environ, **places}, self.home, hunt=False)

    def keeping(self) -> Library:
        """A library that keeps, and has just done so."""
        library = self.library()
        library.archive.on()
        library.sync()
        return library

    def transcripts(self) -> list[Path]:
        """The files that hold conversations."""
        library = self.library()
        files = [Path(f.path) for s, r in library.homes.roots() for f in s.find(r.path)]
        return sorted(path for path in files if path.suffix == ".jsonl" and path.name != "history.jsonl")

    def session_files(self) -> list[Path]:
        """Every file that holds a conversation, or a part of one."""
        roles = ("session", "subagent", "agent", "rollout", "chat", "events", "message", "part")
        files = (f for source, root in self.library().homes.roots() for f in source.find(root.path))
        return sorted(Path(f.path) for f in files if f.role in roles or f.path.endswith("/opencode.db"))

    def agent_home(self, file: Path) -> Path:
        """The folder above the one in which an agent keeps its sessions."""
        roots = (root.path for _, root in self.library().homes.roots())
        return next(root.parent for root in roots if root in file.parents)

    def fingerprint(self) -> dict[str, tuple[int, int, int, bytes]]:
        """Everything in the home: names, stat and content."""
        entries = {}
        for place, _, names in os.walk(self.home):
            for name in names:
                path = Path(place, name)
                stat = path.stat()
                entries[str(path)] = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_mode, path.read_bytes())
        return entries


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)
