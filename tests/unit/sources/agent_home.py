"""A small home, written as an agent would write it."""

from __future__ import annotations

from pathlib import Path

from pollux.library.library import Filter, Library
from pollux.model import Session


class AgentHome:
    """A home directory in which one agent keeps its files below `base`."""

    def __init__(self, path: Path, base: str) -> None:
        self.path = path
        self._base = path / base

    def write(self, place: str, text: str | bytes) -> Path:
        """A file at a place below the agent's folder."""
        file = self._base / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def library(self, cwd: Path | None = None, **environ: str) -> Library:
        """A library that sees nothing but this home."""
        return Library(environ={"HOME": str(self.path), **environ}, cwd=cwd or self.path)

    def sessions(self, **environ: str) -> dict[str, Session]:
        """Every session by id."""
        return {session.id: session for session in self.library(None, **environ).sessions(Filter(everything=True))}

    def only(self) -> Session:
        """The one session there is."""
        (session,) = self.sessions().values()
        return session
