"""A window on lines of any number: only those that are seen are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from pollux.tui.looks import looks
from pollux.tui.strips import segments
from pollux.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from textual import events

    from pollux.tui.looks import Styles


class _Frame(NamedTuple):
    styles: Styles
    columns: int
    lines: int
    thumb: range


WHEEL = 3
BAR = "▐"
"""The mark at the right edge that shows where one is."""


class Window(LineWidget, can_focus=False):
    """Lines with a bar at the right edge. A subclass says how many there are, and what each looks like.

    It is no scroll view of Textual's: that one arranges the whole screen anew whenever the number of lines changes.
    """

    top = 0
    """The first line that is seen."""
    _frame: _Frame | None = None

    # ------------------------------------------------------------------ what a subclass tells

    def count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def segments(self, number: int, styles: Styles, columns: int) -> list[Segment]:
        """A line of so many columns."""
        raise NotImplementedError

    @property
    def lead(self) -> str:
        """What every line begins with, also those behind the end."""
        return ""

    # ------------------------------------------------------------------ scrolling

    @property
    def columns(self) -> int:
        """How wide a line is."""
        return max(self.size.width - 1, 1)

    @property
    def last_top(self) -> int:
        """The line from which on the rest fills the window."""
        return max(self.count() - max(self.size.height, 1), 0)

    def visible_lines(self) -> range:
        """The lines that are seen."""
        return range(self.top, min(self.top + max(self.size.height, 1), self.count()))

    def show_from(self, number: int) -> None:
        """Show from this line on, but nothing empty behind the end."""
        top = min(max(number, 0), self.last_top)
        if top != self.top:
            self.top = top
            self.refresh()

    def scroll_lines(self, lines: int) -> None:
        """Move by so many lines."""
        self.show_from(self.top + lines)

    def to_start(self) -> None:
        """Show the beginning."""
        self.show_from(0)

    def to_end(self) -> None:
        """Show the end."""
        self.show_from(self.last_top)

    def on_mouse_scroll_down(self) -> None:
        """The wheel."""
        self.scroll_lines(WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """The wheel."""
        self.scroll_lines(-WHEEL)

    def clicked_bar(self, event: events.Click) -> bool:
        """Show the part that was clicked on in the bar. Returns whether it was the bar."""
        if event.x < self.columns:
            return False
        self.show_from(self.count() * event.y // max(self.size.height, 1) - self.size.height // 2)
        return True

    def on_click(self, event: events.Click) -> None:
        """A click on the bar."""
        self.clicked_bar(event)

    # ------------------------------------------------------------------ drawing

    def redraw_line(self, number: int) -> None:
        """Draw one line again."""
        self.refresh(Region(0, number - self.top, self.size.width, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Some lines. What is the same for all of them is found out once."""
        self._frame = self._frame_now()
        try:
            return super().render_lines(crop)
        finally:
            self._frame = None

    def _frame_now(self) -> _Frame:
        return _Frame(looks(self.app.theme), self.columns, self.count(), self._thumb())

    def render_line(self, y: int) -> Strip:
        """A line of the screen. Textual asks for one alone where the mouse is, perhaps before it is drawn anew."""
        styles, columns, count, thumb = self._frame or self._frame_now()
        number = y + self.top
        drawn = self.segments(number, styles, columns) if number < count else segments(self.lead, styles, columns)
        bar = Segment(BAR, styles.above(styles["base"])["faint"].style) if y in thumb else Segment(" ", styles["base"])
        return Strip([*drawn, bar], columns + 1)

    def _thumb(self) -> range:
        """The lines of the screen that show in the bar where one is."""
        height, count = self.size.height, self.count()
        if count <= height or not height:
            return range(0)
        size = max(height * height // count, 1)
        start = round(min(self.top, count - height) * (height - size) / (count - height))
        return range(start, start + size)
