"""How many tokens something takes, roughly: vendors count differently, and none of them can be asked."""

from __future__ import annotations

from pollux.writers.json import encode
from pollux.writers.native.conversation import AnsweredCall, Media, Piece

BYTES_A_TOKEN = 4
PICTURE = 1_600
FRAME = 8
"""What stands around a piece: who says it, of which kind it is."""


def of_text(text: str) -> int:
    """A quarter of its bytes in UTF-8."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_A_TOKEN)


def of_input(call: AnsweredCall) -> int:
    """The arguments of a call, as JSON."""
    return of_text(encode(call.input))


def of_output(call: AnsweredCall) -> int:
    """The result of a call, with its pictures."""
    return of_text(call.output) + PICTURE * len(call.media)


def of_piece(piece: Piece) -> int:
    """All of a piece."""
    if isinstance(piece, Media):
        return FRAME + PICTURE
    if isinstance(piece, AnsweredCall):
        return 2 * FRAME + of_text(piece.name) + of_input(piece) + of_output(piece)
    return FRAME + of_text(piece.text)
