"""A list of any length, of which only the lines that are seen are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from pollux.tui.looks import looks
from pollux.tui.strips import segments
from pollux.tui.widgets.window import Window

if TYPE_CHECKING:
    from rich.segment import Segment
    from textual import events

    from pollux.tui.looks import Styles

_KEPT = 1000
"""So many drawn lines are remembered."""


class LineList(Window, can_focus=False):
    """Lines with a cursor. A subclass says how many there are, which of them it stops at, and what each looks like."""

    class Chosen(Message):
        """A line was clicked that the cursor was on."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._drawn: dict[int, list[Segment]] = {}
        self._drawn_for: tuple[int, Styles | None] = (0, None)

    # ------------------------------------------------------------------ what a subclass tells

    def line(self, number: int) -> str:
        """A line, painted for `columns`."""
        raise NotImplementedError

    def stops_at(self, number: int) -> bool:  # noqa: ARG002
        """May the cursor be on this line?"""
        return True

    def moved(self) -> None:
        """The cursor is on another line."""

    # ------------------------------------------------------------------ drawing

    def changed(self) -> None:
        """Draw everything again: the lines are others now."""
        self._drawn.clear()
        self.cursor = min(self.cursor, max(self.count() - 1, 0))
        self.top = min(self.top, self.last_top)
        self.refresh()

    def update(self) -> None:
        """The same lines may look different now: draw those again that do."""
        styles, before = looks(self.app.theme), self._drawn
        self._drawn = {}
        for number in self.visible_lines():
            self._drawn[number] = segments(self.line(number), styles, self.columns)
            if before.get(number) != self._drawn[number] or number == self.cursor:
                self.redraw_line(number)

    def redraw(self, number: int) -> None:
        """Draw one line again."""
        self._drawn.pop(number, None)
        self.redraw_line(number)

    def segments(self, number: int, styles: Styles, columns: int) -> list[Segment]:
        """A line of the list."""
        if self._drawn_for[0] != columns or self._drawn_for[1] is not styles:
            self._drawn, self._drawn_for = {}, (columns, styles)
        if number == self.cursor:
            return segments(self.line(number), styles, columns, styles.above(styles["base"])["selected"].style)
        if number not in self._drawn:
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            self._drawn[number] = segments(self.line(number), styles, columns)
        return self._drawn[number]

    def on_resize(self, _event: events.Resize) -> None:
        """Fewer or more lines are seen. They are drawn already, for a width that is another one now."""
        self.show_from(self.top)
        self.show_cursor()

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
        if not self.count():
            return
        target = self.cursor + pages * max(self.size.height - 1, 1)
        self.go_to(self._nearest(min(max(target, 0), self.count() - 1), -1 if pages < 0 else 1))

    def go_to(self, number: int) -> None:
        """Put the cursor on a line, and make it visible."""
        if not self.count():
            return
        before, self.cursor = self.cursor, min(max(self._nearest(number, 1), 0), self.count() - 1)
        if before != self.cursor:
            self.redraw_line(before)
            self.redraw_line(self.cursor)
            self.moved()
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor, with the heading above it where it is the first line."""
        first = self.cursor - 1 if self.cursor and not self.stops_at(self.cursor - 1) else self.cursor
        if first < self.top:
            self.show_from(first)
        elif self.cursor >= self.top + max(self.size.height, 1):
            self.show_from(self.cursor - max(self.size.height, 1) + 1)

    def _nearest(self, number: int, way: int) -> int:
        """The nearest line that the cursor may be on, first in one direction, then in the other."""
        for steps in (range(number, self.count()), range(number, -1, -1))[::way]:
            for one in steps:
                if self.stops_at(one):
                    return one
        return number

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a click on the cursor's line chooses it."""
        number = event.y + self.top
        if self.clicked_bar(event) or number >= self.count() or not self.stops_at(number):
            return
        if number == self.cursor:
            self.post_message(self.Chosen())
        self.go_to(number)
