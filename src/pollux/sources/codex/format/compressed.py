"""Session files as plain bytes, also those that are compressed (`.zst`, 0.137+)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

from pollux.model import Severity
from pollux.wire import LARGE, Notes, buffered, opened, unreadable

MAGIC = b"\x28\xb5\x2f\xfd"
# A frame may ask for a window of any size; what Codex writes needs far less than this.
_WINDOW = 1 << 27
# Only so many bytes are unpacked at a time, so that a small file cannot become a large one at once.
_BITE = 1024
# Compression makes a session ten to fifty times smaller. A file that unpacks to more than `_MOST` times its size is a
# trap, unless the result is small. No session is larger than `_LARGEST`.
_LEAST, _MOST, _LARGEST = 1 << 24, 100, 1 << 30


class unpacked(opened):  # noqa: N801 (used like a function, as `opened` is)
    """A session file opened for reading as plain bytes; compressed ones are unpacked as they are read.

    A compressed file that is cut off or damaged ends there, and a notice says so.
    """

    def __init__(self, path: str, notes: Notes) -> None:
        super().__init__(path, notes=notes)
        self._notes = notes

    def __enter__(self) -> BinaryIO:
        file = super().__enter__()
        try:
            is_packed = file.peek(4)[:4] == MAGIC  # type: ignore[attr-defined]
        except OSError as error:
            file.close()
            raise unreadable(self.path, error) from error
        return buffered(_DecompressedFile(file, self._notes), notes=self._notes) if is_packed else file


def plain_bytes(raw: bytes) -> bytes:
    """The plain bytes of a session file. Compressed ones are unpacked as far as possible."""
    if not raw.startswith(MAGIC):
        return raw
    plain = io.BytesIO()
    for piece in _pieces(io.BytesIO(raw), Notes()):
        if plain.write(piece) and plain.tell() > LARGE:
            break
    return plain.getvalue()


def unpacked_head(head: bytes) -> bytes:
    """The first bytes of a compressed file, unpacked as far as possible; perhaps none."""
    return next(_pieces(io.BytesIO(head[:_BITE]), Notes()), b"")


class _DecompressedFile(io.RawIOBase):
    """The plain bytes of a compressed file, as far as it can be unpacked."""

    def __init__(self, file: BinaryIO, notes: Notes) -> None:
        self._pieces = _pieces(file, notes)
        self._without_content = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill the buffer with the next bytes."""
        while not self._without_content:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._without_content = memoryview(piece)
        size = min(len(buffer), len(self._without_content))
        buffer[:size] = self._without_content[:size]
        self._without_content = self._without_content[size:]
        return size


def _pieces(file: BinaryIO, notes: Notes) -> Iterator[bytes]:
    """The unpacked bytes of all frames, a few at a time."""
    frame = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
    is_open = False
    packed_size = plain_size = 0
    while bite := file.read(_BITE):
        packed_size += len(bite)
        while bite:
            is_open = True
            try:
                piece = frame.decompress(bite)
            except zstandard.ZstdError as error:
                _note(notes, f"The compressed file is damaged ({error}); read as far as it goes.")
                return
            bite = frame.unused_data
            if frame.eof:
                frame = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
                is_open = False
            if piece:
                yield piece
                plain_size += len(piece)
        if plain_size > min(_LARGEST, max(_LEAST, _MOST * packed_size)):
            size = f"{_MOST} times as large" if plain_size <= _LARGEST else f"{_LARGEST >> 20:,} MiB"
            _note(notes, f"The compressed file becomes more than {size}; read up to there.")
            return
    if is_open:
        _note(notes, "The compressed file is cut off; read as far as it goes.")


def _note(notes: Notes, text: str) -> None:
    line, notes.line = notes.line, None
    notes.add("file.truncated", text, Severity.ERROR)
    notes.line = line
