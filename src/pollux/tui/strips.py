"""Lines as strips of Textual, in the styles of a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pollux.draw.width import width
from pollux.tui.canvas import split

if TYPE_CHECKING:
    from collections.abc import Mapping

_NULL = Style.null()


def strip(line: str, looks: Mapping[str, Style], columns: int, base: Style = _NULL) -> Strip:
    """A line in the styles of a theme, cut or filled to so many columns."""
    segments = []
    for text, names in split(line):
        style = base
        for name in names:
            style += looks[name]
        segments.append(Segment(text, style))
    used = sum(width(segment.text) for segment in segments)
    drawn = Strip(segments, used)
    return drawn.crop(0, columns) if used > columns else drawn.extend_cell_length(columns, base)
