"""What would be done, and below it what can be done, which is always seen where there is room for both."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from pollux.tui.overlays.scrolled import ScrolledOverlay
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from textual.app import ComposeResult

    from pollux.tui.canvas import StripCanvas

_LOW = 12
"""On lower screens it has no edge, and what can be done stands behind all else."""

_WIDEST, _EDGES = 92, 4


class Planned(ScrolledOverlay[str | None]):
    """Gives a choice; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,ctrl+c", "cancel", show=False)]
    DEFAULT_CSS = """
    Planned { align: center middle; }
    Planned > Vertical { width: 90%; max-width: 92; height: auto; padding: 1; background: $background;
                         border: round $faint; }
    Planned #choices { height: auto; }
    """

    def facts(self, canvas: StripCanvas) -> Iterator[str]:
        """What would be done."""
        raise NotImplementedError

    def choices(self) -> list[tuple[str, str]]:
        """Keys, and what they do."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Both."""
        with Vertical():
            yield TextView(self._facts, id="facts")
            yield TextView(self._choices, id="choices")

    @property
    def _is_low(self) -> bool:
        return self.size.height < _LOW

    def _facts(self, canvas: StripCanvas) -> Iterator[str]:
        yield from self.facts(canvas)
        if self._is_low:
            yield from self._choices(canvas)

    def _choices(self, canvas: StripCanvas) -> Iterator[str]:
        yield ""
        yield from key_words(canvas, self.choices())

    def on_resize(self) -> None:
        """Divide the room."""
        facts, choices = self.query_one("#facts", TextView), self.query_one("#choices", TextView)
        choices.display = not self._is_low
        facts.styles.height = "1fr" if self._is_low else "auto"
        wide = min(self.size.width * 9 // 10, _WIDEST) - _EDGES
        room = self.size.height * 9 // 10 - _EDGES - choices.get_content_height(self.size, self.size, wide)
        facts.styles.max_height = None if self._is_low else max(room, 1)
        facts.changed()

    def action_choose(self, choice: str) -> None:
        """Take a choice."""
        self.dismiss(choice)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)


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
