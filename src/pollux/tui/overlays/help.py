"""All keys of a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.width import pad, width, wrap
from pollux.tui.keys import ANYWHERE, PLACES, of_place, spoken
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult

    from pollux.tui.canvas import StripCanvas
    from pollux.tui.keys import Key


class Help(Overlay[None]):
    """A list of keys that can be scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,enter,ctrl+c", "dismiss", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,space", "move(10)", show=False),
        Binding("pageup,b", "move(-10)", show=False),
    ]
    DEFAULT_CSS = """
    Help { align: center middle; }
    Help > TextView { width: 90%; max-width: 92; height: 90%; padding: 1; background: $background;
                      border: round $faint; }
    """

    def __init__(self, place: str, table: Sequence[Key]) -> None:
        super().__init__()
        self._place = place
        self._table = table

    def compose(self) -> ComposeResult:
        """The keys."""
        yield TextView(self._lines)

    def _lines(self, canvas: StripCanvas) -> Iterator[str]:
        keys = of_place(self._place, self._table)
        wide = max(width(_names(key)) for key in keys)
        place = ""
        for key in keys:
            if key.place != place:
                if place:
                    yield ""
                place = key.place
                yield canvas.paint(PLACES[place], "bold")
            room = max((canvas.columns or 80) - wide - 2, 12)
            for number, line in enumerate(wrap(key.meaning, room)):
                lead = canvas.paint(pad(_names(key), wide), "accent") if number == 0 else " " * wide
                yield f"{lead}  {line}"
        yield ""
        yield canvas.paint(f"[keys.{self._place}] and [keys.{ANYWHERE}] in the settings change them.", "dim")

    def action_move(self, lines: int) -> None:
        """Scroll."""
        self.query_one(TextView).scroll_lines(lines)


def _names(key: Key) -> str:
    return ", ".join(spoken(one) for one in key.keys)
