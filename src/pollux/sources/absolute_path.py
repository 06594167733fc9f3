"""Paths that a variable names, as agents take them."""

from __future__ import annotations

from pathlib import Path


def absolute_path(path: Path) -> Path:
    """A whole path: a relative one begins in the present directory, unless that is gone."""
    if path.is_absolute():
        return path
    try:
        return Path.cwd() / path
    except OSError:
        return path
