"""Opening files that others are still writing, without ever holding more of them than they are worth."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.system import files
from pollux.system.files import LARGE
from pollux.text.surrogates import spelled_out
from pollux.wire.notes import Notes
from pollux.wire.shapes import Malformed, Shape, decode

S = TypeVar("S", bound=Shape)

LONGEST = 1 << 26
"""No line of a session is longer: agents refuse pictures and documents that are."""
_PASSED_OVER = 1 << 32
"""So far the end of a longer one is looked for."""


class Lines(io.BufferedReader):
    """A file line by line, in bounded memory.

    A line that is too long is passed over: it counts as an empty one, and a notice says so.
    """

    def __init__(self, raw: io.RawIOBase, buffer: int, notes: Notes | None = None) -> None:
        super().__init__(raw, buffer)
        self.notes = notes

    def __iter__(self) -> Iterator[bytes]:
        """The lines from here on. In a file that is no longer than a line may be, nothing need be measured."""
        if isinstance(self.raw, io.FileIO) and os.fstat(self.raw.fileno()).st_size <= LONGEST:
            return super().__iter__()
        return self._measured()

    def _measured(self) -> Iterator[bytes]:
        readline = partial(self.readline, LONGEST + 1)
        for number, line in enumerate(iter(readline, b""), start=1):
            if len(line) <= LONGEST:
                yield line
                continue
            whole = line.endswith(b"\n") or self._pass_over()
            if self.notes is not None:
                before, self.notes.line = self.notes.line, number
                after = "" if whole else ", and so is what follows: its end was not found"
                text = f"A line is longer than {LONGEST >> 20} MiB; skipped{after}."
                self.notes.add("line.too-long", text, Severity.ERROR)
                self.notes.line = before
            if not whole:
                return
            yield b"\n"

    def _pass_over(self) -> bool:
        """Go to the end of a line; False where it is too far away."""
        left = _PASSED_OVER
        while left > 0:
            piece = self.readline(1 << 20)
            if not piece or piece.endswith(b"\n"):
                return True
            left -= len(piece)
        return False


def read_bytes(path: str | Path, most: int = LARGE) -> bytes:
    """The whole file. Raises `Unreadable` with the system's reason, or where it is larger than it can be."""
    with opened(path, buffer=0) as file:
        return files.read_within(file, most)


def read_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file. Raises `Unreadable`."""
    with opened(path, buffer=0) as file:
        return file.read(size)


def read_lines(path: str | Path, notes: Notes | None = None) -> Iterator[tuple[int, bytes]]:
    r"""Every line that is not blank with its number, split at `\n` only."""
    with opened(path, notes=notes) as file:
        yield from filled(file)


def filled(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank with its number."""
    return ((number, line) for number, line in enumerate(lines, start=1) if not line.isspace())


@contextmanager
def opened(path: str | Path, buffer: int = 1 << 18, notes: Notes | None = None) -> Iterator[BinaryIO]:
    """A regular file opened for reading. Whatever goes wrong with it, now or while it is read, is `Unreadable`.

    A large buffer makes reading long lines three times as quick. `notes` are told of lines that are too long.
    """
    try:
        file: Any = files.opened(path, buffer=0)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        with Lines(file, buffer, notes) if buffer else file as reader:
            yield reader
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
    return spelled_out(os.fspath(path))


def note_bad_line(error: Malformed, raw: bytes, notes: Notes) -> None:
    """Say that a line could not be read; an unfinished last one is the agent still writing, or a crash."""
    if not raw.endswith(b"\n"):
        notes.add(
            "line.torn", "The last line is incomplete: it is being written, or a write was cut off.", Severity.INFO
        )
    else:
        notes.add("line.invalid", f"A line of {len(raw)} bytes is not JSON ({error}); skipped.", Severity.ERROR)


def decoded_lines(path: str, kind: type[S], notes: Notes) -> Iterator[tuple[int, S]]:
    """The lines of a file of JSON objects, each with its number; what cannot be read becomes a notice."""
    try:
        for number, raw in read_lines(path, notes):
            notes.line = number
            try:
                line = decode(kind, raw, notes)
            except Malformed as error:
                note_bad_line(error, raw, notes)
                continue
            if line is None:
                notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
            else:
                yield number, line
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
