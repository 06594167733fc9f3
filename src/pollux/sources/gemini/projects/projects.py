"""Which project a folder of sessions belongs to, and how we know.

Folders are named by the SHA-256 of the project's path (up to 0.28) or by a slug (0.29+). A slug folder says its path in
`.project_root`; a hash can only be tested. So a path is *proved* when its hash is the folder's, wherever the
path was found; a path that merely occurs in the sessions is a guess, and is called one. What lies outside of the
root is tried later, by others, for all agents alike.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from pollux.errors import Unreadable
from pollux.sources.base import File, SourceContext
from pollux.sources.gemini.find import MARKER
from pollux.sources.gemini.projects.path_evidence import ALL, EACH, Witness, digest, witness
from pollux.system.bounds import leads_out
from pollux.wire import SMALL, Malformed, Notes, plain, read_bytes, read_head

_HASH = re.compile(r"[0-9a-f]{64}\Z")


class Folder:
    """One project's folder under `tmp`, its files, and the hash of the path it stands for."""

    def __init__(self, path: str, files: list[File]) -> None:
        self.path = path
        self.name = os.path.basename(path)  # noqa: PTH119
        self.files = files
        self.mark(next((marker_of(file.path) for file in files if file.role == MARKER), None))

    def mark(self, marker: str | None) -> None:
        """Let it be the folder of a path."""
        self.marker = marker
        self.marked = digest(marker) if marker else None
        self.hash: str | None = self.name if _HASH.match(self.name) else self.marked


class Projects:
    """Finds the path of each folder in what lies under the root, asking the cheap and certain witnesses first."""

    def __init__(self, roots: Iterable[Path], around: SourceContext, markers: Iterable[str] = ()) -> None:
        self._around = around
        self._registries = {str(root): _registry_beside(root) for root in roots}
        registered = (path for registry in self._registries.values() for path in registry)
        self._near = [*markers, *registered]
        self._by_hash: dict[str, tuple[str | None, str | None]] = {}

    def of(
        self, folder: Folder | None, header_hash: str | None, hints: Callable[[], list[File]]
    ) -> tuple[str | None, str | None]:
        """The path and the evidence for it; hints are the files in which paths may be found."""
        wanted = header_hash or (folder.hash if folder is not None else None)
        if folder is not None and folder.marker is not None and wanted in (None, digest(folder.marker)):
            return folder.marker, "marker"
        if folder is not None and (found := self._registered(folder, wanted)) is not None:
            return found, "registry"
        if wanted is None or not _HASH.match(wanted):
            return None, None
        return self._proved(wanted, hints)

    def _registered(self, folder: Folder, wanted: str | None) -> str | None:
        """The registry's word, unless the hash says it lies."""
        root, slug = os.path.split(folder.path)
        for path, name in self._registries.get(root, {}).items():
            if name == slug and (wanted is None or digest(path) == wanted):
                return path
        return None

    def _proved(self, wanted: str, hints: Callable[[], list[File]]) -> tuple[str | None, str | None]:
        """The path that has this hash, wherever it is found; else the best guess."""
        if wanted not in self._by_hash:
            path = next((near for near in self._near if digest(near) == wanted), None)
            proof, guess = (path, None) if path is not None else self._in_files(wanted, hints())
            evidence = "hash" if proof is not None else "guess" if guess is not None else None
            self._by_hash[wanted] = (proof or guess, evidence)
        return self._by_hash[wanted]

    def _in_files(self, wanted: str, files: list[File]) -> tuple[str | None, str | None]:
        """A path in the files that has the hash, else the folder that most of them are about."""
        guesses: Counter[str] = Counter()
        left = ALL
        for file in sorted(files, key=lambda file: (file.size, file.path)):
            if left <= 0:
                break
            left -= min(file.size, EACH)
            told = self._around.peek(file, Witness, lambda file: witness(wanted, file))
            if told.proof is not None:
                return told.proof, None
            if told.guess is not None:
                guesses[told.guess] += 1
        return None, max(guesses, key=lambda path: (guesses[path], len(path), path), default=None)


def marker_of(note: str) -> str | None:
    """What a folder's own note says."""
    try:
        text = read_head(note, 8192).decode("utf-8", "surrogateescape")
    except Unreadable:
        return None
    path = text.strip("\r\n\x00")
    return path if path and "\x00" not in path else None


def _registry_beside(root: Path) -> dict[str, str]:
    """The list of projects beside a root, unless a link leads out of there."""
    path = os.path.join(root.parent, "projects.json")  # noqa: PTH118
    return {} if leads_out(path, str(root)) else registry_of(Path(path))


def registry_of(path: Path) -> dict[str, str]:
    """`projects.json`: path to slug. Whatever in it is not text is left out."""
    try:
        value = plain(read_bytes(path, SMALL), Notes())
    except (Unreadable, Malformed):
        return {}
    listed = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(listed, dict):
        return {}
    return {path: slug for path, slug in listed.items() if isinstance(slug, str)}
