"""Pages that were sent, so that a page of a growing session gets only what is new."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

_OPENED = re.compile(r"<(?:div|details|main)(?: [^>]*)?>\n?")
_REMEMBERED = 256
_SIZE = 9
"""The bytes of a hash."""


def blocks(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces of a conversation, joined to the elements that stand directly in `<main>`."""
    block = ""
    for piece, is_end in _inside(pieces):
        block += piece
        if is_end:
            yield block
            block = ""
    if block:
        yield block


def noted(pieces: Iterable[str], digests: list[bytes]) -> Iterator[str]:
    """The same pieces as they come: a block may be large, as one of all that was rewound. Adds the hash of each."""
    whole = _hash()
    for piece, is_end in _inside(pieces):
        whole.update(piece.encode("utf-8", "surrogatepass"))
        if is_end:
            digests.append(whole.digest())
            whole = _hash()
        yield piece


def _inside(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The pieces between `<main>` and `</main>`, and whether each ends an element that stands directly there."""
    depth = 0
    for piece in pieces:
        if piece.startswith(("<main", "</main")):
            continue
        if piece.startswith("</"):
            depth -= 1
        elif _OPENED.fullmatch(piece):
            depth += 1
        yield piece, depth == 0


class Versions:
    """The blocks of the pages that were sent last, as hashes.

    Those of a page are kept as one value: many small ones, between values that are gone soon, would hold on to memory.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, bytes] = OrderedDict()

    def note(self, digests: Iterable[bytes]) -> str:
        """Remember a page. Returns the name of its version."""
        every = b"".join(digests)
        name = hashlib.blake2b(every, digest_size=_SIZE).hexdigest()
        self._known[name] = every
        self._known.move_to_end(name)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return name

    def same(self, version: str, digests: Sequence[bytes]) -> int:
        """How many of the first blocks are those of a version; 0 where it is not known any more."""
        before = self._known.get(version, b"")
        known = (before[start : start + _SIZE] for start in range(0, len(before), _SIZE))
        pairs = zip(known, digests, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def digest(block: str) -> bytes:
    """A hash of a block."""
    whole = _hash()
    whole.update(block.encode("utf-8", "surrogatepass"))
    return whole.digest()


def _hash() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=_SIZE)
