"""JSON with one value on a line. Every character of the text stays as it is but the blanks between values."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas

_PIECE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|\{\s*\}|\[\s*\]|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)
_STEP = "  "


def is_json(text: str) -> bool:
    """Is this an object or a list of JSON?"""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _is_odd_json(text)
    return True


def _is_odd_json(text: str) -> bool:
    """Is it JSON with half characters or huge numbers in it?"""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def laid_out(canvas: Canvas, text: str) -> Iterator[str]:
    """The lines of a JSON text, or of its beginning. The names of values are painted."""
    depth, name, line = 0, "", ""
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece in ("}", "]"):
            if line:
                yield _STEP * depth + canvas.paint(name, "name") + line
            depth, name, line = max(depth - 1, 0), "", piece
        elif piece == ":" and not name:
            name, line = line, ": "
        else:
            line += "".join(piece.split()) if piece[0] in "[{" else piece
            if piece in ("{", "[", ","):
                yield _STEP * depth + canvas.paint(name, "name") + line
                depth, name, line = depth + (piece != ","), "", ""
    if line:
        yield _STEP * depth + canvas.paint(name, "name") + line
