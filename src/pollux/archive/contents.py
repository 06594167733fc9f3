"""Packs contents: whole, as an addition to an earlier one, or as the difference from it."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from typing import NamedTuple

import zstandard

from pollux.archive.packs import Content
from pollux.system.files import HUGE
from pollux.system.per_thread import PerThread

LEVEL = 3
TAIL = 1 << 17
"""So many bytes before an addition help to compress it."""
LARGEST_BASE = 1 << 25
"""A rewritten file is packed by itself where its earlier content is larger than this."""
LONGEST_CHAIN = 100
"""At most so many rewritings are packed against one another, so that none takes long to read."""

_TOO_LARGE = "there is not enough memory"


class Damaged(Exception):
    """A packed content does not give the bytes that it was made from."""


class Unread(Damaged):
    """The system did not give a packed content, or not enough memory for it. The content may be sound."""


class BaseContent(NamedTuple):
    """An earlier content of the same file, which a new one is packed against."""

    sha: bytes
    size: int
    depth: int


def digest(raw: bytes, before: BaseContent | None) -> tuple[bytes, bool]:
    """The hash of a content, and whether it begins with the base."""
    hasher = hashlib.sha256()
    if before is None or not 0 < before.size <= len(raw):
        hasher.update(raw)
        return hasher.digest(), False
    hasher.update(memoryview(raw)[: before.size])
    is_continuation = hasher.digest() == before.sha
    hasher.update(memoryview(raw)[before.size :])
    return hasher.digest(), is_continuation


def pack(raw: bytes, sha: bytes, before: BaseContent | None, fetch: Callable[[bytes], bytes]) -> tuple[Content, bytes]:
    """A content's head and its payload, against an earlier one that `fetch` gives."""
    if before is not None and 0 < before.size <= LARGEST_BASE and before.depth < LONGEST_CHAIN:
        with contextlib.suppress(Damaged):
            base = fetch(before.sha)
            payload = _compressor(base, len(raw)).compress(raw)
            return Content(sha=sha, size=len(raw), base=before.sha, known=len(base)), payload
    return Content(sha=sha, size=len(raw)), _compressor(b"", len(raw)).compress(raw)


def pack_added(raw: bytes, sha: bytes, before: BaseContent) -> tuple[Content, bytes]:
    """As `pack`, for a content that begins with the earlier one: only the addition is packed."""
    known = min(TAIL, before.size)
    rest = memoryview(raw)[before.size :]
    payload = _compressor(raw[before.size - known : before.size], len(rest)).compress(rest)
    return Content(sha=sha, size=len(raw), base=before.sha, copied=before.size, known=known), payload


def whole_size(raw: bytes) -> int:
    """How many bytes a content takes by itself."""
    return len(_compressor(b"", len(raw)).compress(raw))


def unpack(head: Content, payload: bytes, base: bytes, *, proved: bool = True) -> bytes:
    """The content of a record, proved by its hash. Raises `Damaged`, and `Unread` where memory is short."""
    try:
        return _unpack(head, payload, base, proved=proved)
    except MemoryError as error:
        raise Unread(_TOO_LARGE) from error


def _unpack(head: Content, payload: bytes, base: bytes, *, proved: bool) -> bytes:
    end = head.copied or len(base)
    size = head.size - head.copied
    if not 0 <= size <= HUGE or not 0 <= head.copied <= len(base):
        raise Damaged("its sizes cannot be")
    dictionary = _dictionary(base[end - head.known : end])
    try:
        if zstandard.frame_content_size(payload) > size:
            raise Damaged("it is larger than it says")
        rest = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31).decompress(
            payload, max_output_size=size
        )
    except zstandard.ZstdError as error:
        raise (Unread(_TOO_LARGE) if "not enough memory" in str(error) else Damaged(str(error))) from error
    content = base[: head.copied] + rest
    if proved and hashlib.sha256(content).digest() != head.sha:
        raise Damaged("the hash differs")
    return content


def _dictionary(known: bytes) -> zstandard.ZstdCompressionDict | None:
    # zstd treats fewer than eight bytes as no dictionary.
    return zstandard.ZstdCompressionDict(known, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if len(known) > 8 else None


# Making one takes as long as compressing a small file, and threads that shared one would damage memory.
_PLAIN = PerThread(lambda: zstandard.ZstdCompressor(level=LEVEL, write_checksum=False))


def _compressor(known: bytes, size: int) -> zstandard.ZstdCompressor:
    if not known:
        return _PLAIN.get()
    # The window reaches back to the beginning of what is known.
    reach = max(10, min(27, (len(known) + size).bit_length()))
    long = len(known) > TAIL
    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, source_size=size, dict_size=len(known), window_log=reach, enable_ldm=long, write_checksum=False
    )
    return zstandard.ZstdCompressor(dict_data=_dictionary(known), compression_params=parameters)
