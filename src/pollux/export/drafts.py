"""A folder for files in the making, inside the folder they are made for. What a killed export left there goes."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pollux.system.ending import gently
from pollux.system.files import count_names
from pollux.system.locks import try_lock

_PREFIX = ".pollux-"
_LOCK = "lock"
_FOLDER = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")
_FILE = re.compile(r"tmp[a-z0-9_]{8}")


@contextmanager
def drafts(folder: Path) -> Iterator[Path]:
    """A new folder in this one. It is taken away in the end, or by the next export where this one is killed."""
    _sweep(folder)
    with gently():
        made = Path(tempfile.mkdtemp(dir=folder, prefix=_PREFIX))
        try:
            with try_lock(made / _LOCK):
                yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Take away what exports left whose processes are no more."""
    with os.scandir(folder) as entries:
        left = [Path(entry.path) for entry in entries if _FOLDER.fullmatch(entry.name)]
    for each in left:
        with contextlib.suppress(OSError):  # it went while we looked, or is not ours to take away
            if _ours(each):
                with try_lock(each / _LOCK) as deserted:
                    if deserted:
                        shutil.rmtree(each, ignore_errors=True)


def _ours(folder: Path) -> bool:
    """Is all that a folder holds what we put there? Raises `OSError` where it is none, or holds a link."""
    if folder.is_symlink():
        return False
    held = os.listdir(folder)  # noqa: PTH208
    return _LOCK in held and all(
        count_names(folder / name) == 1 and (name == _LOCK or _FILE.fullmatch(name)) for name in held
    )
