"""Lines over a screen that can be scrolled: on a small terminal not all of them are seen at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding, BindingType

from pollux.tui.overlays.overlay import Overlay
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.tui.canvas import StripCanvas

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
        self.query_one(TextView).scroll_lines(lines)


def key_words(canvas: StripCanvas, keys: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What can be done, each with its key, on as many lines as that takes."""
    line, used = "", 0
    for key, words in keys:
        if used and used + len(f"{key} {words}") > (canvas.columns or 80):
            yield line.rstrip()
            line, used = "", 0
        line += f"{canvas.paint(key, 'accent')} {canvas.paint(words, 'dim')}   "
        used += len(f"{key} {words}   ")
    yield line.rstrip()
