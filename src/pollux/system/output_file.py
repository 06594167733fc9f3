"""A file to write: it appears complete or not at all, and never among the agents' own files."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from stat import S_ISREG

from pollux.errors import OutputError
from pollux.system.files import replacing, usual_mode
from pollux.system.termination import termination_raises
from pollux.text.shell import shell_word

Write = Callable[[str | bytes], object]


def to_bytes(piece: str | bytes) -> bytes:
    """A piece of a file in bytes; half a character is escaped."""
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace")


def protect(path: Path, forbidden: Iterable[Path]) -> None:
    """Raise `OutputError` where a path lies in one of these folders: the agents' files are only ever read."""
    real = os.path.realpath(path)
    for folder in map(os.path.realpath, forbidden):
        if real == folder or real.startswith(folder + os.sep):
            raise OutputError(f"{path} lies among an agent's own files, which pollux only reads.")


class OutputFile:
    """A file that must not lie in `forbidden` folders, and is overwritten only where `force` says so."""

    def __init__(self, path: str, *, forbidden: Iterable[Path], force: bool = False) -> None:
        self.path = Path(path)
        self._force = force
        protect(self.path, forbidden)

    def check(self) -> None:
        """Raise `OutputError` where something is there that must stay."""
        if not self._force and _holds_something(self.path):
            raise OutputError(f"{self.path} exists already.", "--force overwrites it.")

    def write(self, text: str | bytes) -> None:
        """Write all of it. Raises `OutputError`."""
        with self.open() as write:
            write(text)

    @contextlib.contextmanager
    def open(self) -> Iterator[Write]:
        """Write to it."""
        self.check()
        try:
            if self.path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if self.path.exists() and not self.path.is_file():
                with self.path.open("wb") as device:
                    yield lambda piece: device.write(to_bytes(piece))
            else:
                with new_file(self.path) as write:
                    yield write
        except OSError as error:
            raise write_error(self.path, error) from error


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Write]:
    """A file with the usual rights that appears under its name when it is complete. A signal to end leaves nothing."""
    with termination_raises(), replacing(path, mode=usual_mode()) as file:
        yield lambda piece: file.write(to_bytes(piece))


def write_error(path: Path, error: OSError) -> OutputError:
    """The error for the user."""
    folder = path.parent
    lacks = error.errno == errno.ENOENT and not os.path.lexists(folder)
    hint = f"There is no folder {folder}. Try: mkdir -p {shell_word(str(folder))}" if lacks else None
    return OutputError(f"{path} cannot be written: {error.strerror or error}.", hint)


def _holds_something(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    return S_ISREG(status.st_mode) and status.st_size > 0
