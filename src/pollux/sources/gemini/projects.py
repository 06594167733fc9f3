"""Which project a folder of sessions belongs to, and how we know.

Folders are named by the SHA-256 of the project's path (up to 0.28) or by a slug (0.29+). A slug folder says its path in
`.project_root`; a hash can only be tested. So a path is *proved* when its hash is the folder's, wherever the
path was found; a path that merely occurs in the sessions is a guess, and is called one.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pollux.errors import Unreadable
from pollux.sources.base import File, Surroundings
from pollux.wire import Malformed, Notes, plain, read_bytes, read_head

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_PATH = re.compile(rb"(?:/|[A-Za-z]:\\\\)[^\"<>|*?\x00-\x1f]{1,400}")
_USUAL = (
    "",
    "dev",
    "code",
    "projects",
    "src",
    "work",
    "Documents",
    "repos",
    "git",
    "workspace",
    "Projects",
    "Developer",
    "go/src",
)
_SKIP = {"node_modules", "venv", "site-packages", "__pycache__", "target", "dist", "build", "vendor", "snap", "AppData"}
_SKIP |= {"Library", "Applications", "anaconda3", "miniconda3"}
_DEPTH = 4
MOST_FOLDERS = 20_000
_SCAN = 64 << 20


def digest(path: str) -> str:
    """The hash Gemini CLI gives a project's path."""
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


class Folder:
    """One project's folder under `tmp`, its files, and the hash of the path it stands for."""

    def __init__(self, path: str, files: list[File]) -> None:
        self.path = path
        self.name = os.path.basename(path)  # noqa: PTH119
        self.files = files
        self.marker = _marker(path)
        self.hash: str | None = self.name if _HASH.match(self.name) else digest(self.marker) if self.marker else None


class Projects:
    """Finds the path of each folder, asking the cheap and certain witnesses first."""

    def __init__(self, root: Path, around: Surroundings, markers: Iterable[str] = ()) -> None:
        self._around = around
        self._registry = _registry(root.parent / "projects.json")
        self._near = [*markers, *self._registry, *_upwards(str(around.cwd))]
        self._by_hash: dict[str, tuple[str | None, str | None]] = {}
        self._hunted: dict[str, str] | None = None
        self.cut_short = False

    def of(
        self, folder: Folder | None, header_hash: str | None, hints: Callable[[], list[File]]
    ) -> tuple[str | None, str | None]:
        """The path and the evidence for it; hints are the files in which paths may be found."""
        wanted = header_hash or (folder.hash if folder is not None else None)
        if folder is not None and folder.marker is not None and wanted in (None, digest(folder.marker)):
            return folder.marker, "marker"
        if folder is not None and (found := self._registered(folder.name, wanted)) is not None:
            return found, "registry"
        if wanted is None or not _HASH.match(wanted):
            return None, None
        return self._proved(wanted, hints)

    def _registered(self, slug: str, wanted: str | None) -> str | None:
        """The registry's word, unless the hash says it lies."""
        for path, name in self._registry.items():
            if name == slug and (wanted is None or digest(path) == wanted):
                return path
        return None

    def _proved(self, wanted: str, hints: Callable[[], list[File]]) -> tuple[str | None, str | None]:
        """The path that has this hash, wherever it is found; else the best guess."""
        if wanted in self._by_hash:
            return self._by_hash[wanted]
        if (known := self._around.memory.path_of(wanted)) is not None:
            return self._settle(wanted, known, "hash")
        held = hints()
        seal = self._seal(held)
        near = next((path for path in self._near if digest(path) == wanted), None)
        if near is not None or self._around.memory.gave_up(wanted, seal):
            return self._settle(wanted, near, "hash")
        proof, guess = _in_files(wanted, held)
        proof = proof or self._hunt().get(wanted)
        if proof is None and guess is None and self._around.hunt:
            self._around.memory.give_up(wanted, seal)
        return self._settle(wanted, proof or guess, "hash" if proof is not None else "guess")

    def _settle(self, wanted: str, path: str | None, evidence: str) -> tuple[str | None, str | None]:
        """Keep an answer for the next session of the same project, and a proof for good."""
        if path is not None and evidence == "hash":
            self._around.memory.learn(wanted, path)
        self._by_hash[wanted] = (path, evidence if path is not None else None)
        return self._by_hash[wanted]

    def _seal(self, hints: list[File]) -> str:
        """What a search depended on: while it is the same, searching again would find nothing again. It lasts a day."""
        size, newest = sum(file.size for file in hints), max((file.mtime_ns for file in hints), default=0)
        return f"{size}-{newest}-{self._around.cwd}-{int(time.time() // 86400)}"

    def _hunt(self) -> dict[str, str]:
        """The hashes of all folders a person may have worked in."""
        if not self._around.hunt:
            return {}
        if self._hunted is None:
            search = Search(self._around)
            self._hunted = {digest(path): path for path in search.folders()}
            self.cut_short = search.left <= 0
        return self._hunted


def _marker(folder: str) -> str | None:
    try:
        text = read_head(os.path.join(folder, ".project_root"), 8192).decode("utf-8", "surrogateescape")  # noqa: PTH118
    except Unreadable:
        return None
    path = text.strip("\r\n\x00")
    return path if path and "\x00" not in path else None


def _registry(path: Path) -> dict[str, str]:
    """`projects.json`: path to slug. Whatever in it is not text is left out."""
    try:
        value = plain(read_bytes(path), Notes())
    except (Unreadable, Malformed):
        return {}
    listed = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(listed, dict):
        return {}
    return {path: slug for path, slug in listed.items() if isinstance(slug, str)}


def _mentioned(files: Iterable[File]) -> Iterator[str]:
    """Every absolute path that occurs in the files, within reason."""
    left = _SCAN
    for file in sorted(files, key=lambda file: file.size):
        if left <= 0:
            return
        try:
            raw = read_head(file.path, left)
        except Unreadable:
            continue
        left -= len(raw)
        for match in _PATH.finditer(raw):
            text = match.group().decode("utf-8", "replace")
            # In a JSON string a backslash begins an escape: a line's end, or a quote, ends the path as well.
            yield re.split(r"\\[nrt\"]", text, maxsplit=1)[0].replace("\\\\", "\\").rstrip(":;,.)]}'` ")


def _upwards(path: str) -> Iterator[str]:
    """A path and its parents, the root itself left out; a text may go on behind a path, so words are cut off too."""
    current = path.rstrip("/\\") or path
    while len(current) > 1:
        yield current
        for mark in (":", " ", ",", ")", "'"):
            head, found, _ = os.path.basename(current).partition(mark)  # noqa: PTH119
            if found and head:
                yield os.path.join(os.path.dirname(current), head)  # noqa: PTH118, PTH120
        shorter = os.path.dirname(current)  # noqa: PTH120
        if shorter == current:
            return
        current = shorter


def _in_files(wanted: str, files: list[File]) -> tuple[str | None, str | None]:
    """A path in the files that has the hash, else the folder that most of the paths share."""
    counted: dict[str, int] = {}
    for path in _mentioned(files):
        for parent in _upwards(path):
            if parent not in counted and digest(parent) == wanted:
                return parent, None
            counted[parent] = counted.get(parent, 0) + 1
    return None, _common_root(counted)


def _common_root(counted: dict[str, int]) -> str | None:
    """The deepest folder most mentioned paths share; None where they share nothing but the beginning."""
    if not counted:
        return None
    most = max(counted.values())
    shared = [path for path, count in counted.items() if count == most and path.count("/") >= 3]
    return max(shared, key=len) if shared and most > 1 else None


class Search:
    """A walk through the usual places, level by level, with a budget."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.left = MOST_FOLDERS

    def folders(self) -> Iterator[str]:
        """Where other agents worked, then what lies under the home directory."""
        yield from self._around.neighbours()
        seen: set[str] = set()
        level = [str(self._around.home / name) if name else str(self._around.home) for name in _USUAL]
        for depth in range(_DEPTH):
            if len(level) > self.left:
                level.sort(key=self._later)
            below: list[str] = []
            for folder in level:
                if folder in seen:
                    continue
                if self.left <= 0:
                    return
                seen.add(folder)
                self.left -= 1
                yield folder
                real = os.path.realpath(folder)
                if real != folder:
                    yield real
                if depth + 1 < _DEPTH:
                    below.extend(_subfolders(folder))
            level = below

    def _later(self, folder: str) -> tuple[bool, bool]:
        """Folders whose name was asked for and folders Gemini CLI left its mark in come first."""
        asked = (self._around.asked or "").casefold()
        named = bool(asked) and asked in os.path.basename(folder).casefold()  # noqa: PTH119
        marked = any(os.path.exists(os.path.join(folder, mark)) for mark in ("GEMINI.md", ".gemini"))  # noqa: PTH110, PTH118
        return not named, not marked


def _subfolders(folder: str) -> list[str]:
    """Folders worth a look: no hidden ones, none that programs fill."""
    try:
        with os.scandir(folder) as entries:
            return [
                entry.path
                for entry in entries
                if not entry.name.startswith(".") and entry.name not in _SKIP and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
