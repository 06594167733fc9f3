"""A folder for unfinished files, inside the folder of an export. It also deletes what a killed export left."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pollux.system.files import count_names
from pollux.system.locks import try_lock
from pollux.system.termination import termination_raises

_PREFIX = ".pollux-"
_LOCK = "lock"
_FOLDER = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")
_FILE = re.compile(r"tmp[a-z0-9_]{8}")


@contextmanager
def drafts(folder: Path) -> Iterator[Path]:
    """A new folder in this one. It is deleted at the end, or by the next export if this one is killed."""
    _sweep(folder)
    with termination_raises():
        inner = Path(tempfile.mkdtemp(dir=folder, prefix=_PREFIX))
        try:
            with try_lock(inner / _LOCK):
                yield inner
        finally:
            shutil.rmtree(inner, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Delete the folders of exports that were killed."""
    with os.scandir(folder) as entries:
        folders = [Path(entry.path) for entry in entries if _FOLDER.fullmatch(entry.name)]
    for draft_folder in folders:
        with contextlib.suppress(OSError):  # it is gone by now, or may not be deleted
            if _is_ours(draft_folder):
                with try_lock(draft_folder / _LOCK) as is_deserted:
                    if is_deserted:
                        shutil.rmtree(draft_folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Are all files of a folder ours? Raises `OSError` where it is no folder, or has a link in it."""
    if folder.is_symlink():
        return False
    entries = os.listdir(folder)  # noqa: PTH208
    return _LOCK in entries and all(
        count_names(folder / name) == 1 and (name == _LOCK or _FILE.fullmatch(name)) for name in entries
    )
