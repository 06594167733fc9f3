"""Folders nested to any depth: Python's own helpers call themselves for each level, and fail after a thousand."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it."""
    try:
        shutil.rmtree(folder)
    except RecursionError:
        for place, files in reversed(list(_folders(str(folder), strict=True))):
            for file in files:
                os.unlink(file)  # noqa: PTH108
            os.rmdir(place)  # noqa: PTH106


def files_below(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder, sorted by name: the files of a folder come before those of its folders.

    A folder that cannot be opened is skipped.
    """
    for _, files in _folders(str(folder), strict=False):
        for file in files:
            yield file, os.lstat(file)


def _folders(folder: str, *, strict: bool) -> Iterator[tuple[str, list[str]]]:
    """A folder and all folders below it, each with its files. Links are files."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            if strict:
                raise
            continue
        folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        yield current, [entry.path for entry in entries if not entry.is_dir(follow_symlinks=False)]
        waiting += reversed(folders)
