"""Scrolling: the same actions on every screen that shows more than fits on it."""

from __future__ import annotations

from typing import Protocol

from textual.geometry import Size

from pollux.tui.widgets.still import StillScreen

OVERLAP = 2
"""So many lines of a screen are still seen on the next one."""


class Scrolled(Protocol):
    """What can be scrolled."""

    @property
    def size(self) -> Size:
        """How large it is."""

    def scroll_lines(self, lines: int) -> None:
        """Move by so many lines."""

    def to_start(self) -> None:
        """Show the beginning."""

    def to_end(self) -> None:
        """Show the end."""


class Scrolling(StillScreen):
    """Moves by lines and screens, and to both ends."""

    @property
    def scrolled(self) -> Scrolled:
        """What is scrolled now."""
        raise NotImplementedError

    def _by_screens(self, screens: float) -> None:
        height = self.scrolled.size.height
        lines = height - OVERLAP if abs(screens) == 1 else int(height * abs(screens))
        self.scrolled.scroll_lines(max(lines, 1) * (1 if screens > 0 else -1))

    def action_down(self) -> None:
        """A line further."""
        self.scrolled.scroll_lines(1)

    def action_up(self) -> None:
        """A line back."""
        self.scrolled.scroll_lines(-1)

    def action_page_down(self) -> None:
        """A screen further."""
        self._by_screens(1)

    def action_page_up(self) -> None:
        """A screen back."""
        self._by_screens(-1)

    def action_half_down(self) -> None:
        """Half a screen further."""
        self._by_screens(0.5)

    def action_half_up(self) -> None:
        """Half a screen back."""
        self._by_screens(-0.5)

    def action_top(self) -> None:
        """The beginning."""
        self.scrolled.to_start()

    def action_bottom(self) -> None:
        """The end."""
        self.scrolled.to_end()
