"""The folders in which a person may have worked: the usual places below the home directory."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

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


class DiskSearch:
    """A walk through the usual places, level by level, with a budget.

    `marks` are names of files that agents leave where they work: if there are too many folders, those come first.
    """

    def __init__(self, home: Path, marks: Collection[str] = ()) -> None:
        self._home = home
        self._marks = marks
        self._left = MOST_FOLDERS

    @property
    def ended_early(self) -> bool:
        """Did the budget end before all folders were seen?"""
        return self._left <= 0

    def folders(self) -> Iterator[str]:
        """The folders under the home directory, up to the budget."""
        seen: set[str] = set()
        level = [str(self._home / name) if name else str(self._home) for name in _USUAL]
        for depth in range(_DEPTH):
            if len(level) > self._left:
                level.sort(key=self._is_unmarked)
            below: list[str] = []
            for folder in level:
                if folder in seen:
                    continue
                if self._left <= 0:
                    return
                seen.add(folder)
                self._left -= 1
                yield folder
                real = os.path.realpath(folder)
                if real != folder:
                    yield real
                if depth + 1 < _DEPTH:
                    below.extend(_subfolders(folder))
            level = below

    def _is_unmarked(self, folder: str) -> bool:
        return not any(os.path.exists(os.path.join(folder, mark)) for mark in self._marks)  # noqa: PTH110, PTH118


def _subfolders(folder: str) -> list[str]:
    """The folders inside one, except hidden ones and those that programs fill."""
    try:
        with os.scandir(folder) as entries:
            return [
                entry.path
                for entry in entries
                if not entry.name.startswith(".") and entry.name not in _SKIP and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
