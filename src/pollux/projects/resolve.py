"""Projects that an agent names by a hash alone. When all sessions are known, a late step finds their paths.

A path may stand in the agent's own files. If not, candidates are the directories in which other agents worked, the one
that pollux was started in, and the folders on the disk. A path is proved if its hash is the project's.
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
from pollux.sources.source_wrapper import SourceWrapper
from pollux.system.directories import Places
from pollux.system.gc_pause import gc_paused
from pollux.wire import Notes

EVIDENCE = "hash"
_NAME = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def hashes_in(paths: Iterable[str]) -> set[str]:
    """Names of folders above some files that look like hashes."""
    folders = {path.rpartition(os.sep)[0] for path in paths}
    return {name for folder in folders for name in _NAME.findall(folder)}


class ResolvedSource(SourceWrapper):
    """An agent's source that knows the paths of hashes."""

    def __init__(self, source: Source, hashes: ProjectHashes) -> None:
        super().__init__(source)
        self._hashes = hashes

    def read(self, bundle: Bundle) -> Reading:
        """Read as the agent's own source does, with the paths of hashed projects."""
        with gc_paused():
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

    def learn(self, paths: Mapping[str, str]) -> None:
        """Remember the paths that sessions prove, by their hashes."""
        for digest, path in paths.items():
            self._hashes.learn(digest, path)
        self._hashes.save()

    def resolve(self, hashes: Collection[str], directories: Callable[[], Iterable[str]]) -> set[str]:
        """Find the paths of some hashes. Returns those of which more is known now: their sessions must be read again.

        `directories` gives the directories in which agents worked.
        """
        if not hashes:
            return set()
        self._hashes.refresh()
        self._prove(self.unresolved(hashes), (str(self._cwd), *map(str, self._cwd.parents)))
        self._prove(self.unresolved(hashes), directories())
        changed = self._search(self.unresolved(hashes)) if self._hunt else set()
        self._hashes.save()
        return {*hashes} - self.unresolved(hashes) | changed

    def unresolved(self, hashes: Iterable[str]) -> set[str]:
        """The hashes whose paths are not known."""
        return {digest for digest in hashes if self._hashes.path_of(digest) is None}

    def _prove(self, hashes: Collection[str], paths: Iterable[str]) -> None:
        """Remember those of some paths that have one of these hashes."""
        for path in paths if hashes else ():
            if (digest := project_hash(path)) in hashes:
                self._hashes.learn(digest, path)

    def _search(self, hashes: Collection[str]) -> set[str]:
        """Search the disk. Returns the hashes whose search now ends early and did not before, or the reverse."""
        wanted = {digest for digest in hashes if not self._hashes.gave_up(digest, self._circumstances)}
        if not wanted:
            return set()
        marks = {mark for name in registry.source_names() for mark in marks_of(registry.source(name))}
        search = DiskSearch(self._places.home, marks)
        self._prove(wanted, search.folders())
        missing = self.unresolved(wanted)
        changed = {digest for digest in missing if self._hashes.ended_early(digest) != search.ended_early}
        for digest in missing:
            self._hashes.give_up(digest, self._circumstances, early=search.ended_early)
        return changed

    @property
    def _circumstances(self) -> str:
        """The disk is not searched again under the same circumstances: the same directory and day."""
        return f"{self._cwd}-{int(time.time() // 86400)}"
