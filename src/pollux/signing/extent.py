"""How far a CBOR value reaches (RFC 8949), told from its lengths before anything is made of it.

Bytes from strangers come here first. The decoder of cbor2 up to 5.9 writes beyond its memory where a long text promises
more than there is, and JSON taken for CBOR promises just that: `{` begins a text.

Records and signatures need few of the things that CBOR can say. A decoder makes far more of the others than their bytes
let expect: values that hold themselves, numbers of a billion digits, patterns. So nothing else is let through.
"""

from __future__ import annotations

BREAK = 0xFF
INDEFINITE = 31
DEEPEST = 256
"""So many values may hold one another."""
TAGS = frozenset({2, 3, 18, 55799})
"""Large numbers, a signature, and the mark that says: this is CBOR."""

_BYTES, _TEXT, _ARRAY, _MAP, _TAG, _SIMPLE = 2, 3, 4, 5, 6, 7
_JSON = frozenset({20, 21, 22, 25, 26, 27})
"""False, true, null, and numbers in three sizes: JSON knows no other simple values."""
_NESTING = {_ARRAY: 1, _MAP: 2}
"""How many values an element of each consists of."""


def extent(data: bytes) -> int | None:
    """Where the first value ends; None where it is broken off, or no CBOR that a record or a signature needs."""
    at, open_ = 0, [1]  # of each value that is open, how many are still to come in it: -1 until a break ends it
    while open_:
        if open_[-1] == 0:
            open_.pop()
            continue
        if at >= len(data):
            return None
        head, at = data[at], at + 1
        if head == BREAK:
            if open_.pop() >= 0:
                return None
            continue
        kind, info = head >> 5, head & 31
        if 28 <= info < INDEFINITE or (info == INDEFINITE and kind not in (_BYTES, _TEXT, _ARRAY, _MAP)):
            return None
        wide = 1 << (info - 24) if 24 <= info < 28 else 0
        amount = int.from_bytes(data[at : at + wide]) if wide else info
        at += wide
        if len(open_) > DEEPEST or (kind == _TAG and amount not in TAGS) or (kind == _SIMPLE and info not in _JSON):
            return None
        open_[-1] -= open_[-1] > 0
        if info == INDEFINITE:
            open_.append(-1)
        elif kind in (_BYTES, _TEXT):
            at += amount
        elif kind in _NESTING:
            open_.append(amount * _NESTING[kind])
        elif kind == _TAG:
            open_.append(1)
    return at if at <= len(data) else None
