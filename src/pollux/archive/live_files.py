"""Finds out whether a live file holds everything that is kept of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pollux.archive.archive import Archive
from pollux.archive.contents import Damaged
from pollux.archive.order import starts_with
from pollux.archive.packs import State
from pollux.sources.base import File
from pollux.sources.capabilities import joined_versions_of
from pollux.sources.resume_files import FileVersion
from pollux.system.files import HUGE, read
from pollux.wire.join_versions import object_lines

Proof = tuple[bytes, bytes, str]
"""The hash of the kept content, the live file that holds all of it, and the stamp of that file."""


class LiveFiles:
    """Compares kept states with live files. `proofs` are the live files that hold everything, by the kept paths."""

    def __init__(self, archive: Archive, source: object, known: Mapping[bytes, Proof]) -> None:
        self._archive = archive
        self._source = source
        self._known = known
        self.proofs: dict[bytes, Proof] = {}

    def holds(self, file: File, state: State) -> bool | None:
        """Does a live file hold everything that a state holds? None if that is unknown."""
        if state.sha is None:
            return None
        proof = (state.sha, os.fsencode(file.path), file.stamp)
        goes_on = self._known.get(state.path) == proof or (
            file.size >= state.size and starts_with(file.path, state.size, state.sha)
        )
        answer = True if goes_on else self._says_all(file, state.sha, os.fsdecode(state.path))
        if answer:
            self.proofs[state.path] = proof
        return answer

    def _says_all(self, file: File, sha: bytes, path: str) -> bool | None:
        """As `holds`, for a rewritten file."""
        try:
            earlier, live = self._archive.read(sha), read(file.path, HUGE)
        except (Damaged, OSError):
            return None
        together = joined_versions_of(
            self._source, [FileVersion(path=path, content=content) for content in (earlier, live)]
        )
        return None if together is None else together in (live, b"".join(object_lines(live)))
