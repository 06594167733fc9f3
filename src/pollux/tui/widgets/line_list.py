"""A list of any length, of which only the lines that are seen are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pollux.tui.looks import looks
from pollux.tui.strips import strip

if TYPE_CHECKING:
    from textual import events

_KEPT = 1000
"""So many drawn lines are remembered."""


class LineList(ScrollView, can_focus=False):
    """Lines with a cursor. A subclass says how many there are, which of them it stops at, and what each looks like."""

    DEFAULT_CSS = """
    LineList { scrollbar-size: 1 1; scrollbar-gutter: stable; overflow-x: hidden; background: $background; }
    """

    class Moved(Message):
        """The cursor is on another line."""

    class Chosen(Message):
        """A line was clicked that the cursor was on."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._drawn: dict[int, Strip] = {}
        self._drawn_for: tuple[int, str] = (0, "")

    # ------------------------------------------------------------------ what a subclass tells

    def count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def line(self, number: int) -> str:
        """A line, painted for `columns`."""
        raise NotImplementedError

    def stops_at(self, number: int) -> bool:  # noqa: ARG002
        """May the cursor be on this line?"""
        return True

    # ------------------------------------------------------------------ drawing

    @property
    def columns(self) -> int:
        """How wide a line is."""
        return max(self.scrollable_content_region.width, 1)

    def changed(self) -> None:
        """Draw everything again: the lines are others now."""
        self._drawn.clear()
        self.virtual_size = Size(self.columns, self.count())
        self.cursor = min(self.cursor, max(self.count() - 1, 0))
        self.refresh()

    def redraw(self, number: int) -> None:
        """Draw one line again."""
        self._drawn.pop(number, None)
        self.refresh_line(number)

    def render_line(self, y: int) -> Strip:
        """A line of the screen."""
        number = y + self.scroll_offset.y
        theme = self.app.theme
        styles = looks(theme)
        if self._drawn_for != (self.columns, theme):
            self._drawn, self._drawn_for = {}, (self.columns, theme)
        base = styles["base"]
        if number >= self.count():
            return Strip.blank(self.columns, base)
        if number == self.cursor:
            return strip(self.line(number), styles, self.columns, base + styles["selected"])
        if number not in self._drawn:
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            self._drawn[number] = strip(self.line(number), styles, self.columns, base)
        return self._drawn[number]

    def visible_lines(self) -> range:
        """The lines that are seen."""
        first = self.scroll_offset.y
        return range(first, min(first + max(self.size.height, 1), self.count()))

    def on_resize(self, _event: events.Resize) -> None:
        """Lines have another width now."""
        self.changed()
        self.call_after_refresh(self.show_cursor)

    # ------------------------------------------------------------------ moving

    def move(self, steps: int) -> None:
        """Move the cursor by so many lines that it may stop at."""
        number, left, way = self.cursor, abs(steps), 1 if steps > 0 else -1
        best = number
        while left and 0 <= number + way < self.count():
            number += way
            if self.stops_at(number):
                best, left = number, left - 1
        self.go_to(best)

    def page(self, pages: int) -> None:
        """Move the cursor by so many screens."""
        target = self.cursor + pages * max(self.size.height - 1, 1)
        self.go_to(self._nearest(min(max(target, 0), self.count() - 1), -1 if pages < 0 else 1))

    def go_to(self, number: int) -> None:
        """Put the cursor on a line, and make it visible."""
        if not self.count():
            return
        before, self.cursor = self.cursor, min(max(self._nearest(number, 1), 0), self.count() - 1)
        if before != self.cursor:
            self.refresh_line(before)
            self.refresh_line(self.cursor)
            self.post_message(self.Moved())
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor, with the heading above it where it is the first line."""
        above = self.cursor - 1 if self.cursor and not self.stops_at(self.cursor - 1) else self.cursor
        self.scroll_to_region(Region(0, above, 1, self.cursor - above + 1), animate=False, force=True)

    def _nearest(self, number: int, way: int) -> int:
        """The nearest line that the cursor may be on, first in one direction, then in the other."""
        for steps in (range(number, self.count()), range(number, -1, -1))[::way]:
            for one in steps:
                if self.stops_at(one):
                    return one
        return number

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a click on the cursor's line chooses it."""
        number = event.y + self.scroll_offset.y
        if number >= self.count() or not self.stops_at(number):
            return
        if number == self.cursor:
            self.post_message(self.Chosen())
        self.go_to(number)
