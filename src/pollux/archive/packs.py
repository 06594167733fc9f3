"""Pack files: records that are only ever appended, each with its own checksums.

A process that is killed, or a disk that is full, leaves at most a record cut off at the end; the next writer cuts it
away. A record damaged in the middle is stepped over: the next one is found by its mark. Nothing is written in place.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from pollux.errors import StoreError
from pollux.model import Value
from pollux.system.decoders import msgpack_decoder
from pollux.system.files import created, make_private_file, rename_new
from pollux.wire import display_path

BEGINS = b"pollux archive "
MAGIC = BEGINS + b"1\n"
SUFFIX, MAKING = ".pack", ".making"
_NEWER = re.compile(BEGINS + rb"\d+\s")
_MARK, _END = b"\xf5plx", b"xlp\xf5"
_FRAME = struct.Struct("<4sIBIQI")  # mark, check of all that follows but the payload, kind, lengths, payload's check
_LOOK = 1 << 20
_HASH = 32
LARGEST = (1 << 63) - 1
"""The largest figure that a record holds."""
LATEST = 253_370_764_800_000_000
"""The last year (9999, in microseconds) that dates go up to."""
_LONGEST_HEAD = 1 << 24
_LONGEST_NAME = 60


class Kind(IntEnum):
    """What a record holds."""

    CONTENT = 1
    STATE = 2
    REPLACES = 3
    MARKS = 4


class Content(Value, frozen=True, kw_only=True):
    """The head of a content: `size` bytes with the hash `sha`.

    The first `copied` of them are those of `base`. The record's payload is the rest, compressed with `known` bytes of
    the base as the dictionary: those before the end of the copied part.
    """

    sha: bytes
    size: int
    base: bytes | None = None
    copied: int = 0
    known: int = 0


class State(Value, frozen=True, kw_only=True):
    """The head of a state: a file at one time. Without `sha` the file was gone.

    `home` is the folder around the agent's sessions, `path` the path below it; both are bytes, as names of files are.
    `mode` has the permissions; the first releases did not record them. `taken`: the state was imported.
    """

    agent: str
    home: bytes
    path: bytes
    at: int
    change: str
    sha: bytes | None = None
    size: int = 0
    mtime_ns: int = 0
    mode: int | None = None
    taken: bool = False


class ReplacedPack(Value, frozen=True, kw_only=True):
    """The part of a pack that a new pack replaced: its records up to `reach`, without `damaged` stretches up to `hole`.

    The file had `size` bytes with the hash `sha`. Another file with that name is a pack of its own. The first
    releases recorded only names.
    """

    name: str
    reach: int = LARGEST
    size: int = -1
    sha: bytes = b""
    damaged: int = 0
    hole: int = 0


class Replacement(Value, frozen=True, kw_only=True):
    """The first record of a pack that replaces others: their names, and the packs that those had replaced."""

    packs: tuple[str, ...]
    taken: tuple[ReplacedPack, ...] = ()


class MarkLines(Value, frozen=True, kw_only=True):
    """The head of a record with the user's marks; only an exported archive has one. The payload is their journal."""

    lines: int


Head = Content | State | Replacement | MarkLines

HEADS: dict[Kind, type[Head]] = {
    Kind.CONTENT: Content,
    Kind.STATE: State,
    Kind.REPLACES: Replacement,
    Kind.MARKS: MarkLines,
}
_DECODERS: dict[Kind, Any] = {kind: msgpack_decoder(head) for kind, head in HEADS.items()}
_KINDS = {head: kind for kind, head in HEADS.items()}


class Record(NamedTuple):
    """One record: its head, and where its payload stands."""

    head: Head
    offset: int
    payload: int
    length: int
    check: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.payload + self.length + len(_END)


class Damage(NamedTuple):
    """Bytes that are no record. They are `torn` if they are an unfinished record at the end."""

    offset: int
    end: int
    torn: bool


def begin(path: Path) -> None:
    """Make an empty pack; it is there as a whole, or not. Raises `FileExistsError`: no pack is ever replaced."""
    making = path.with_suffix(MAKING)
    draft(making)
    rename_new(making, path)


def draft(making: Path) -> None:
    """An empty pack that has no name yet. What an earlier try left is removed."""
    making.unlink(missing_ok=True)
    with created(making) as file:
        file.write(MAGIC)
        file.flush()
        os.fsync(file.fileno())


def recognise(file: IO[bytes], path: Path) -> bool:
    """Does this begin as a pack does? Raises `StoreError` for one that a newer pollux wrote."""
    file.seek(0)
    first = file.read(len(MAGIC))
    if _NEWER.match(first) and first != MAGIC:
        raise StoreError(f"{display_path(path)} was written by a newer pollux.", "Update pollux to read it.")
    return first == MAGIC


def framed(head: Head, payload: bytes = b"") -> bytes:
    """A record as it is written, but for the payload behind it."""
    raw = msgspec.msgpack.encode(head)
    fields = struct.pack("<BIQI", _KINDS[type(head)], len(raw), len(payload), zlib.crc32(payload))
    return _MARK + struct.pack("<I", zlib.crc32(raw, zlib.crc32(fields))) + fields + raw


def scan(file: IO[bytes], start: int = len(MAGIC)) -> Iterator[Record | Damage]:
    """The records from a place on. One that no pollux can have written is damage. Payloads are stepped over."""
    end = file.seek(0, os.SEEK_END)
    place = start
    while place < end:
        record = _record(file, place, end)
        if record is not None:
            yield record if _possible(record.head) else Damage(place, record.end, torn=False)
            place = record.end
            continue
        following = _resume(file, place + 1, end)
        yield Damage(place, following or end, torn=following is None and _torn(file, place, end))
        place = following or end


def _torn(file: IO[bytes], place: int, end: int) -> bool:
    """Is there an unfinished record? One that was damaged later still has its end."""
    record = _begun(file, place)
    file.seek(max(end - len(_END), 0))
    return file.read() != _END if record is None else record.end > end


def _record(file: IO[bytes], place: int, end: int) -> Record | None:
    """The complete record at a position; None if there is none."""
    record = _begun(file, place)
    if record is None or record.end > end or (not record.length and file.read(len(_END)) != _END):
        return None
    return record


def _begun(file: IO[bytes], place: int) -> Record | None:
    """A record that begins here; it may be incomplete."""
    file.seek(place)
    frame = file.read(_FRAME.size)
    if len(frame) < _FRAME.size:
        return None
    mark, check, kind, length, payload, check_of_payload = _FRAME.unpack(frame)
    if mark != _MARK or length > _LONGEST_HEAD:
        return None
    raw = file.read(length)
    if zlib.crc32(raw, zlib.crc32(frame[8:])) != check:
        return None
    try:
        head = _DECODERS[Kind(kind)].decode(raw)
    except (ValueError, msgspec.DecodeError) as error:
        raise StoreError("The archive holds a record that this pollux does not know.", "Update pollux.") from error
    return Record(head, place, place + _FRAME.size + length, payload, check_of_payload)


def _resume(file: IO[bytes], place: int, end: int) -> int | None:
    """Where the next whole record begins."""
    while place < end:
        file.seek(place)
        block = file.read(_LOOK + len(_MARK) - 1)
        at = block.find(_MARK)
        while at >= 0:
            if _record(file, place + at, end) is not None:
                return place + at
            at = block.find(_MARK, at + 1)
        place += _LOOK
    return None


def payload_of(file: IO[bytes], record: Record) -> bytes | None:
    """A record's payload; None where it is not what was written."""
    file.seek(record.payload)
    payload, ending = file.read(record.length), file.read(len(_END))
    return payload if zlib.crc32(payload) == record.check and ending == _END else None


class PackWriter:
    """Appends to one pack. What stands there already is never touched, but for a record cut off at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        make_private_file(path)
        self._file = path.open("r+b")
        self.end = self._file.seek(0, os.SEEK_END)

    def cut(self, place: int) -> None:
        """Cut off what follows the last whole record."""
        self._file.truncate(place)
        self.end = place

    def write(self, head: Head, payload: bytes = b"") -> Record:
        """Append a record. It is on the disk for certain after `settle`."""
        frame = framed(head, payload)
        offset = self.end
        self._file.seek(offset)
        try:
            self._file.write(frame)
            self._file.write(payload)
            self._file.write(_END)
            self._file.flush()
        except OSError:
            # A full disk: what was written of it is taken back, if that is possible.
            self._file.truncate(offset)
            raise
        record = Record(head, offset, offset + len(frame), len(payload), zlib.crc32(payload))
        self.end = record.end
        return record

    def settle(self) -> None:
        """Make sure that everything is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _possible(head: Head) -> bool:
    """Can pollux have written each figure and text? The index and the views rely on it."""
    if isinstance(head, Content):
        return (
            len(head.sha) == _HASH
            and (head.base is None or len(head.base) == _HASH)
            and 0 <= head.copied <= head.size <= LARGEST
            and 0 <= head.known <= LARGEST
        )
    if isinstance(head, State):
        return (
            (head.sha is None or len(head.sha) == _HASH)
            and 0 <= head.at <= LATEST
            and 0 <= head.size <= LARGEST
            and -LARGEST <= head.mtime_ns <= LARGEST
            and (head.mode is None or 0 <= head.mode <= 0o7777)
            and head.change.isprintable()
        )
    return True


BOOKS = (b".about", b".held", b".unions")
"""The names of pollux's own files in a checkout."""


def is_safe(path: bytes) -> bool:
    """Is a path inside the folder, and not one of pollux's own files? An archive may come from elsewhere.

    Some file systems treat `.ABOUT` as `.about`.
    """
    steps = path.split(b"/")
    return b"\0" not in path and not {b"..", b".", b""}.intersection(steps) and steps[0].lower() not in BOOKS


def is_sound(state: State) -> bool:
    """Can an imported state belong to an agent's file?

    The next state of the same file is later, so its time must not be in the far future.
    """
    agent = state.agent
    valid_name = is_safe(agent.encode()) and "/" not in agent and agent.isprintable() and len(agent) <= _LONGEST_NAME
    return valid_name and is_safe(state.path) and b"\0" not in state.home and state.at <= LATEST // 2
