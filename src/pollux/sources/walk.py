"""Going through an agent's folders: names and stat only, and nothing passed over in silence."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Status

OTHER = "other"

Places = Mapping[str, tuple[Status, str | None]]
"""What `doctor` says of files by their role, unless a session was read from them."""


class Walk:
    """Gives files the roles that their places mean, and the status that goes with a role."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def file(self, entry: os.DirEntry[str], role: str | Status, reason: str | None = None) -> File:
        """A file with its role, or with the status that its place alone gives it."""
        if isinstance(role, Status):
            return found(entry, OTHER, role, reason)
        return found(entry, role, *self._places[role])

    def all(self, folder: str, role: str | Status, reason: str | None = None) -> Iterator[File]:
        """Every file below a folder, all with one role."""
        for entry in entries(folder):
            if isinstance(entry, File):
                yield entry
            elif is_folder(entry):
                yield from self.all(entry.path, role, reason)
            else:
                yield self.file(entry, role, reason)


def entries(folder: str) -> Iterator[os.DirEntry[str] | File]:
    """A folder's entries by name; a folder that cannot be opened is itself an unreadable file."""
    try:
        with os.scandir(folder) as opened:
            listed = sorted(opened, key=lambda entry: entry.name)
    except OSError as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            yield File(path=folder, role=OTHER, status=Status.UNREADABLE, reason=error.strerror)
        return
    yield from listed


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Links to folders are not followed below a root: they could lead in circles."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def found(entry: os.DirEntry[str], role: str, status: Status, reason: str | None) -> File:
    """A file with what its place says of it; what is no plain file after all says so itself."""
    try:
        stat = entry.stat()
    except OSError as error:
        return File(path=entry.path, role=OTHER, status=Status.UNREADABLE, reason=error.strerror)
    if stat.st_mode & 0o170000 != 0o100000:
        linked = entry.is_symlink() and os.path.isdir(entry.path)  # noqa: PTH112
        odd = "a link to a folder; links are not followed" if linked else "not a regular file"
        return File(path=entry.path, role=OTHER, reason=odd)
    return File(
        path=entry.path,
        role=role,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        inode=stat.st_ino,
        status=status,
        reason=reason,
    )


def stamp_of(path: str) -> str:
    """A file's stamp; none where there is no file."""
    try:
        return stat_file(Path(path), OTHER).stamp
    except OSError:
        return ""


def stat_file(path: Path, role: str) -> File:
    """One file handed over by path."""
    stat = path.stat()
    return File(path=str(path), role=role, size=stat.st_size, mtime_ns=stat.st_mtime_ns, inode=stat.st_ino)
