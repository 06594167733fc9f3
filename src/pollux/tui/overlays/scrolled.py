"""Lines over a screen that can be scrolled: on a small terminal not all of them are seen at once."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType

from pollux.tui.overlays.overlay import Overlay
from pollux.tui.widgets.text_view import TextView

Result = TypeVar("Result")
_PAGE = 10


class ScrolledOverlay(Overlay[Result]):
    """Holds one view of lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,space", f"move({_PAGE})", show=False),
        Binding("pageup,b", f"move(-{_PAGE})", show=False),
    ]

    def action_move(self, lines: int) -> None:
        """Scroll."""
        self.query(TextView).first().scroll_lines(lines)
