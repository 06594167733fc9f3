"""A widget that gives whole lines to the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from textual.filter import ANSIToTruecolor
from textual.widget import Widget

from pollux.tui.widgets.still import still_size

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.strip import Strip


class LineWidget(Widget):
    """Draws its lines itself. Textual would work out edges, tints and colours of each line, which these do not have.

    A line is drawn again after `refresh`, or if the size or the theme is another one.
    """

    virtual_size = still_size()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._strips: dict[int, Strip] = {}
        self._strips_for: tuple[object, ...] = ()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Some lines, or parts of them."""
        if self.size != self.outer_size:  # it has edges after all
            return super().render_lines(crop)
        drawn_for = (self.size, self.app.theme)
        if drawn_for != self._strips_for:
            self._strips, self._strips_for = {}, drawn_for
        strips = [self._whole_line(y) for y in crop.line_range]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _whole_line(self, y: int) -> Strip:
        if y not in self._strips:
            line = self.render_line(y)
            for one in self.app.get_line_filters():
                if not isinstance(one, ANSIToTruecolor):  # there are no colours by number
                    line = line.apply_filter(one, self.background_colors[1])
            self._strips[y] = line
        return self._strips[y]

    def refresh(self, *regions: Region, **options: Any) -> Self:
        """Draw some lines again, or all."""
        if regions:
            for region in regions:
                for y in region.line_range:
                    self._strips.pop(y, None)
        else:
            self._strips.clear()
        return super().refresh(*regions, **options)
