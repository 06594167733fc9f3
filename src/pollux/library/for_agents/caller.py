"""The project of the agent that asks: the directory in which it works, or one above it that sessions know."""

from __future__ import annotations

import os
from collections.abc import Iterable


def caller_project(known: Iterable[str], directory: str, home: str) -> str | None:
    """The project of a directory, among the known ones or new; None in the home directory and above it."""
    if _is_at_or_below(home, directory):
        return None
    projects = {path for path in known if not _is_at_or_below(home, path)}
    if any(_is_at_or_below(path, directory) for path in projects):
        return directory
    above = [path for path in projects if _is_at_or_below(directory, path)]
    return max(above, key=len, default=directory)


def _is_at_or_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
