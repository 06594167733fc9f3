"""Opening files that others are still writing, in bounded memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.system import files
from pollux.system.files import LARGE
from pollux.text.surrogates import spell_surrogates
from pollux.wire.notes import Notes
from pollux.wire.passing import note_trouble
from pollux.wire.shapes import Malformed, Shape, decode

S = TypeVar("S", bound=Shape)

LONGEST = 1 << 26
"""The longest line that is read. Agents refuse pictures and documents that would make a longer one."""
_LONGEST_SKIP = 1 << 32
"""How far the end of a longer line is searched for."""


def buffered(raw: io.RawIOBase, buffer: int = 1 << 18, notes: Notes | None = None) -> io.BufferedReader:
    """A file line by line, in bounded memory. A large buffer makes reading long lines three times as fast.

    Lines of a file that is no longer than the longest line need no measuring. Its buffer holds the whole file, if that
    is not much larger than `buffer`.
    """
    if isinstance(raw, io.FileIO) and (size := os.fstat(raw.fileno()).st_size) <= LONGEST:
        return io.BufferedReader(raw, min(max(size + 1, io.DEFAULT_BUFFER_SIZE), 4 * buffer))
    return MeasuredLines(raw, buffer, notes)


class MeasuredLines(io.BufferedReader):
    """Lines of a long file. A line that is too long is skipped: it counts as an empty line, and a notice says so."""

    def __init__(self, raw: io.RawIOBase, buffer: int, notes: Notes | None) -> None:
        super().__init__(raw, buffer)
        self.notes = notes

    def __iter__(self) -> Iterator[bytes]:
        """The lines from here on."""
        readline = partial(self.readline, LONGEST + 1)
        for number, line in enumerate(iter(readline, b""), start=1):
            if len(line) <= LONGEST:
                yield line
                continue
            ended = line.endswith(b"\n") or self._skip_line()
            if self.notes is not None:
                before, self.notes.line = self.notes.line, number
                after = "" if ended else ", and so is the rest of the file: the line has no end"
                text = f"A line is longer than {LONGEST >> 20} MiB; skipped{after}."
                self.notes.add("line.too-long", text, Severity.ERROR)
                self.notes.line = before
            if not ended:
                return
            yield b"\n"

    def _skip_line(self) -> bool:
        """Go to the end of the line; False where it is too far away."""
        remaining = _LONGEST_SKIP
        while remaining > 0:
            piece = self.readline(1 << 20)
            if not piece or piece.endswith(b"\n"):
                return True
            remaining -= len(piece)
        return False


def read_bytes(path: str | Path, most: int = LARGE) -> bytes:
    """The whole file. Raises `Unreadable` with the system's reason, or where the file is larger than `most`."""
    with opened(path, buffer=0) as file:
        return files.read_within(file, most)


def read_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file. Raises `Unreadable`."""
    with opened(path, buffer=0) as file:
        return file.read(size)


def read_lines(path: str | Path, notes: Notes | None = None) -> Iterator[tuple[int, bytes]]:
    r"""Every line that is not blank with its number, split at `\n` only."""
    with opened(path, notes=notes) as file:
        yield from numbered_lines(file)


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank with its number."""
    return ((number, line) for number, line in enumerate(lines, start=1) if not line.isspace())


class opened:  # noqa: N801 (used like a function: `with opened(path) as file:`)
    """A regular file opened for reading. Raises `Unreadable` for every error, also for one while it is read.

    `notes` get a notice for each line that is too long.
    """

    def __init__(self, path: str | Path, buffer: int = 1 << 18, notes: Notes | None = None) -> None:
        self.path = path
        self.buffer = buffer
        self.notes = notes

    def __enter__(self) -> BinaryIO:
        try:
            file: Any = files.opened(self.path, buffer=0)
            self._file = buffered(file, self.buffer, self.notes) if self.buffer else file
        except (OSError, ValueError) as error:
            raise unreadable(self.path, error) from error
        return self._file

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._file.close()
        if isinstance(error, OSError):
            raise unreadable(self.path, error) from error


def folder_at(path: str | Path) -> bool:
    """Is this a folder? False where the system does not say, while `Path.is_dir` raises an error."""
    return os.path.isdir(path)  # noqa: PTH112


def unreadable(path: str | Path, error: Exception) -> Unreadable:
    """The error as one sentence."""
    note_trouble(error)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Unreadable(f"{display_path(path)} cannot be read: {reason}.")


def display_path(path: str | Path) -> str:
    """A path as text that can be printed and put into JSON, even if its bytes are not text."""
    return spell_surrogates(os.fspath(path))


def note_bad_line(error: Malformed, raw: bytes, notes: Notes) -> None:
    """Note that a line could not be read. An unfinished last line comes from an agent that still writes, or a crash."""
    if not raw.endswith(b"\n"):
        notes.add(
            "line.torn", "The last line is incomplete: it is being written, or a write was cut off.", Severity.INFO
        )
    else:
        notes.add("line.invalid", f"A line of {len(raw)} bytes is not JSON ({error}); skipped.", Severity.ERROR)


def decoded_lines(path: str, kind: type[S], notes: Notes) -> Iterator[tuple[int, S]]:
    """The lines of a file of JSON objects, each with its number; what cannot be read becomes a notice."""
    name = display_path(os.path.basename(path))  # noqa: PTH119
    try:
        for number, raw in read_lines(path, notes):
            notes.line = number
            try:
                line = decode(kind, raw, notes, name)
            except Malformed as error:
                note_bad_line(error, raw, notes)
                continue
            if line is None:
                notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
            else:
                yield number, line
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
