"""Lines as segments and strips of Textual, in the styles of a theme."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from pollux.draw.width import steady, width
from pollux.tui.canvas import split

if TYPE_CHECKING:
    from rich.style import Style

    from pollux.tui.looks import Styles


_MARKS = (
    "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f"  # Cyrillic, Hebrew, Arabic
)
_STACKED = re.compile(f"([{_MARKS}]{{8}})[{_MARKS}]+")
"""More marks on one letter than any language has: they would cover the lines above and below."""


def drawable(text: str) -> str:
    """The text as every terminal draws it in the same columns, and in no others."""
    return text if text.isascii() else _STACKED.sub(r"\1", steady(text))


def segments(line: str, looks: Styles, columns: int, base: Style | None = None) -> list[Segment]:
    """A line in the styles of a theme, cut or filled to so many columns.

    Blanks take the style before them where nobody can see that: each segment has its price in every frame.
    """
    base = looks["base"] if base is None else base
    above = looks.above(base)
    drawn: list[tuple[str, Style]] = []
    used, seen = 0, False
    for piece, names in split(line):
        text = drawable(piece)
        used += width(text)
        if drawn and not names and not seen and text.isspace():
            drawn[-1] = (drawn[-1][0] + text, drawn[-1][1])
            continue
        style, seen = above[names]
        if drawn and drawn[-1][1] is style:
            drawn[-1] = (drawn[-1][0] + text, style)
        else:
            drawn.append((text, style))
    if used < columns:
        rest = " " * (columns - used)
        if drawn and not seen:
            drawn[-1] = (drawn[-1][0] + rest, drawn[-1][1])
        else:
            drawn.append((rest, base))
    made = [Segment(text, style) for text, style in drawn]
    return made if used <= columns else list(Strip(made, used).crop(0, columns))


def strip(line: str, looks: Styles, columns: int, base: Style | None = None) -> Strip:
    """The same as a strip."""
    return Strip(segments(line, looks, columns, base), columns)
