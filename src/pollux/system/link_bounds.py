"""The bounds of an agent's folder: no link below it is followed out of it.

A name does not say where a file lies: the file, or a folder above it, may be replaced by a link at any moment. So the
check looks at the open file, which nobody can replace.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Container
from typing import NamedTuple

LEADS_OUT = "a link that leads out of the agent's folder; it was not followed"

_DELETED = " (deleted)"


class _Bounds(NamedTuple):
    """A root by its name, and where the root and the folder around it really lie."""

    root: str
    real_root: str
    home: str
    real_home: str

    def holds(self, place: str, path: str) -> bool:
        """Does a path lead to a place below the root, or without any link to a place beside it?"""
        if place.startswith(self.real_root) or place == self.real_root[:-1]:
            return True
        return path.startswith(self.home) and place == self.real_home + path[len(self.home) :]


_bounds_by_folder: dict[str, _Bounds] = {}
_homes_by_folder: dict[str, str] = {}


def bind(folder: str, root: str) -> None:
    """From now on a file below this folder is opened only if it lies there or below the root. Either may be a link."""
    _bounds_by_folder[folder.rstrip(os.sep)] = _bounds_of(root)


def mirror_home(folder: str, home: str) -> None:
    """From now on a link in a folder of ours may lead to the same file in this home, and stands for it."""
    _homes_by_folder[folder.rstrip(os.sep)] = home.rstrip(os.sep)


def check(path: str, handle: int) -> None:
    """Raise `OSError` where an open file or folder lies outside the bounds of its name."""
    folder = _folder_above(path, _bounds_by_folder)
    if folder is None:
        return
    bounds = _bounds_by_folder[folder]
    path, root = _in_home(path, bounds.root)
    if root != bounds.root:
        bounds = _bounds_of(root)
    if not bounds.holds(_place_of(handle), path) and not _is_same_file(path, handle, bounds):
        raise OSError(errno.ELOOP, LEADS_OUT, path)


def path_in_home(path: str) -> str | None:
    """The path in a home that a path of ours stands for; None where it stands for none."""
    folder = _folder_above(path, _homes_by_folder)
    return _homes_by_folder[folder] + path[len(folder) :] if folder is not None else None


def leads_out(path: str, root: str) -> bool:
    """Does a path below a root, or beside it, lead elsewhere by a link? The root itself may be a link."""
    path, root = _in_home(path, root)
    try:
        return not _bounds_of(root).holds(os.path.realpath(path), path)
    except ValueError:  # not a path
        return True


def _bounds_of(root: str) -> _Bounds:
    root = root.rstrip(os.sep)
    home = os.path.dirname(root)  # noqa: PTH120
    return _Bounds(root, os.path.join(os.path.realpath(root), ""), home, os.path.realpath(home))  # noqa: PTH118


def _folder_above(path: str, folders: Container[str]) -> str | None:
    """The nearest of these folders that a path lies in."""
    while path and path not in folders:
        path = path.rpartition(os.sep)[0]
    return path or None


def _in_home(path: str, root: str) -> tuple[str, str]:
    """A path and its root; those in a home where it is a link that stands in for the same file there."""
    folder = _folder_above(path, _homes_by_folder) if _homes_by_folder else None
    if folder is None:
        return path, root
    original = _homes_by_folder[folder] + path[len(folder) :]
    if os.path.islink(path) and os.readlink(path) == original:  # noqa: PTH114, PTH115
        return original, _homes_by_folder[folder] + root[len(folder) :]
    return path, root


def _place_of(handle: int) -> str:
    """Where an open file lies, if the system says so. It may have been replaced since."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}").removesuffix(_DELETED)  # noqa: PTH115
    except OSError:
        return ""


def _is_same_file(path: str, handle: int, bounds: _Bounds) -> bool:
    """Is an open file the same file that its path leads to now, within the bounds?"""
    place = os.path.realpath(path)
    return bounds.holds(place, path) and os.path.samestat(os.lstat(place), os.fstat(handle))
