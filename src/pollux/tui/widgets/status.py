"""A few words at the right edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.width import cut, pad, width
from pollux.tui.canvas import StripCanvas
from pollux.tui.looks import looks
from pollux.tui.strips import strip
from pollux.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from textual.strip import Strip

LEAST = 20
"""It is at least so wide, so that shorter words move nothing on the screen."""

_GAP = 2


class Status(LineWidget):
    """One line, as wide as its words."""

    DEFAULT_CSS = "Status { height: 1; width: 20; }"

    words = ""

    def say(self, words: str) -> None:
        """Say something else."""
        if words != self.words:
            self.words = words
            self.styles.width = max(width(words) + _GAP, LEAST)
            self.refresh()

    def render_line(self, _y: int) -> Strip:
        """The words."""
        columns = self.size.width
        words = pad(cut(self.words, columns - _GAP), columns, right=True)
        return strip(StripCanvas(None).paint(words, "dim"), looks(self.app.theme), columns)
