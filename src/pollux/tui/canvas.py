"""A canvas whose lines keep the names of their styles: what they look like depends on the theme."""

from __future__ import annotations

import re

from pollux.draw.canvas import Canvas
from pollux.draw.width import width

LONGEST = 250_000
"""A longer line is cut, and says so: it is no text, since those are cut before, but a name or a path."""

_PIECE = re.compile("\x1b([a-z ]*)\x1b")


class StripCanvas(Canvas):
    """A canvas whose lines name their styles between escape characters, which no text from outside has."""

    def __init__(self, columns: int | None) -> None:
        super().__init__(columns, color=True, markdown=True)

    def paint(self, text: str, *styles: str) -> str:
        """The text in some styles."""
        return f"\x1b{' '.join(styles)}\x1b{text}\x1b\x1b" if text and styles else text


def split(line: str) -> list[tuple[str, str]]:
    """The texts of a line, each with the names of its styles, which blanks divide."""
    pieces = _PIECE.split(line)
    return [(text, names) for names, text in zip(["", *pieces[1::2]], pieces[0::2], strict=True) if text]


def plain(line: str) -> str:
    """A line without its styles."""
    return _PIECE.sub("", line)


def broken(line: str, columns: int) -> list[str]:
    """A line that is too wide as several, those that follow indented as the first one. An endless one is cut."""
    if len(line) > LONGEST:
        words = plain(line)
        line = f"{words[:LONGEST]}… {max(len(words) - LONGEST, 0):,} more characters"
    if width(plain(line)) <= columns:
        return [line]
    lead = len(plain(line)) - len(plain(line).lstrip(" "))
    indent = " " * (lead if lead < columns // 2 else 0)
    lines, current, used = [], "", 0
    pieces = _PIECE.split(line)
    for names, text in zip(["", *pieces[1::2]], pieces[0::2], strict=True):
        place = 0
        while place < len(text):
            fits = _fitting(text, place, columns - used)
            if not fits and used <= len(indent):
                fits = 1  # a letter that is wider than the screen
            begin, place = text[place : place + fits], place + fits
            current += f"\x1b{names}\x1b{begin}\x1b\x1b" if names else begin
            used += width(begin)
            if place < len(text):
                lines.append(current)
                current, used = indent, len(indent)
    return [*lines, current]


def _fitting(text: str, start: int, columns: int) -> int:
    """How many characters of a text fit into so many columns, from a place on."""
    piece = text[start : start + max(columns, 0)]
    if piece.isascii():
        return len(piece)
    if len(text) - start <= 2 * len(piece) and width(text[start:]) <= columns:
        return len(text) - start
    used = 0
    for place in range(start, len(text)):
        used += width(text[place])
        if used > columns:
            return place - start
    return len(text) - start
