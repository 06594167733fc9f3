"""Projects that an agent names by a hash alone: a late step finds their paths, when all sessions are known.

A source says what its own files tell. What they do not tell, others may: the directories in which other agents worked,
the one that pollux was started in, the folders on the disk. A path is proved when its hash is the project's.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from pollux import registry
from pollux.model import Notice, Session, Severity
from pollux.model.project_hash import project_hash, unsettled_hash
from pollux.projects.disk_search import DiskSearch
from pollux.projects.hashes import ProjectHashes
from pollux.sources.base import Bundle, Reading, Source
from pollux.sources.capabilities import marks_of
from pollux.sources.wrapped import Wrapped
from pollux.system.directories import Places
from pollux.wire import Notes

EVIDENCE = "hash"
_NAME = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def hashes_in(paths: Iterable[str]) -> set[str]:
    """The names of folders above some files that may be hashes of directories."""
    folders = {os.path.dirname(path) for path in paths}  # noqa: PTH120 (`Path` takes long, for thousands of files)
    return {name for folder in folders for name in _NAME.findall(folder)}


class ResolvingSource(Wrapped):
    """An agent's source that knows the paths of hashes."""

    def __init__(self, source: Source, hashes: ProjectHashes) -> None:
        super().__init__(source)
        self._hashes = hashes

    def read(self, bundle: Bundle) -> Reading:
        """As the agent's own, with the paths of projects that are known by their hashes."""
        reading = self.source.read(bundle)
        return replace(reading, sessions=[self._resolved(session) for session in reading.sessions])

    def _resolved(self, session: Session) -> Session:
        digest = unsettled_hash(session.project, session.project_evidence, session.project_hash)
        if digest is None:
            return session
        if (path := self._hashes.path_of(digest)) is not None:
            return replace(session, project=path, project_evidence=EVIDENCE)
        if session.project is None and self._hashes.ended_early(digest):
            return replace(session, notices=(*session.notices, *_ended_early(session)))
        return session


def _ended_early(session: Session) -> tuple[Notice, ...]:
    notes = Notes(next(iter(session.files), None))
    text = "The search for the project's folder ended early: there are too many."
    notes.add("project.search", text, Severity.INFO)
    return notes.all()


class Resolver:
    """Finds the paths that hashes stand for. Without `hunt` it does not search the disk."""

    def __init__(self, hashes: ProjectHashes, places: Places, cwd: Path, *, hunt: bool) -> None:
        self._hashes = hashes
        self._places = places
        self._cwd = cwd
        self._hunt = hunt

    def learn(self, proved: Mapping[str, str]) -> None:
        """Remember the paths that sessions prove, by their hashes."""
        for digest, path in proved.items():
            self._hashes.learn(digest, path)
        self._hashes.save()

    def resolve(self, unsettled: Collection[str], directories: Callable[[], Iterable[str]]) -> set[str]:
        """Those of some hashes of which more is known than before: sessions that have them must be read again.

        `directories` are those in which agents worked.
        """
        if not unsettled:
            return set()
        self._hashes.refresh()
        self._prove(self.unresolved(unsettled), (str(self._cwd), *map(str, self._cwd.parents)))
        self._prove(self.unresolved(unsettled), directories())
        early = self._search(self.unresolved(unsettled)) if self._hunt else set()
        self._hashes.save()
        return {*unsettled} - self.unresolved(unsettled) | early

    def unresolved(self, hashes: Iterable[str]) -> set[str]:
        """Those whose paths are not known."""
        return {digest for digest in hashes if self._hashes.path_of(digest) is None}

    def _prove(self, hashes: Collection[str], paths: Iterable[str]) -> None:
        """Remember those of some paths that have one of these hashes."""
        for path in paths if hashes else ():
            if (digest := project_hash(path)) in hashes:
                self._hashes.learn(digest, path)

    def _search(self, hashes: Collection[str]) -> set[str]:
        """Search the disk. Returns the hashes of which it turned out that the search ends early, or no longer does."""
        wanted = {digest for digest in hashes if not self._hashes.gave_up(digest, self._circumstances)}
        if not wanted:
            return set()
        marks = {mark for name in registry.source_names() for mark in marks_of(registry.source(name))}
        search = DiskSearch(self._places.home, marks)
        self._prove(wanted, search.folders())
        vain = self.unresolved(wanted)
        changed = {digest for digest in vain if self._hashes.ended_early(digest) != search.ended_early}
        for digest in vain:
            self._hashes.give_up(digest, self._circumstances, early=search.ended_early)
        return changed

    @property
    def _circumstances(self) -> str:
        """While they are the same, searching the disk again would find nothing again. They last a day."""
        return f"{self._cwd}-{int(time.time() // 86400)}"
