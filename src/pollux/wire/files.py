"""Opening files that others are still writing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.wire.notes import Notes
from pollux.wire.shapes import Malformed


def read_bytes(path: str | Path) -> bytes:
    """The whole file. Raises `Unreadable` with the system's reason."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (a name that is no text works here too)
            return file.read()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def read_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file. Raises `Unreadable`."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(size)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def read_lines(path: str | Path) -> Iterator[tuple[int, bytes, bool]]:
    r"""Every line that is not blank, split at `\n` only: number, bytes, and whether its end was written."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            for number, line in enumerate(file, start=1):
                if not line.isspace():
                    yield number, line, line.endswith(b"\n")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def unreadable(path: str | Path, error: Exception) -> Unreadable:
    """The error as one sentence."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Unreadable(f"{shown(path)} cannot be read: {reason}.")


def shown(path: str | Path) -> str:
    """A path as text that can be printed and put into JSON, also where its bytes are no text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def note_bad_line(error: Malformed, raw: bytes, ended: bool, notes: Notes) -> None:
    """Say that a line could not be read; an unfinished last one is the agent still writing, or a crash."""
    if not ended:
        notes.add("line.torn", "The last line is incomplete: it is being written, or a write was cut off.", Severity.INFO)
    else:
        notes.add("line.invalid", f"A line of {len(raw)} bytes is not JSON ({error}); skipped.", Severity.ERROR)
