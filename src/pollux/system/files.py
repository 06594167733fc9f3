"""The one way to open a file, and the one way to make a private one.

An agent's home holds whatever somebody put there. What is no regular file is never opened: a FIFO waits for a writer
for ever, and opening a device may do something. No link leads out of an agent's folder. No file is read beyond a limit
that its reader sets.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import IO, Any, TypedDict, Unpack

from pollux.system import bounds

SMALL = 1 << 24
"""No file of settings, keys or names is larger."""
LARGE = 1 << 28
"""No document is read as a whole that is larger, and no tool's output: agents rewrite or show them as a whole."""
HUGE = 1 << 32
"""No file is kept or signed that is larger."""

_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_INHERITED = ("/dev/fd", "/proc/self/fd", "/dev/stdin")


def opened(path: str | Path, buffer: int = -1) -> io.BufferedReader:
    """A regular file opened for reading. Raises `OSError` for anything else, and for what is out of bounds."""
    _check(path, os.stat(path).st_mode)  # noqa: PTH116
    # A name that is no text works here too.
    file: Any = open(path, "rb", buffering=buffer, opener=_opener)  # noqa: SIM115
    try:
        _check(path, os.fstat(file.fileno()).st_mode)  # it may have been replaced meanwhile
        bounds.check(os.fspath(path), file.fileno())
    except BaseException:
        file.close()
        raise
    return file  # type: ignore[no-any-return]


def read(path: str | Path, most: int = SMALL) -> bytes:
    """A whole file. Raises `OSError`, also where it is larger than it can be."""
    with opened(path, buffer=0) as file:
        return read_within(file, most)


def read_named(path: str | Path) -> bytes:
    """A file that somebody named on the command line, which may also be a pipe that the shell opened for us."""
    if not os.path.abspath(path).startswith(_INHERITED):  # noqa: PTH100
        return read(path, HUGE)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return read_within(file, HUGE)


def read_within(file: IO[bytes], most: int) -> bytes:
    """All that follows in a file. Raises `OSError` where that is more."""
    pieces: list[bytes] = []
    size = _size(file)
    left = most + 1 if size <= most else 0
    while left and (piece := file.read(min(left, max(size, 1 << 20)))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20:,} MiB")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _size(file: IO[bytes]) -> int:
    """How large a file is, as far as the system tells: it may grow while it is read."""
    with contextlib.suppress(OSError, ValueError):
        return os.fstat(file.fileno()).st_size
    return 0


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS)


def _check(path: str | Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", os.fspath(path))


# ------------------------------------------------------------------------------------------- in a folder of the user's


def below(folder: Path, name: str) -> Path:
    """Where a file of this name, with `/`, lies in a folder. What has the name may be a link.

    Raises `OSError` where the name leads out of the folder, by itself or by a link on its way: a folder may come from
    a stranger.
    """
    steps = name.split("/")
    if any(Path(step).name != step or step in ("", "..") or "\0" in step for step in set(steps)):
        raise OSError(errno.EINVAL, "its name leads out of the folder")
    above = folder
    with contextlib.suppress(FileNotFoundError):  # below a folder that is not there lies nothing
        for step in steps[:-1]:
            above /= step
            if stat.S_ISLNK(above.lstat().st_mode):
                raise OSError(errno.ELOOP, f"{above} is a link, which is not followed")
    place = folder.joinpath(*steps)
    with contextlib.suppress(FileNotFoundError):
        place.parent.lstat()  # a name may also be longer than any can be
    return place


def append(path: Path, data: bytes) -> None:
    """Add to the end of a file, which is made where it is missing.

    Raises `OSError` where anything but a regular file with one name is there: what is written to a link, or to a file
    that has another name elsewhere, reaches a file that nobody named.
    """
    if names(path) > 1:
        raise OSError(errno.EMLINK, "it has another name elsewhere")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(path, flags | _FLAGS, 0o666), "ab") as file:  # noqa: PTH123
        _check(path, os.fstat(file.fileno()).st_mode)
        file.write(data)


def names(path: Path) -> int:
    """How many names a file has, 0 where none is there. Raises `OSError` where it is no regular file, links too."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a link, which is not followed")
    _check(path, status.st_mode)
    return status.st_nlink


# ---------------------------------------------------------------------------------------------- what is ours alone


def private(folder: Path) -> None:
    """Make a folder that nobody else can look into, and those above it: conversations are for their user alone."""
    make_folders(folder, 0o700)


def make_folders(folder: Path, mode: int = 0o777) -> None:
    """Make a folder, and all above it that are missing, however deep it lies: Python's own helper calls itself."""
    missing: list[Path] = []
    while not os.path.isdir(folder) and folder.parent != folder:  # noqa: PTH112
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=mode, exist_ok=True)


def secure(file: Path) -> None:
    """Make a file that nobody else can read, or take that right from others where it is there.

    For files that somebody else opens: a database makes its other files with the rights of this one. Raises `OSError`,
    also where something else than a regular file has its name.
    """
    private(file.parent)
    with contextlib.suppress(FileNotFoundError):
        _check(file, file.stat().st_mode)
    handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | _FLAGS, 0o600)
    try:
        _withdraw(file, os.fstat(handle).st_mode)
    finally:
        os.close(handle)


def seclude(folder: Path) -> None:
    """Take the right to read a folder's files from others. Raises `ValueError` where one is no regular file.

    For folders that somebody else fills.
    """
    _withdraw(folder, folder.stat().st_mode)
    with os.scandir(folder) as entries:
        listed = list(entries)
    for entry in listed:
        with contextlib.suppress(FileNotFoundError):  # it went while we looked
            mode = entry.stat(follow_symlinks=False).st_mode
            if not stat.S_ISREG(mode):
                raise ValueError(f"{entry.path} is no regular file")
            _withdraw(entry.path, mode)


def _withdraw(path: str | Path, mode: int) -> None:
    """Take all rights from others."""
    if mode & 0o077:
        with contextlib.suppress(PermissionError):  # somebody else's, whom we may not tell
            os.chmod(path, stat.S_IMODE(mode) & 0o700)  # noqa: PTH101


def listed(folder: Path, suffix: str = "") -> list[Path]:
    """What lies in a folder of ours, by name; nothing where there is none.

    Raises `OSError` where it cannot be listed: `Path.glob` gives nothing then, as if all were lost.
    """
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(suffix))
    except (FileNotFoundError, NotADirectoryError):
        return []


def settle_folder(folder: Path) -> None:
    """The names in a folder survive a loss of power, where the system can promise that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def rename_new(making: Path, place: Path) -> None:
    """Give a finished file its name, unless something has it (`FileExistsError`): nothing is ever replaced."""
    try:
        os.link(making, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        try:
            place.lstat()
        except FileNotFoundError:
            making.replace(place)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
    making.unlink()


def usual_mode() -> int:
    """The rights that a new file of the user's has, as the mask of the process leaves them."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def created(path: Path, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A new file to write, for us alone until it is whole, then with this mode. Raises `FileExistsError`."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    with open(path, "xb", opener=opener) as file:
        yield file
        if mode != 0o600:
            file.flush()
            path.chmod(mode)


# -------------------------------------------------------------------------------------- files that appear as a whole


class How(TypedDict, total=False):
    """What may be asked of `replacing`."""

    mode: int
    mtime_ns: int
    over: bool
    durable: bool


@contextmanager
def replacing(
    place: Path, *, mode: int = 0o600, mtime_ns: int = 0, over: bool = True, durable: bool = False
) -> Iterator[IO[bytes]]:
    """A file to write that appears under its name when it is whole, or not at all.

    It gets the time where one is given. Where it is not to go `over` another one, that raises `FileExistsError`. A
    `durable` file has reached the disk before it gets its name, so that a crash leaves the old one or the new one.
    """
    draft = place.with_name(f".{_beginning(place.name)}.{os.getpid()}-{get_ident()}.making")
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


def _beginning(name: str) -> str:
    """So much of a file's name that another may be made of it: a name has no more than 255 bytes."""
    return os.fsencode(name)[:80].decode("utf-8", "ignore")


def write_file(place: Path, content: bytes, **how: Unpack[How]) -> None:
    """Write a whole file at once, as `replacing` does; its folder is made, private, where there is none."""
    private(place.parent)
    with replacing(place, **how) as file:
        file.write(content)
