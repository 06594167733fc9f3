"""The files that an early answer needs: those that changed last or are named by an id, and what belongs to them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from heapq import nlargest

from pollux.sources.base import File

_ID_IN_NAMES = 8
"""Agents put at least so many characters of an id into the names of files."""

_SMALL = 64 << 10
"""A larger file above a session's folder is another session, not a note about the project."""


def newest_files(files: Iterable[File], count: int) -> set[str]:
    """The paths of the files that changed last."""
    return {file.path for file in nlargest(count, files, key=lambda file: file.mtime_ns)}


def files_named(files: Iterable[File], id: str) -> set[str]:
    """The paths that have an id in them, or the beginning of it that agents put into names."""
    part = id[:_ID_IN_NAMES]
    return {file.path for file in files if part in file.path}


def with_relatives(files: Iterable[File], chosen: set[str]) -> list[File]:
    """The chosen files, and those that may belong to their sessions.

    A session may have a folder named like its transcript. Notes about a project lie in the folders above its sessions.
    """
    stems = {_stem(path) for path in chosen}
    above = {folder for path in chosen for folder in _folders_above(_folder(path))}
    belongs: dict[str, bool] = {}

    def is_needed(file: File) -> bool:
        folder = _folder(file.path)
        if folder in above and (file.size <= _SMALL or _stem(file.path) in above):
            return True
        if folder not in belongs:
            belongs[folder] = folder in stems or any(each in stems for each in _folders_above(folder))
        return belongs[folder]

    return [file for file in files if file.path in chosen or is_needed(file)]


def _folder(path: str) -> str:
    return path.rpartition(os.sep)[0]


def _stem(path: str) -> str:
    """A path without its extension."""
    return os.path.splitext(path)[0]  # noqa: PTH122


def _folders_above(path: str) -> Iterator[str]:
    while path := _folder(path):
        yield path
