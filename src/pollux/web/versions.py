"""Pages that were sent, so that a page of a growing session gets only what is new."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

_OPENED = re.compile(r"<(?:div|details|main)(?: [^>]*)?>\n?")
_REMEMBERED = 256
Digests = tuple[bytes, ...]


def blocks(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces of a conversation, joined to the elements that stand directly in `<main>`."""
    depth, block = 0, ""
    for piece in pieces:
        if piece.startswith(("<main", "</main")):
            continue
        if piece.startswith("</"):
            depth -= 1
        elif _OPENED.fullmatch(piece):
            depth += 1
        block += piece
        if depth == 0:
            yield block
            block = ""
    if block:
        yield block


class Versions:
    """The blocks of the pages that were sent last, as hashes."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Digests] = OrderedDict()

    def note(self, digests: Iterable[bytes]) -> str:
        """Remember a page. Returns the name of its version."""
        every = tuple(digests)
        name = hashlib.blake2b(b"".join(every), digest_size=9).hexdigest()
        self._known[name] = every
        self._known.move_to_end(name)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return name

    def same(self, version: str, digests: Digests) -> int:
        """How many of the first blocks are those of a version; 0 where it is not known any more."""
        before = self._known.get(version, ())
        pairs = zip(before, digests, strict=False)
        return next(
            (number for number, (one, other) in enumerate(pairs) if one != other), min(len(before), len(digests))
        )


def digest(block: str) -> bytes:
    """A hash of a block."""
    return hashlib.blake2b(block.encode("utf-8", "surrogatepass"), digest_size=9).digest()
