"""Lines as segments and strips of Textual, in the styles of a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from pollux.draw.width import width
from pollux.tui.canvas import split

if TYPE_CHECKING:
    from rich.style import Style

    from pollux.tui.looks import Styles


def segments(line: str, looks: Styles, columns: int, base: Style | None = None) -> list[Segment]:
    """A line in the styles of a theme, cut or filled to so many columns.

    Blanks take the style before them where nobody can see that: each segment has its price in every frame.
    """
    base = looks["base"] if base is None else base
    drawn: list[tuple[str, Style]] = []
    used, seen = 0, False
    for text, names in split(line):
        used += width(text)
        if drawn and not names and not seen and text.isspace():
            drawn[-1] = (drawn[-1][0] + text, drawn[-1][1])
            continue
        style = looks.of(base, names)
        seen = not looks.leaves_blanks(names)
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
