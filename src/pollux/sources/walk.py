"""Walks through an agent's folders: names and stat only, and nothing is skipped silently.

Before every command it looks at each of thousands of files. So a source only says what a name means in a folder, and
this module walks, with as few steps for a file as possible.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pollux.sources.base import File, Status
from pollux.system.link_bounds import LEADS_OUT, bind, check, leads_out

__all__ = [
    "FileKind",
    "FolderRules",
    "every_file",
    "ignored",
    "stat_file",
    "unknown",
    "walk",
]

OTHER = "other"
CLOSED = "unreadable_files"
"""The role of files and folders that the system does not let us read."""

FileKind = tuple[str, Status, str | None]
"""A file's role, and its status and reason for `doctor` unless a session is read from it."""

_LATEST = (1 << 63) - 1
_name = attrgetter("name")


class FolderRules(NamedTuple):
    """The rules for a folder: `file` gives the kind of a file by its name, `folder` the rules for a folder by its name.

    None means that it is skipped. If a folder is not the agent's `own`, it is not reported when it cannot be opened.
    """

    file: Callable[[str], FileKind | None]
    folder: Callable[[str], FolderRules | None]
    own: bool = True


def every_file(kind: FileKind) -> FolderRules:
    """The rules for a folder in which all files are of one kind, at any depth."""
    rules: FolderRules = FolderRules(lambda _: kind, lambda _: rules)
    return rules


def ignored(reason: str) -> FileKind:
    """The kind of a file that is known not to be a session."""
    return OTHER, Status.IGNORED, reason


def unknown(reason: str) -> FileKind:
    """The kind of a file that is not expected in its folder."""
    return OTHER, Status.UNKNOWN, reason


def walk(folder: str, rules: FolderRules, files: list[File], root: str | None = None) -> list[File]:
    """Add all files below a folder, sorted by name. A folder that cannot be opened is an unreadable file.

    The folder itself may be a link, as a person set it up. No link below it is followed out of it, or out of the root:
    neither now nor when one of these files is opened. Only one folder is open at a time, however deep they lie.
    """
    base = folder if root is None else root
    bind(folder, base)
    waiting: list[File | Below] = [(folder, rules)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, File):
            files.append(item)
            continue
        inside, below = _inside(*item, base)
        if below:
            waiting += reversed(below)
        else:
            files += inside
    return files


Below = tuple[str, FolderRules]
"""A folder that is still to be walked."""


def _inside(folder: str, rules: FolderRules, root: str) -> tuple[list[File], list[File | Below]]:
    """The files in a folder, sorted by name; if it has folders, files and folders together."""
    try:
        handle = _open_folder(folder)
        try:
            if isinstance(handle, int):
                check(folder, handle)
            with os.scandir(handle) as scan:
                entries = sorted(scan, key=_name)
            return _entries(entries, folder if folder.endswith(os.sep) else folder + os.sep, rules, root)
        finally:
            if isinstance(handle, int):
                os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        return [_unreadable(folder, error)] if rules.own else [], []


def refusal(folder: str) -> str | None:
    """Why the system does not let us read a folder; None if it does, or the folder is missing."""
    try:
        os.scandir(folder).close()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error.strerror
    return None


def unreadable_files(files: Iterable[File]) -> list[File]:
    """Folders and files that the system does not let us read."""
    return [file for file in files if file.role == CLOSED]


def forbidden_files(files: Iterable[File]) -> list[File]:
    """Files that we can see but not read, by their modes, also if they were readable before."""
    forbidden = [file for file in files if not file.mode & 0o400 and file.role not in (CLOSED, OTHER)]
    return [file for file in forbidden if not os.access(file.path, os.R_OK)]


def _open_folder(folder: str) -> int | str:
    """A folder to scan: by a handle where the system supports that, so that its path is followed once."""
    if os.scandir in os.supports_fd:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)
    return folder


def _entries(
    entries: list[os.DirEntry[str]], above: str, rules: FolderRules, root: str
) -> tuple[list[File], list[File | Below]]:
    """See `_inside`."""
    file, folder, _ = rules
    files: list[File] = []
    mixed: list[File | Below] = []
    for entry in entries:
        name = entry.name
        try:
            # Links to folders are not followed below a root: they could lead in circles.
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError:
            is_folder = False
        if is_folder:
            if (below := folder(name)) is not None:
                mixed += files
                mixed.append((above + name, below))
                files = []
        elif (kind := file(name)) is not None:
            if entry.is_symlink() and leads_out(above + name, root):
                files.append(File(path=above + name, role=OTHER, status=Status.UNREADABLE, reason=LEADS_OUT))
                continue
            role, status, reason = kind
            try:
                stat = entry.stat()
            except OSError as error:
                files.append(_unreadable(above + name, error))
                continue
            mode = stat.st_mode
            if mode & 0o170000 != 0o100000:
                files.append(_irregular(entry, above + name, role))
                continue
            changed = stat.st_mtime_ns
            files.append(
                File(
                    path=above + name,
                    role=role,
                    size=stat.st_size,
                    mtime_ns=changed if 0 <= changed <= _LATEST else _changed(stat),
                    inode=stat.st_ino,
                    status=status,
                    reason=reason,
                    mode=mode & 0o777,
                )
            )
    return ([], [*mixed, *files]) if mixed else (files, [])


def _unreadable(path: str, error: OSError) -> File:
    nowhere = isinstance(error, FileNotFoundError) or error.errno == errno.ELOOP  # a link to nothing
    return File(path=path, role=OTHER if nowhere else CLOSED, status=Status.UNREADABLE, reason=error.strerror)


def _irregular(entry: os.DirEntry[str], path: str, role: str) -> File:
    """Something that is not a regular file. It is unreadable if it has the name of a file that concerns sessions."""
    is_folder_link = entry.is_symlink() and os.path.isdir(path)  # noqa: PTH112
    reason = "a link to a folder; links are not followed" if is_folder_link else "not a regular file"
    status = Status.IGNORED if is_folder_link or role == OTHER else Status.UNREADABLE
    return File(path=path, role=OTHER, status=status, reason=reason)


def stamp_of(path: str, root: str) -> str:
    """A file's stamp as `walk` gives it; empty where there is no file."""
    if not os.path.lexists(path) or leads_out(os.path.dirname(path), root):  # noqa: PTH120
        return ""
    if not leads_out(path, root) and os.path.isfile(path):  # noqa: PTH113
        return stat_file(Path(path), OTHER).stamp
    return File(path=path, role=OTHER).stamp


def stat_file(path: Path, role: str) -> File:
    """One file by its path."""
    stat = path.stat()
    return File(path=str(path), role=role, size=stat.st_size, mtime_ns=_changed(stat), inode=stat.st_ino)


def _changed(stat: os.stat_result) -> int:
    """When a file was last written, limited to 64 bits: some file systems have earlier and later times."""
    return max(-_LATEST, min(stat.st_mtime_ns, _LATEST))
