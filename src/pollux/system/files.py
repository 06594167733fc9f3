"""The one way to open a file, and the one way to make a private one.

An agent's home may hold anything. Only regular files are opened: a FIFO would wait for a writer for ever, and opening a
device may have an effect. No link is followed out of an agent's folder. No file is read beyond a limit that its reader
sets.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import IO, Any, NoReturn, TypedDict, Unpack

from pollux.system import link_bounds

SMALL = 1 << 24
"""The largest file of settings, keys or names that is read."""
LARGE = 1 << 28
"""The largest document or tool output that is read as a whole: agents also rewrite or show these as a whole."""
HUGE = 1 << 32
"""The largest file that is kept or signed."""

_BLOCK = 1 << 16
_MAKING = ".making"
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_INHERITED = ("/dev/fd", "/proc/self/fd", "/dev/stdin")


def opened(path: str | Path, buffer: int = -1) -> io.BufferedReader:
    """A regular file opened for reading. Raises `OSError` for anything else, and for a file outside its bounds."""
    if not stat.S_ISREG(mode := os.stat(path).st_mode):  # noqa: PTH116
        _refuse(path, mode)
    # `open` also takes a name that is not text.
    file: Any = open(path, "rb", buffering=buffer, opener=_opener)  # noqa: SIM115
    try:
        handle = file.fileno()
        if not stat.S_ISREG(mode := os.fstat(handle).st_mode):  # it may have been replaced meanwhile
            _refuse(path, mode)
        link_bounds.check(os.fspath(path), handle)
    except BaseException:
        file.close()
        raise
    return file  # type: ignore[no-any-return]


def read(path: str | Path, most: int = SMALL) -> bytes:
    """A whole file. Raises `OSError`, also where it is larger than `most`."""
    with opened(path, buffer=0) as file:
        return read_within(file, most)


def read_named(path: str | Path) -> bytes:
    """A file that was named on the command line. It may also be a pipe that the shell opened for us."""
    if not os.path.abspath(path).startswith(_INHERITED):  # noqa: PTH100
        return read(path, HUGE)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return read_within(file, HUGE)


def read_within(file: IO[bytes], most: int) -> bytes:
    """The rest of an open file. Raises `OSError` where that is more than `most`."""
    pieces: list[bytes] = []
    size = _size(file)
    remaining = most + 1 if size <= most else 0
    block = max(size + 1, _BLOCK)
    while remaining and (piece := file.read(min(remaining, block))):
        pieces.append(piece)
        remaining -= len(piece)
        block = _BLOCK  # what was added meanwhile
    if not remaining:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20:,} MiB")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _size(file: IO[bytes]) -> int:
    """The size of a file, as the system says. It may grow while it is read."""
    with contextlib.suppress(OSError, ValueError):
        return os.fstat(file.fileno()).st_size
    return 0


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS)


def _refuse(path: str | Path, mode: int) -> NoReturn:
    """Raise the error that says why something is no regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    kind = _KINDS.get(stat.S_IFMT(mode), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", os.fspath(path))


def _check(path: str | Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        _refuse(path, mode)


# ------------------------------------------------------------------------------------------- in a folder of the user's


def below(folder: Path, name: str) -> Path:
    """The path of a file in a folder, by its name with `/`. The file itself may be a link.

    Raises `OSError` where the name leads out of the folder, by itself or by a link in it: the folder may come from a
    stranger.
    """
    steps = name.split("/")
    if any(Path(step).name != step or step in ("", "..") or "\0" in step for step in set(steps)):
        raise OSError(errno.EINVAL, "its name leads out of the folder")
    above = folder
    with contextlib.suppress(FileNotFoundError):  # nothing lies below a missing folder
        for step in steps[:-1]:
            above /= step
            if stat.S_ISLNK(above.lstat().st_mode):
                raise OSError(errno.ELOOP, f"{above} is a link, which is not followed")
    place = folder.joinpath(*steps)
    with contextlib.suppress(FileNotFoundError):
        place.parent.lstat()  # this raises where the name is too long
    return place


def append(path: Path, data: bytes) -> None:
    """Add to the end of a file, which is made where it is missing.

    Raises `OSError` where the path is anything but a regular file with one name: writing to a link, or to a file with
    another name elsewhere, would change a file that nobody named.
    """
    if count_names(path) > 1:
        raise OSError(errno.EMLINK, "it has another name elsewhere")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(path, flags | _FLAGS, 0o666), "ab") as file:  # noqa: PTH123
        _check(path, os.fstat(file.fileno()).st_mode)
        file.write(data)


def count_names(path: Path) -> int:
    """How many names a file has; 0 where it is missing. Raises `OSError` where it is not a regular file, or a link."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a link, which is not followed")
    _check(path, status.st_mode)
    return status.st_nlink


# ---------------------------------------------------------------------------------------------- what is ours alone


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it, that only the user can read: conversations are private."""
    make_folders(folder, 0o700)


def make_folders(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and all missing folders above it, at any depth: Python's own helper calls itself for each level.

    Raises `NotADirectoryError` where something else has the name of one of them.
    """
    missing: list[Path] = []
    while not os.path.isdir(folder) and folder.parent != folder:  # noqa: PTH112
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        try:
            path.mkdir(mode=mode, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from error


def make_private_file(file: Path) -> None:
    """Make a file that only the user can read, or restrict an existing file to the user.

    For files that a library opens: a database gives its other files the mode of this one. A file that exists is not
    opened here: to close it again would take away the locks of a database that this process has open.

    Raises `OSError`, also where the path is not a regular file, or cannot be written to.
    """
    make_private_folder(file.parent)
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))
    except FileExistsError:
        mode = file.stat().st_mode
        _check(file, mode)
        if not os.access(file, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(file)) from None
        _withdraw(file, mode)


def restrict_folder(folder: Path) -> None:
    """Restrict a folder and its files to the user. Raises `ValueError` where one is not a regular file.

    For folders that a library fills.
    """
    _withdraw(folder, folder.stat().st_mode)
    with os.scandir(folder) as entries:
        files = list(entries)
    for entry in files:
        with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
            mode = entry.stat(follow_symlinks=False).st_mode
            if not stat.S_ISREG(mode):
                raise ValueError(f"{entry.path} is not a regular file")
            _withdraw(entry.path, mode)


def _withdraw(path: str | Path, mode: int) -> None:
    """Restrict a file to the user."""
    if mode & 0o077:
        with contextlib.suppress(PermissionError):  # it belongs to another user
            os.chmod(path, stat.S_IMODE(mode) & 0o700)  # noqa: PTH101


def list_folder(folder: Path, suffix: str = "") -> list[Path]:
    """The entries of a folder of ours, sorted by name; none where the folder is missing.

    Raises `OSError` where the folder cannot be listed: `Path.glob` would give nothing then, as if all were lost.
    """
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(suffix))
    except (FileNotFoundError, NotADirectoryError):
        return []


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the system can promise that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def rename_new(draft: Path, place: Path) -> None:
    """Give a finished file its name. Raises `FileExistsError` where the name is taken: nothing is replaced."""
    try:
        os.link(draft, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        try:
            place.lstat()
        except FileNotFoundError:
            draft.replace(place)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
    draft.unlink()


def usual_mode() -> int:
    """The rights that a new file of the user's has, as the mask of the process leaves them."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def created(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A new file to write, private until it is complete, then with this mode. Raises `FileExistsError`."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    with open(path, "xb", opener=opener) as file:
        yield file
        if mode != 0o600:
            file.flush()
            path.chmod(mode)


# -------------------------------------------------------------------------------------- files that appear as a whole


class ReplaceOptions(TypedDict, total=False):
    """The options of `replacing`."""

    mode: int
    mtime_ns: int
    over: bool
    durable: bool


@contextmanager
def replacing(
    place: Path, *, mode: int = 0o600, mtime_ns: int = 0, over: bool = True, durable: bool = False
) -> Iterator[IO[bytes]]:
    """A file to write that appears under its name when it is complete, or not at all.

    `mtime_ns` sets its time. Without `over` it raises `FileExistsError` where the name is taken. A `durable` file is on
    the disk before it gets its name, so that a crash leaves either the old file or the new one.
    """
    draft = place.with_name(f".{_beginning(place.name)}.{os.getpid()}-{get_ident()}{_MAKING}")
    try:
        draft.unlink(missing_ok=True)
        with created(draft, mode) as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mtime_ns:
            os.utime(draft, ns=(mtime_ns, mtime_ns))
        if over:
            draft.replace(place)
        else:
            rename_new(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def remove_drafts(place: Path) -> None:
    """Remove what was left of a file whose writing was broken off by force. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        for draft in list_folder(place.parent, _MAKING):
            if draft.name.startswith(f".{_beginning(place.name)}."):
                draft.unlink()


def _beginning(name: str) -> str:
    """So much of a file's name that another may be made of it: a name has no more than 255 bytes.

    Half a character is left out, and so is one that the system's encoding lacks: some systems refuse them.
    """
    return os.fsencode(name)[:80].decode(sys.getfilesystemencoding(), "ignore")


def write_file(place: Path, content: bytes, **options: Unpack[ReplaceOptions]) -> None:
    """Write a whole file as `replacing` does, and make its folder, private, where it is missing."""
    make_private_folder(place.parent)
    with replacing(place, **options) as file:
        file.write(content)
