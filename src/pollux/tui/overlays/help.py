"""All keys of a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.width import width, wrap
from pollux.tui.keys import ANYWHERE, PLACES, of_place, spoken
from pollux.tui.overlays.scrolled import ScrolledOverlay
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult

    from pollux.tui.canvas import StripCanvas
    from pollux.tui.keys import Key


_GAP = 2
_LEAST = 20
"""In fewer columns nobody likes to read."""


class Help(ScrolledOverlay[None]):
    """A list of keys that can be scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1,enter,ctrl+c", "dismiss", show=False)]
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
            yield from self._line(canvas, key, wide)
        yield ""
        yield canvas.paint(f"[keys.{self._place}] and [keys.{ANYWHERE}] in the settings change them.", "dim")

    def _line(self, canvas: StripCanvas, key: Key, wide: int) -> Iterator[str]:
        """The names of a key, and beside them what it does; below them where there is no room beside."""
        columns = canvas.columns or 80
        room, names = columns - wide - _GAP, canvas.paint(_names(key), "accent")
        if room < _LEAST:
            yield names
            yield from (" " * _GAP + line for line in wrap(key.meaning, max(columns - _GAP, 1)))
            return
        lead = names + " " * (wide - width(_names(key)))
        for number, line in enumerate(wrap(key.meaning, room)):
            yield f"{lead if number == 0 else ' ' * wide}{' ' * _GAP}{line}"


def _names(key: Key) -> str:
    return ", ".join(spoken(one) for one in key.keys)
