"""Where an export goes: files that appear whole or not at all, and never among the agents' own."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISREG

from pollux.cli.clean import clean
from pollux.errors import OutputError

Write = Callable[[str], object]


class Target:
    """A file or a folder to write to; `last` is the file written last. `forbidden` folders must not be written in."""

    def __init__(self, path: str, *, several: bool, forbidden: list[Path]) -> None:
        self.path = Path(path)
        self.last = self.path
        self.is_folder = several or self.path.is_dir() or path.endswith(("/", os.sep))
        self._forbidden = [os.path.realpath(folder) for folder in forbidden]
        self._protect(self.path)
        if self.is_folder:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise _failed(self.path, error) from error

    def _protect(self, path: Path) -> None:
        """The agents' files are only ever read."""
        real = os.path.realpath(path)
        for folder in self._forbidden:
            if real == folder or real.startswith(folder + os.sep):
                raise OutputError(f"{clean(str(path))} lies among an agent's own files, which pollux only reads.")

    @contextlib.contextmanager
    def open(self, name: str, *, force: bool) -> Iterator[Write]:
        """Write one session: in a folder under this name, else to the file."""
        path = self.last = self.path / name if self.is_folder else self.path
        if not self.is_folder and not force and _holds_something(path):
            raise OutputError(f"{clean(str(path))} exists already.", "--force overwrites it.")
        try:
            if path.exists() and not path.is_file() and not path.is_dir():
                with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as device:
                    yield device.write
            else:
                with replaced(path) as write:
                    yield write
        except OSError as error:
            raise _failed(path, error) from error


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Write]:
    """Write a file beside the old one, and put it in its place when it is whole."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".pollux-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            yield out.write
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _holds_something(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    return S_ISREG(status.st_mode) and status.st_size > 0


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{clean(str(path))} cannot be written: {error.strerror or error}.")
