"""The bounds of an agent's folder: no link below it is followed out of it.

A name does not say where a file lies: it, or a folder above it, may be swapped for a link at any moment. So a file is
looked at when it is open, which nobody can change any more.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Container
from typing import NamedTuple

LEADS_OUT = "a link that leads out of the agent's folder; it was not followed"

_GONE = " (deleted)"


class _Bound(NamedTuple):
    """A root by its name, and where it and the folder around it really lie."""

    root: str
    inside: str
    home: str
    beside: str

    def holds(self, place: str, path: str) -> bool:
        """Does a path lead to a place below the root, or by no link at all to one beside it?"""
        if place.startswith(self.inside) or place == self.inside[:-1]:
            return True
        return path.startswith(self.home) and place == self.beside + path[len(self.home) :]


_bounds: dict[str, _Bound] = {}
_homes: dict[str, str] = {}


def bind(folder: str, root: str) -> None:
    """From now on nothing below a folder is opened that lies neither there nor below the root. Either may be a link."""
    _bounds[folder.rstrip(os.sep)] = _bound(root)


def stand_in(folder: str, home: str) -> None:
    """From now on links in a folder of ours may lead to where the same file lies in a home, as if they were that."""
    _homes[folder.rstrip(os.sep)] = home.rstrip(os.sep)


def check(path: str, handle: int) -> None:
    """Raise `OSError` where an open file or folder lies out of the bounds that its name lies in."""
    folder = _above(path, _bounds)
    if folder is None:
        return
    bound = _bounds[folder]
    path, root = _meant(path, bound.root)
    if root != bound.root:
        bound = _bound(root)
    if not bound.holds(_place(handle), path) and not _proved(path, handle, bound):
        raise OSError(errno.ELOOP, LEADS_OUT, path)


def stands_for(path: str) -> str | None:
    """The place in a home that a path stands for; None where it stands for itself."""
    folder = _above(path, _homes)
    return _homes[folder] + path[len(folder) :] if folder is not None else None


def leads_out(path: str, root: str) -> bool:
    """Does a path below a root, or beside it, lead elsewhere by a link anywhere in it? The root may be one."""
    path, root = _meant(path, root)
    try:
        return not _bound(root).holds(os.path.realpath(path), path)
    except ValueError:  # no path at all
        return True


def _bound(root: str) -> _Bound:
    root = root.rstrip(os.sep)
    home = os.path.dirname(root)  # noqa: PTH120
    return _Bound(root, os.path.join(os.path.realpath(root), ""), home, os.path.realpath(home))  # noqa: PTH118


def _above(path: str, folders: Container[str]) -> str | None:
    """The nearest of some folders that a path lies in."""
    while path and path not in folders:
        path = path.rpartition(os.sep)[0]
    return path or None


def _meant(path: str, root: str) -> tuple[str, str]:
    """A path and its root; those in a home where it is a link that stands in for the same file there."""
    folder = _above(path, _homes) if _homes else None
    if folder is None:
        return path, root
    there = _homes[folder] + path[len(folder) :]
    if os.path.islink(path) and os.readlink(path) == there:  # noqa: PTH114, PTH115
        return there, _homes[folder] + root[len(folder) :]
    return path, root


def _place(handle: int) -> str:
    """Where an open file lies, as far as the system tells; it may have been replaced since."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}").removesuffix(_GONE)  # noqa: PTH115
    except OSError:
        return ""


def _proved(path: str, handle: int, bound: _Bound) -> bool:
    """Is an open file the one that its path leads to now, within the bound?"""
    place = os.path.realpath(path)
    return bound.holds(place, path) and os.path.samestat(os.lstat(place), os.fstat(handle))
