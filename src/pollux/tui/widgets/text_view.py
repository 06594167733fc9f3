"""Lines that are made for a width, and scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pollux.tui.canvas import StripCanvas, broken
from pollux.tui.looks import looks
from pollux.tui.strips import strip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual import events


class TextView(ScrollView, can_focus=False):
    """Shows what `make` draws on a canvas of its own width."""

    DEFAULT_CSS = (
        "TextView { scrollbar-size: 1 1; scrollbar-gutter: stable; overflow-x: hidden; background: $background; }"
    )

    def __init__(self, make: Callable[[StripCanvas], Iterable[str]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._make = make
        self._lines: list[str] | None = None

    def changed(self, *, top: bool = False) -> None:
        """Make the lines again."""
        self._lines = None
        self.virtual_size = Size(self.size.width, len(self.lines))
        if top:
            self.scroll_to(y=0, animate=False, force=True)
        self.refresh()

    @property
    def lines(self) -> list[str]:
        """All lines."""
        if self._lines is None:
            columns = self.scrollable_content_region.width
            drawn = self._make(StripCanvas(columns)) if columns > 0 else ()
            self._lines = [part for line in drawn for part in broken(line, columns)]
        return self._lines

    def scroll_lines(self, lines: int) -> None:
        """Move by so many lines."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, force=True)

    def to_start(self) -> None:
        """Show the beginning."""
        self.scroll_lines(-len(self.lines))

    def to_end(self) -> None:
        """Show the end."""
        self.scroll_lines(len(self.lines))

    def on_resize(self, _event: events.Resize) -> None:
        """The lines have another width now."""
        self.changed()

    def render_line(self, y: int) -> Strip:
        """A line of the screen."""
        styles, columns = looks(self.app.theme), max(self.scrollable_content_region.width, 1)
        number = y + self.scroll_offset.y
        line = self.lines[number] if number < len(self.lines) else ""
        return strip(line, styles, columns, styles["base"])
