"""A question with one line as its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from pollux.text.escape import visible
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.strips import drawable
from pollux.tui.widgets.field import Field

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Ask(Overlay[str | None]):
    """Gives the line; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "cancel", show=False, priority=True)]
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    Ask { align: center middle; }
    Ask > Vertical { width: 90%; max-width: 92; height: auto; padding: 1 2; background: $background;
                     border: round $faint; }
    Ask .title { color: $dim; text-style: bold; padding-bottom: 1; }
    Ask Input, Ask Input:focus { border: none; height: 1; padding: 0; background: $background;
                                 background-tint: transparent; }
    Ask.-low Input, Ask.-low Input:focus { dock: bottom; }
    """

    def __init__(self, title: str, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._value = value

    def compose(self) -> ComposeResult:
        """The question, and the field for the answer."""
        with Vertical():
            yield Static(drawable(visible(self._title)), classes="title", markup=False)
            yield Field(self._value, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line."""
        event.stop()
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
