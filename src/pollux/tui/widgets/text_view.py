"""Lines that are made for a width, and scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.tui.canvas import StripCanvas, broken
from pollux.tui.strips import segments
from pollux.tui.widgets.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.segment import Segment
    from textual import events
    from textual.geometry import Size

    from pollux.tui.looks import Styles

MARGIN = " "


class TextView(Window):
    """Shows what `make` draws on a canvas of its own width. With `edge`, a line divides it from what is left of it."""

    def __init__(
        self, make: Callable[[StripCanvas], Iterable[str]], *, id: str | None = None, edge: bool = False
    ) -> None:
        super().__init__(id=id)
        self._make = make
        self.edge = edge
        self._lines: list[str] | None = None
        self._made_for = (0, edge)

    @property
    def lead(self) -> str:
        """What every line begins with."""
        return (StripCanvas(None).paint("│", "faint") if self.edge else "") + MARGIN

    def changed(self, *, top: bool = False) -> None:
        """Make the lines again."""
        self._lines = None
        if top:
            self.top = 0
        self.refresh()

    @property
    def lines(self) -> list[str]:
        """All lines."""
        return self._lines_for(self.size.width)

    def _lines_for(self, wide: int) -> list[str]:
        if self._lines is None or self._made_for != (wide, self.edge):
            columns = wide - 1 - 2 * len(MARGIN) - self.edge
            drawn = self._make(StripCanvas(columns)) if columns > 0 else ()
            self._lines, self._made_for = [part for line in drawn for part in broken(line, columns)], (wide, self.edge)
            self.top = min(self.top, self.last_top)
        return self._lines

    def count(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As high as it must be for all lines."""
        return len(self._lines_for(width))

    def on_resize(self, _event: events.Resize) -> None:
        """Fewer or more lines are seen. They are drawn already, for a width that is another one now."""
        self.show_from(self.top)

    def segments(self, number: int, styles: Styles, columns: int) -> list[Segment]:
        """A line."""
        return segments(self.lead + self._lines_for(columns + 1)[number], styles, columns)
