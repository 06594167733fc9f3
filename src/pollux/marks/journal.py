"""A file of lines that is only ever appended to, by one process at a time.

A process that is killed leaves at most an unfinished line at the end: readers pass over it, and the next writer cuts it
away. Everything else is as it was.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pollux.errors import StoreError
from pollux.system.decoders import json_decoder
from pollux.system.files import LARGE, make_private_folder, read, replacing
from pollux.system.locks import owner, write_lock

Line = TypeVar("Line", bound=msgspec.Struct)

_LOCK = "lock"
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class Journal(Generic[Line]):
    """Lines of JSON, each of the same kind. Reading needs no lock.

    `damaged` counts the lines that could not be read; they stay where they are.
    """

    def __init__(self, file: Path, kind: type[Line]) -> None:
        self.file = file
        self.damaged = 0
        self._decode = json_decoder(kind).decode
        self._encode = msgspec.json.Encoder().encode
        self._stamp: tuple[int, ...] | None = None
        self._lines: Sequence[Line] = ()
        self._mutex = threading.Lock()

    def stamp(self) -> tuple[int, ...] | None:
        """A value that changes with the file; None where there is none."""
        try:
            status = self.file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unusable(self.file, error) from error
        return status.st_ino, status.st_size, status.st_mtime_ns

    def lines(self) -> Sequence[Line]:
        """All lines, the oldest first. Raises `StoreError` where the file cannot be read."""
        with self._mutex:
            stamp = self.stamp()
            if stamp is None:
                self._stamp, self._lines, self.damaged = None, (), 0
            elif stamp != self._stamp:
                self._lines = self._parsed(self._content())
                self._stamp = stamp
            return self._lines

    def _content(self) -> bytes:
        try:
            return read(self.file, LARGE)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _unusable(self.file, error) from error

    def _parsed(self, content: bytes) -> list[Line]:
        self.damaged = 0
        lines: list[Line] = []
        *complete, rest = content.split(b"\n")
        for raw in (*complete, rest):
            try:
                lines.append(self._decode(raw))
            except (msgspec.DecodeError, UnicodeDecodeError):  # the last one may still be being written
                self.damaged += bool(raw.strip()) and raw is not rest
        return lines

    def append(self, make: Callable[[Sequence[Line]], Sequence[Line]]) -> Sequence[Line]:
        """Add the lines that `make` returns for all lines so far. Other writers wait meanwhile. Raises `StoreError`."""
        with self._writing():
            new = make(self._parsed(self._content()))
            if new:
                self._add(b"".join(self._encode(line) + b"\n" for line in new))
        return new

    def _add(self, data: bytes) -> None:
        """Add bytes to the end: all, or none where the disk is full."""
        with open(os.open(self.file, _FLAGS, 0o600), "r+b", buffering=0) as file:  # noqa: PTH123
            end = self._cut(file.fileno())
            try:
                written = 0
                while written < len(data):
                    written += file.write(data[written:]) or 0
                os.fsync(file.fileno())
            except BaseException:
                with contextlib.suppress(OSError):
                    os.ftruncate(file.fileno(), end)
                raise

    def _cut(self, handle: int) -> int:
        """Cut away an unfinished line, or finish one that only lacks its end. Returns the size of the file."""
        content = self._content()
        rest = content.rpartition(b"\n")[2]
        if not rest:
            return len(content)
        try:
            self._decode(rest)
        except (msgspec.DecodeError, UnicodeDecodeError):
            os.ftruncate(handle, len(content) - len(rest))
            return len(content) - len(rest)
        os.write(handle, b"\n")
        return len(content) + 1

    def rewrite(self, make: Callable[[Sequence[Line]], Sequence[Line]]) -> None:
        """Replace all lines by those that `make` returns. A crash leaves the old file or the new one."""
        with self._writing():
            lines = make(self._parsed(self._content()))
            with replacing(self.file, durable=True) as file:
                file.write(b"".join(self._encode(line) + b"\n" for line in lines))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        lock = self.file.with_name(_LOCK)
        try:
            make_private_folder(self.file.parent)
            with write_lock(lock, lambda _: None) as mine:
                if mine is None:
                    raise StoreError(f"{owner(lock)} is writing to {self.file}, and hangs.", "Try again later.")
                yield
        except OSError as error:
            raise _unusable(self.file, error) from error


def _unusable(file: Path, error: OSError) -> StoreError:
    if Path(os.devnull) in file.parents:  # pollux keeps nothing of its sample
        return StoreError("The sample history is read-only.")
    return StoreError(f"{file} cannot be used: {error.strerror or error}.")
