"""The packs that lie in the archive's folder. One that cannot be listed is never taken for an empty one."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from pollux.archive.extents import reading
from pollux.archive.packs import SUFFIX, Record, Replaces, recognise, scan
from pollux.system.files import listed, opened


class Survey(NamedTuple):
    """The packs of a folder that count, by name with their sizes, and the names of those that a later one replaces."""

    sizes: dict[str, int]
    replaced: frozenset[str]


def survey(folder: Path) -> Survey:
    """Look at all packs. Raises `OSError`, and `StoreError` where a newer pollux wrote one."""
    sizes: dict[str, int] = {}
    replaced: set[str] = set()
    for path in listed(folder, SUFFIX):
        if not stat.S_ISREG(path.stat().st_mode):
            continue
        with opened(path) as file:
            recognise(file, path)
            first = next(scan(file), None)
            sizes[path.name] = os.fstat(file.fileno()).st_size
        if isinstance(first, Record) and isinstance(first.head, Replaces):
            replaced.update(first.head.packs)
    return Survey({name: size for name, size in sizes.items() if name not in replaced}, frozenset(replaced))


def standing(folder: Path) -> dict[Path, int]:
    """The packs that count, with their sizes: not those that a later one replaces. Raises `StoreError`."""
    with reading(folder):
        try:
            found = survey(folder)
        except FileNotFoundError:  # another pollux put a new pack in the place of one
            found = survey(folder)
    return {folder / name: size for name, size in found.sizes.items()}
