"""Reads contents one after another. It caches the last ones, because they are often the bases of the next."""

from __future__ import annotations

import hashlib

from pollux.archive.archive import Archive, head_of
from pollux.archive.contents import Damaged, unpack
from pollux.archive.index import Location
from pollux.archive.packs import Content

_REMEMBERED = 1 << 27


class ContentReader:
    """Reads contents of an archive. The base of several contents is read once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._contents: dict[bytes, bytes] = {}
        self._size = 0

    def read(self, sha: bytes) -> bytes:
        """A content, proved by its hash. Raises `Damaged`."""
        chain: dict[bytes, Location] = {}
        next_sha: bytes | None = sha
        while next_sha is not None and next_sha not in self._contents:
            place = self._archive.index.content(next_sha)
            if place is None or next_sha in chain:
                raise Damaged("a content is missing")
            chain[next_sha] = place
            next_sha = head_of(place).base
        content = self._contents[next_sha] if next_sha is not None else b""
        for place in reversed(chain.values()):
            content = unpack(head_of(place), self._archive.payload(place), content, proved=False)
            self._remember(head_of(place).sha, content)
        if hashlib.sha256(content).digest() != sha:
            raise Damaged("the hash differs")
        return content

    def prove(self, head: Content, payload: bytes, base: bytes) -> bytes:
        """A content that is in no archive yet, made from another. Raises `Damaged`."""
        content = unpack(head, payload, base)
        self._remember(head.sha, content)
        return content

    def _remember(self, sha: bytes, content: bytes) -> None:
        self._size += len(content) - len(self._contents.pop(sha, b""))
        self._contents[sha] = content
        while self._size > _REMEMBERED and len(self._contents) > 1:
            self._size -= len(self._contents.pop(next(iter(self._contents))))
