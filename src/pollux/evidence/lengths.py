"""Do the lengths that CBOR announces fit into the bytes there are?

A decoder that believes a length of 10^18 bytes may end the whole program. Every file that begins like JSON announces
one, so this is asked before a decoder is.
"""

from __future__ import annotations

_BYTES, _TEXT, _LIST, _MAP, _TAG = 2, 3, 4, 5, 6
_ENDLESS = 31
_BREAK = 0xFF


def fits(data: bytes) -> bool:
    """Is there one whole item, as long as it says?"""
    place, open_items = 0, [1]
    while open_items:
        if open_items[-1] == 0:
            open_items.pop()
            continue
        if place >= len(data):
            return False
        if open_items[-1] < 0 and data[place] == _BREAK:  # items without a number end by a mark
            open_items.pop()
            place += 1
            continue
        open_items[-1] -= 1
        kind, told = data[place] >> 5, data[place] & 31
        place += 1
        if told == _ENDLESS and kind in (_BYTES, _TEXT, _LIST, _MAP):
            open_items.append(-1)
            continue
        if told >= 28:
            return False
        wide = 0 if told < 24 else 1 << told - 24
        number = told if told < 24 else int.from_bytes(data[place : place + wide])
        place += wide
        room = len(data) - place
        if kind in (_BYTES, _TEXT):
            place += number
        elif kind in (_LIST, _MAP):
            open_items.append(number * (kind - 3))
        elif kind == _TAG:
            open_items.append(1)
        if room < (number if kind in (_BYTES, _TEXT, _LIST, _MAP) else 0):
            return False
    return True
