"""Going through an agent's folders: names and stat only, and nothing passed over in silence.

Before every command each of thousands of files is looked at. So a source only says what a name means, in which folder;
the going is done here, with as few steps for a file as there can be.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pollux.sources.base import File, Status
from pollux.system.bounds import LEADS_OUT, bind, check, leads_out

OTHER = "other"
CLOSED = "closed"
"""The role of what the system does not let us look into: nobody knows what it holds."""

Place = tuple[str, Status, str | None]
"""A file's role, and what `doctor` says of it and why, unless a session was read from it."""

_LATEST = (1 << 63) - 1
_name = attrgetter("name")


class Way(NamedTuple):
    """How to go through a folder: what a file of a name is there, and the way through a folder of a name.

    Either may be None: it is passed over. Where such a folder is not the agent's own, nobody is told that it cannot be
    opened.
    """

    file: Callable[[str], Place | None]
    folder: Callable[[str], Way | None]
    own: bool = True


def all_as(place: Place) -> Way:
    """The way through a folder in which every file is the same, however deep it lies."""
    way: Way = Way(lambda _: place, lambda _: way)
    return way


def ignored(reason: str) -> Place:
    """The place of a file that is no session, and known to be none."""
    return OTHER, Status.IGNORED, reason


def unknown(reason: str) -> Place:
    """The place of a file that nobody expected there."""
    return OTHER, Status.UNKNOWN, reason


def walk(folder: str, way: Way, files: list[File], root: str | None = None) -> list[File]:
    """Add what lies below a folder to some files, by name. A folder that cannot be opened is an unreadable file.

    The folder may itself be a link, as a person set it up. No link below it leads out of it, or of the root that is
    named: now, and whenever one of these files is opened. However deep folders lie in one another, one of them is open
    at a time.
    """
    base = folder if root is None else root
    bind(folder, base)
    waiting: list[File | Below] = [(folder, way)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, File):
            files.append(one)
            continue
        found, below = _inside(*one, base)
        if below:
            waiting += reversed(below)
        else:
            files += found
    return files


Below = tuple[str, Way]
"""A folder that is still to be looked into."""


def _inside(folder: str, way: Way, root: str) -> tuple[list[File], list[File | Below]]:
    """The files in a folder, by name; where there are folders too, both of them."""
    try:
        handle = _opened(folder)
        try:
            if isinstance(handle, int):
                check(folder, handle)
            with os.scandir(handle) as opened:
                listed = sorted(opened, key=_name)
            return _each(listed, folder if folder.endswith(os.sep) else folder + os.sep, way, root)
        finally:
            if isinstance(handle, int):
                os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        return [_unreadable(folder, error)] if way.own else [], []


def refused(folder: str) -> str | None:
    """Why the system does not let us look into a folder; None where it does, or where there is none."""
    try:
        os.scandir(folder).close()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error.strerror
    return None


def closed(files: Iterable[File]) -> list[File]:
    """Folders and files that the system does not let us look into."""
    return [file for file in files if file.role == CLOSED]


def barred(files: Iterable[File]) -> list[File]:
    """Files that we may see but not read, as their modes tell: also such as were read while we might."""
    return [file for file in files if file.role not in (CLOSED, OTHER) and _bars(file)]


def _bars(file: File) -> bool:
    return not file.mode & 0o400 and not os.access(file.path, os.R_OK)


def _opened(folder: str) -> int | str:
    """A folder as files are looked up in it: by a handle where there are such, so that its path is followed once."""
    if os.scandir in os.supports_fd:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)
    return folder


def _each(listed: list[os.DirEntry[str]], above: str, way: Way, root: str) -> tuple[list[File], list[File | Below]]:
    """See `_inside`."""
    file, inner, _ = way
    found: list[File] = []
    both: list[File | Below] = []
    for entry in listed:
        name = entry.name
        if _is_folder(entry):
            if (below := inner(name)) is not None:
                both += found
                both.append((above + name, below))
                found = []
        elif (place := file(name)) is not None:
            if entry.is_symlink() and leads_out(above + name, root):
                found.append(File(path=above + name, role=OTHER, status=Status.UNREADABLE, reason=LEADS_OUT))
                continue
            role, status, reason = place
            try:
                stat = entry.stat()
            except OSError as error:
                found.append(_unreadable(above + name, error))
                continue
            found.append(
                File(
                    path=above + name,
                    role=role,
                    size=stat.st_size,
                    mtime_ns=_changed(stat),
                    inode=stat.st_ino,
                    status=status,
                    reason=reason,
                    mode=stat.st_mode & 0o777,
                )
                if stat.st_mode & 0o170000 == 0o100000
                else _odd(entry, above + name, role)
            )
    return ([], [*both, *found]) if both else (found, [])


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Links to folders are not followed below a root: they could lead in circles."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _unreadable(path: str, error: OSError) -> File:
    nowhere = isinstance(error, FileNotFoundError) or error.errno == errno.ELOOP  # a link that leads nowhere
    return File(path=path, role=OTHER if nowhere else CLOSED, status=Status.UNREADABLE, reason=error.strerror)


def _odd(entry: os.DirEntry[str], path: str, role: str) -> File:
    """What is no plain file after all. Where it has the name of one that is about sessions, that one is missing."""
    linked = entry.is_symlink() and os.path.isdir(path)  # noqa: PTH112
    odd = "a link to a folder; links are not followed" if linked else "not a regular file"
    status = Status.IGNORED if linked or role == OTHER else Status.UNREADABLE
    return File(path=path, role=OTHER, status=status, reason=odd)


def stamp_of(path: str, root: str) -> str:
    """A file's stamp as `walk` has it; none where there is no file."""
    if not os.path.lexists(path) or leads_out(os.path.dirname(path), root):  # noqa: PTH120
        return ""
    if not leads_out(path, root) and os.path.isfile(path):  # noqa: PTH113
        return stat_file(Path(path), OTHER).stamp
    return File(path=path, role=OTHER).stamp


def stat_file(path: Path, role: str) -> File:
    """One file handed over by path."""
    stat = path.stat()
    return File(path=str(path), role=role, size=stat.st_size, mtime_ns=_changed(stat), inode=stat.st_ino)


def _changed(stat: os.stat_result) -> int:
    """When a file was written to, within what 64 bits hold: some file systems know earlier and later times."""
    return max(-_LATEST, min(stat.st_mtime_ns, _LATEST))
