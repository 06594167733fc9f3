"""Where a CBOR value ends (RFC 8949), calculated from its lengths before it is decoded.

Bytes from strangers are checked here first. The decoder of cbor2 up to 5.9 writes beyond its memory where a long text
claims more bytes than there are. JSON that is taken for CBOR does just that, because `{` begins a text.

Records and signatures need few of the types of CBOR. The others can cost a decoder far more than their bytes suggest:
values that contain themselves, numbers of a billion digits, patterns. So all other types are refused.
"""

from __future__ import annotations

BREAK = 0xFF
INDEFINITE = 31
DEEPEST = 256
"""How deep values may be nested."""
TAGS = frozenset({2, 3, 18, 55799})
"""Large numbers, a signature, and the mark of CBOR itself."""

_BYTES, _TEXT, _ARRAY, _MAP, _TAG, _SIMPLE = 2, 3, 4, 5, 6, 7
_JSON = frozenset({20, 21, 22, 25, 26, 27})
"""False, true, null, and numbers in three sizes: JSON has no other simple values."""
_NESTING = {_ARRAY: 1, _MAP: 2}
"""How many values each element has."""


def cbor_length(data: bytes) -> int | None:
    """Where the first value ends; None where it is cut off, or has a type that records and signatures do not need."""
    position, pending = 0, [1]  # for each open value, how many values it still needs; -1 until a break ends it
    while pending:
        if pending[-1] == 0:
            pending.pop()
            continue
        if position >= len(data):
            return None
        head, position = data[position], position + 1
        if head == BREAK:
            if pending.pop() >= 0:
                return None
            continue
        kind, info = head >> 5, head & 31
        if 28 <= info < INDEFINITE or (info == INDEFINITE and kind not in (_BYTES, _TEXT, _ARRAY, _MAP)):
            return None
        width = 1 << (info - 24) if 24 <= info < 28 else 0
        amount = int.from_bytes(data[position : position + width]) if width else info
        position += width
        if len(pending) > DEEPEST or (kind == _TAG and amount not in TAGS) or (kind == _SIMPLE and info not in _JSON):
            return None
        pending[-1] -= pending[-1] > 0
        if info == INDEFINITE:
            pending.append(-1)
        elif kind in (_BYTES, _TEXT):
            position += amount
        elif kind in _NESTING:
            pending.append(amount * _NESTING[kind])
        elif kind == _TAG:
            pending.append(1)
    return position if position <= len(data) else None
