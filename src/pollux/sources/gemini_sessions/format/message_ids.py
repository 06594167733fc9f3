"""The ids by which copies are recognised: session files with a common one hold the same message."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.wire import opened

_SIZE = 8
_BLOCK, _LONGEST = 1 << 20, 1 << 9
# Every release begins a message so, in a line, in a list and in a document. The ids of calls are not followed by a
# time. Other ids than these occur in several sessions: that of the context is always the same.
_MESSAGE = re.compile(
    rb'"id"\s*:\s*"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"\s*,\s*"timestamp"\s*:\s*"[^"\\]*"'
    rb'(\s*,\s*"type"\s*:\s*"info"\s*,\s*"content"\s*:\s*"Imported session from )?'
)


class MessageIds(msgspec.Struct, frozen=True):
    """Short hashes of the ids of a file's messages, one after another.

    `imported` are those that another session wrote first: they stand before the line that `--session-file` leaves.
    """

    own: bytes = b""
    imported: bytes = b""

    def own_numbers(self) -> set[int]:
        """The hashes of its own messages as numbers."""
        return set(memoryview(self.own).cast("Q"))

    def all_numbers(self) -> set[int]:
        """The hashes of all messages as numbers."""
        return self.own_numbers() | set(memoryview(self.imported).cast("Q"))


def message_ids_of(entry: File) -> MessageIds:
    """The ids of a file's messages. Every message counts: damage to a file may leave any part of it."""
    names: dict[bytes, None] = {}
    imported: dict[bytes, None] = {}
    try:
        with opened(entry.path) as file:
            for name, is_import in _beginnings(file):
                if is_import:
                    imported |= names
                    names = {}
                if name not in imported:
                    names[name] = None
    except Unreadable:
        pass
    return MessageIds(own=b"".join(map(_hash, names)), imported=b"".join(map(_hash, imported)))


def _beginnings(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """The ids of the messages in a file, and whether a message says that those before it were imported."""
    rest, is_last = b"", False
    while not is_last:
        block = file.read(_BLOCK)
        is_last = len(block) < _BLOCK
        text = rest + block
        # A beginning that is nearer to the end may go on in the next block.
        end = len(text) if is_last else len(text) - _LONGEST
        start = max(end, 0)
        for match in _MESSAGE.finditer(text):
            if match.start() >= end:
                break
            start = max(start, match.end())
            yield match[1], match[2] is not None
        rest = text[start:]


def hash_of(name: str) -> int:
    """The number of a message's id."""
    return int.from_bytes(_hash(name.encode("utf-8", "surrogatepass")), sys.byteorder)


def _hash(name: bytes) -> bytes:
    return hashlib.blake2b(name.lower(), digest_size=_SIZE).digest()
