"""Projects that were moved: their history is shown where they are now, and the agents' files stay as they are."""

from __future__ import annotations

import os

from msgspec.structs import replace

from pollux.errors import NotFound, RequestError, StoreError
from pollux.model import Session
from pollux.projects.stored_dict import StoredDict
from pollux.sources.base import Bundle, Reading, Source
from pollux.sources.source_wrapper import SourceWrapper
from pollux.system.directories import Places
from pollux.system.gc_pause import gc_paused
from pollux.text.suggest import did_you_mean

EVIDENCE = "moved"


class Moves:
    """The moves of projects that the user named: the old path and the new one of each."""

    def __init__(self, places: Places) -> None:
        self._table = StoredDict(places.moves)

    @property
    def stamp(self) -> str:
        """A value that changes with every move."""
        return self._table.stamp

    def all(self) -> dict[str, str]:
        """Each move that was not undone."""
        return {old: new for old, new in self._table.all().items() if old != new}

    def now(self, path: str) -> str:
        """Where a folder is now, after all moves of the folder itself and of folders above it."""
        moves = self.all()
        for _ in range(len(moves)):
            above = max(
                (old for old in moves if path == old or path.startswith(old.rstrip("/") + "/")), key=len, default=""
            )
            if not above:
                break
            path = moves[above] + path[len(above) :]
        return path

    def move(self, old: str, new: str) -> tuple[str, str]:
        """Remember a move. Raises `RequestError` for one that leads in a circle."""
        before, after = self.ends(old, new)
        self._store(before, after)
        return before, after

    def ends(self, old: str, new: str) -> tuple[str, str]:
        """The full paths of a move. Raises `RequestError` as `move` does."""
        before, after = folder(old), folder(new)
        if before == after or self.now(after).startswith(before + "/") or self.now(after) == before:
            raise RequestError(f"{old} cannot have been moved to {new}.", "Try: pollux rehome")
        return before, after

    def undo(self, old: str) -> str:
        """Forget a move. Returns its new path."""
        before = folder(old)
        if before not in self.all():
            hint = did_you_mean(old, self.all(), "Try: pollux rehome")
            raise NotFound(f"No project was moved from {old}.", hint)
        after = self.all()[before]
        self._store(before, before)
        return after

    def _store(self, old: str, new: str) -> None:
        try:
            self._table.store(old, new)
        except OSError as error:
            raise StoreError(f"{self._table.file} cannot be written: {error.strerror}.") from error


class MovedSource(SourceWrapper):
    """An agent's source that gives projects their present paths."""

    def __init__(self, source: Source, moves: Moves) -> None:
        super().__init__(source)
        self._moves = moves

    def read(self, bundle: Bundle) -> Reading:
        """Read as the agent's own source does, with the project's present path."""
        with gc_paused():
            reading = self.source.read(bundle)
            return replace(reading, sessions=[self._moved(session) for session in reading.sessions])

    def _moved(self, session: Session) -> Session:
        if session.project is None or (path := self._moves.now(session.project)) == session.project:
            return session
        return replace(session, project=path, project_evidence=EVIDENCE)


def folder(path: str) -> str:
    """A path as a person typed it, in full."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111
