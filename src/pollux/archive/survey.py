"""Lists the packs in the archive's folder. A folder that cannot be listed is never taken for an empty one."""

from __future__ import annotations

import hashlib
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pollux.archive.pack_lengths import reading
from pollux.archive.packs import SUFFIX, Record, ReplacedPack, Replacement, recognise, scan
from pollux.system.files import list_folder, opened


class Survey(NamedTuple):
    """The active packs of a folder with their sizes, and what was `taken` from replaced packs, by their names.

    `spare` are replaced packs that were not deleted yet. Another file with the same name, as from a backup, is active.
    """

    sizes: dict[str, int]
    taken: dict[str, ReplacedPack]
    spare: frozenset[str]


def survey(folder: Path) -> Survey:
    """Look at all packs. Raises `OSError`, and `StoreError` where a newer pollux wrote one."""
    sizes: dict[str, int] = {}
    taken: dict[str, ReplacedPack] = {}
    for path in list_folder(folder, SUFFIX):
        if not stat.S_ISREG(path.stat().st_mode):
            continue
        with opened(path) as file:
            recognise(file, path)
            first = next(scan(file), None)
            sizes[path.name] = os.fstat(file.fileno()).st_size
        if isinstance(first, Record) and isinstance(first.head, Replacement):
            entries = first.head.taken or (ReplacedPack(name=name) for name in first.head.packs)
            taken.update({one.name: one for one in entries})
    spare = frozenset(name for name in sizes.keys() & taken.keys() if _is_taken(folder / name, taken[name]))
    return Survey({name: size for name, size in sizes.items() if name not in spare}, taken, spare)


def _is_taken(path: Path, taken: ReplacedPack) -> bool:
    """Is this the same file that was replaced?"""
    return path.stat().st_size == taken.size and hash_of(path) == taken.sha


def hash_of(path: Path) -> bytes:
    """The hash of a pack."""
    now = path.stat()
    return _hash(path, now.st_ino, now.st_size, now.st_mtime_ns)


@lru_cache
def _hash(path: Path, *_: int) -> bytes:
    """An unchanged file is read once."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").digest()


def active_packs(folder: Path) -> dict[Path, int]:
    """The packs that no later one replaces, with their sizes. Raises `StoreError`."""
    with reading(folder):
        try:
            overview = survey(folder)
        except FileNotFoundError:  # another pollux put a new pack in the place of one
            overview = survey(folder)
    return {folder / name: size for name, size in overview.sizes.items()}
