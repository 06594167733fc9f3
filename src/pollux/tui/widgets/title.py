"""The first line of a screen: what it shows, and at the right edge how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.width import cut, pad, width
from pollux.tui.canvas import StripCanvas
from pollux.tui.looks import looks
from pollux.tui.strips import drawable, strip
from pollux.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from textual.strip import Strip

_AROUND = 4
"""Blanks at both edges, and between."""

_LEAST = 8
"""So many columns of the title are seen, whatever stands beside it."""


class TitleLine(LineWidget):
    """It is drawn for the present width, so that the first frame of another size is right already."""

    DEFAULT_CSS = "TitleLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__(id="title")
        self.title = self.facts = ""

    def say(self, title: str, facts: str) -> None:
        """Say something else."""
        if (title, facts) != (self.title, self.facts):
            self.title, self.facts = title, facts
            self.refresh()

    def render_line(self, _y: int) -> Strip:
        """The title, as much of it as there is room for, and the facts."""
        columns = self.size.width
        room = max(columns - _AROUND - width(self.facts), _LEAST)
        words = f" {pad(cut(drawable(self.title), room), room)}  {self.facts} "
        styles = looks(self.app.theme)
        return strip(StripCanvas(None).paint(words, "dim"), styles, columns, styles["title"])
