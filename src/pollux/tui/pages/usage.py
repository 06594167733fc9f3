"""What was used, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.stats import remarks, stats_table
from pollux.text.figures import tilde
from pollux.tui.pages.page import Choice, Page
from pollux.usage.service import Grouping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Library


class UsagePage(Page):
    """The table of `pollux stats`."""

    title = "Usage"
    command = "stats"
    options = ("model", "project", "agent", "day", "week", "month")

    def lines(self, canvas: Canvas, library: Library, choice: Choice) -> Iterator[str]:
        """The table, and what its marks mean."""
        stats = library.usage.stats(Grouping(choice.by), choice.criteria())
        home = str(library.user_home)
        yield from stats_table(canvas, stats, home, {})
        yield ""
        yield from remarks(canvas, stats, library.usage.prices, tilde(str(library.settings_file), home))
