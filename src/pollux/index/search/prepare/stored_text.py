"""The text of a passage as the index stores it, to show it without opening the agents' files.

A longer text is compressed. tantivy compresses what it stores, too, but less well: the texts are most of an index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.system.per_thread import PerThread

if TYPE_CHECKING:
    from zstandard import ZstdCompressor, ZstdDecompressor

_SHORT = 1500
"""A text of fewer bytes is stored as it is. tantivy compresses it together with its neighbours."""

_LEVEL = 1
_MAGIC = b"\x28\xb5\x2f\xfd"
"""How compressed data begins. Text in UTF-8 never begins so."""


def pack(data: bytes) -> bytes:
    """A text in UTF-8 as it is stored."""
    return data if len(data) < _SHORT else _COMPRESSOR.get().compress(data)


def unpack(data: bytes) -> str:
    """A text that was stored."""
    return (_DECOMPRESSOR.get().decompress(data) if data.startswith(_MAGIC) else data).decode()


def _new_compressor() -> ZstdCompressor:
    from zstandard import ZstdCompressor

    return ZstdCompressor(level=_LEVEL)


def _new_decompressor() -> ZstdDecompressor:
    from zstandard import ZstdDecompressor

    return ZstdDecompressor()


# Two threads that used the same one at once would damage the memory of the process.
_COMPRESSOR = PerThread(_new_compressor)
_DECOMPRESSOR = PerThread(_new_decompressor)
