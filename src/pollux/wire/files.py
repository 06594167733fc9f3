"""Opening files that others are still writing, and folders for what is read from them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.wire.notes import Notes
from pollux.wire.shapes import Malformed


def read_bytes(path: str | Path) -> bytes:
    """The whole file. Raises `Unreadable` with the system's reason."""
    with opened(path, buffer=0) as file:
        return file.read()


def read_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file. Raises `Unreadable`."""
    with opened(path, buffer=0) as file:
        return file.read(size)


def read_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    r"""Every line that is not blank with its number, split at `\n` only."""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.isspace():
                yield number, line


@contextmanager
def opened(path: str | Path, buffer: int = 1 << 18) -> Iterator[BinaryIO]:
    """A file opened for reading. Whatever goes wrong with it, now or while it is read, is `Unreadable`."""
    try:
        # A name that is no text works here too. A large buffer makes reading long lines three times as quick.
        file = open(path, "rb", buffering=buffer)  # noqa: PTH123, SIM115
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        with file:
            yield file
    except OSError as error:
        raise unreadable(path, error) from error


def folder_at(path: str | Path) -> bool:
    """Is there a folder? Where the system does not tell, there is none: `Path.is_dir` raises then."""
    return os.path.isdir(path)  # noqa: PTH112


def unreadable(path: str | Path, error: Exception) -> Unreadable:
    """The error as one sentence."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Unreadable(f"{shown(path)} cannot be read: {reason}.")


def shown(path: str | Path) -> str:
    """A path as text that can be printed and put into JSON, also where its bytes are no text."""
    if type(path) is str and path.isascii():
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def note_bad_line(error: Malformed, raw: bytes, notes: Notes) -> None:
    """Say that a line could not be read; an unfinished last one is the agent still writing, or a crash."""
    if not raw.endswith(b"\n"):
        notes.add(
            "line.torn", "The last line is incomplete: it is being written, or a write was cut off.", Severity.INFO
        )
    else:
        notes.add("line.invalid", f"A line of {len(raw)} bytes is not JSON ({error}); skipped.", Severity.ERROR)


def private(folder: Path) -> None:
    """Make a folder that nobody else can look into: agents write conversations for their user alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
