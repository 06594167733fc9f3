"""Which project a folder of sessions belongs to, and how we know.

A folder has the SHA-256 of the project's path as its name (up to 0.28) or a slug (0.29+). A slug folder names its path
in `.project_root`; a hash can only be tested. So a path is *proved* if its hash is the folder's, wherever the path
comes from. A path that only occurs in the sessions is a guess, and is called so. Paths outside of the root are tried
later, in the same way for all agents.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pollux.errors import Unreadable
from pollux.model.project_hash import project_hash
from pollux.sources.base import File, SourceContext
from pollux.sources.gemini_sessions.find import MARKER
from pollux.sources.gemini_sessions.projects.path_evidence import ALL, EACH, PathEvidence, path_evidence
from pollux.system.link_bounds import leads_out
from pollux.wire import SMALL, Malformed, Notes, plain, read_bytes, read_head

_HASH = re.compile(r"[0-9a-f]{64}\Z")


class Folder:
    """One project's folder under `tmp`, its files, and the hash of its path.

    `is_tied`: its files name one another's sessions, or have a log of typed prompts.
    """

    def __init__(self, path: str, files: list[File]) -> None:
        self.path = path
        self.name = os.path.basename(path)  # noqa: PTH119
        self.files = files
        self.is_tied = False
        self.markers = [file.path for file in files if file.role == MARKER]
        self.mark(marker_of(self.markers[0]) if self.markers else None)

    def mark(self, marker: str | None) -> None:
        """Set the path of the folder."""
        self.marker = marker
        self.marked = project_hash(marker) if marker else None
        self.hash: str | None = self.name if _HASH.match(self.name) else self.marked


class Projects:
    """Finds the path of each folder from the files under the root, with cheap and certain evidence first."""

    def __init__(self, roots: Iterable[Path], context: SourceContext, markers: Iterable[str] = ()) -> None:
        self._context = context
        self._registries = {str(root): _registry_of_root(root) for root in roots}
        registered = (path for registry in self._registries.values() for path in registry)
        self._known_paths = [*markers, *registered]
        self._by_folder: dict[tuple[str, str | None], tuple[str | None, str | None]] = {}

    def of(
        self, folder: Folder | None, header_hash: str | None, hints: Callable[[], list[File]]
    ) -> tuple[str | None, str | None]:
        """The path and the evidence for it; `hints` are the files in which paths may occur.

        The sessions of a folder mostly have one answer, which is found once.
        """
        if folder is None:
            return self._find(None, header_hash, hints)
        place = (folder.path, header_hash)
        if place not in self._by_folder:
            self._by_folder[place] = self._find(folder, header_hash, hints)
        return self._by_folder[place]

    def _find(
        self, folder: Folder | None, header_hash: str | None, hints: Callable[[], list[File]]
    ) -> tuple[str | None, str | None]:
        wanted = header_hash or (folder.hash if folder is not None else None)
        if folder is not None and folder.marker is not None and wanted in (None, project_hash(folder.marker)):
            return folder.marker, "marker"
        if folder is not None and (path := self._registered(folder, wanted)) is not None:
            return path, "registry"
        if wanted is None or not _HASH.match(wanted):
            return None, None
        return self._by_path_hash(wanted, hints)

    def _registered(self, folder: Folder, wanted: str | None) -> str | None:
        """The path in the registry, unless the hash contradicts it."""
        root, slug = os.path.split(folder.path)
        for path, name in self._registries.get(root, {}).items():
            if name == slug and (wanted is None or project_hash(path) == wanted):
                return path
        return None

    def _by_path_hash(self, wanted: str, hints: Callable[[], list[File]]) -> tuple[str | None, str | None]:
        """A path with this hash, or else the best guess."""
        path = next((known for known in self._known_paths if project_hash(known) == wanted), None)
        proof, guess = (path, None) if path is not None else self._in_files(wanted, hints())
        evidence = "hash" if proof is not None else "guess" if guess is not None else None
        return proof or guess, evidence

    def _in_files(self, wanted: str, files: list[File]) -> tuple[str | None, str | None]:
        """A path in the files with the hash, or else the folder that most of them mention."""
        guesses: Counter[str] = Counter()
        searched = list(_searched(files))
        self._context.load_peeks(PathEvidence, searched)
        for file in searched:
            evidence = self._context.peek(file, PathEvidence, lambda file: path_evidence(wanted, file))
            if evidence.wanted != wanted:  # sessions of one folder may name several hashes
                evidence = path_evidence(wanted, file)
            if evidence.proof is not None:
                return evidence.proof, None
            if evidence.guess is not None:
                guesses[evidence.guess] += 1
        return None, max(guesses, key=lambda path: (guesses[path], len(path), path), default=None)


def _searched(files: list[File]) -> Iterator[File]:
    """The files that are searched for paths: the smallest ones, up to a size."""
    remaining = ALL
    for file in sorted(files, key=lambda file: (file.size, file.path)):
        if remaining <= 0:
            break
        remaining -= min(file.size, EACH)
        yield file


def marker_of(note: str) -> str | None:
    """The path in a folder's own note."""
    try:
        text = read_head(note, 8192).decode("utf-8", "surrogateescape")
    except Unreadable:
        return None
    path = text.strip("\r\n\x00")
    return path if path and "\x00" not in path else None


def _registry_of_root(root: Path) -> dict[str, str]:
    """The list of projects next to a root, unless it is a link that leads elsewhere."""
    path = os.path.join(root.parent, "projects.json")  # noqa: PTH118
    return {} if leads_out(path, str(root)) else registry_of(Path(path))


def registry_of(path: Path) -> dict[str, str]:
    """`projects.json`: path to slug. Values that are not text are left out."""
    try:
        value = plain(read_bytes(path, SMALL), Notes())
    except (Unreadable, Malformed):
        return {}
    projects = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {path: slug for path, slug in projects.items() if isinstance(slug, str)}
