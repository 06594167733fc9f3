"""All commands by name: type a part of what one is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from pollux.draw.width import cut, pad
from pollux.tui.canvas import StripCanvas
from pollux.tui.keys import spoken
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.widgets.field import Field
from pollux.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from pollux.tui.keys import Key

_NAME = 18


class Commands(LineList):
    """The commands that match."""

    def __init__(self) -> None:
        super().__init__(id="commands")
        self.keys: list[Key] = []

    def count(self) -> int:
        """How many match."""
        return len(self.keys)

    def line(self, number: int) -> str:
        """A command, what it is for, and its key."""
        key, canvas = self.keys[number], StripCanvas(self.columns)
        name = spoken(key.keys[0]) if key.keys else ""
        room = self.columns - _NAME - len(name) - 4
        words = pad(cut(key.meaning, max(room, 8)), max(room, 8))
        return f" {pad(cut(key.label, _NAME), _NAME)} {canvas.paint(words, 'dim')} {canvas.paint(name, 'accent')}"


class Palette(Overlay["Key | None"]):
    """Gives the key whose command was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+o,ctrl+c", "cancel", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("enter", "choose", show=False, priority=True),
    ]
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    Palette { align: center top; }
    Palette > Vertical { width: 90%; max-width: 92; height: 70%; margin-top: 2; padding: 0 1; background: $background;
                         border: round $faint; }
    Palette Input, Palette Input:focus { border: none; height: 1; padding: 0 1; margin-bottom: 1;
                                         background: $background; background-tint: transparent; }
    Palette Commands { height: 1fr; }
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = [key for key in keys if key.action != "palette"]

    def compose(self) -> ComposeResult:
        """The field and the commands."""
        with Vertical():
            yield Field(placeholder="a command", select_on_focus=False)
            yield Commands()

    def on_mount(self) -> None:
        """Show all."""
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show those that match."""
        self._show(event.value)

    def _show(self, text: str) -> None:
        words = text.lower().split()
        shown = self.query_one(Commands)
        shown.keys = [
            key
            for key in self._keys
            if all(word in f"{key.label} {key.action} {key.meaning}".lower() for word in words)
        ]
        shown.cursor = 0
        shown.changed()

    def action_move(self, steps: int) -> None:
        """Another command."""
        self.query_one(Commands).move(steps)

    def action_choose(self) -> None:
        """Take the chosen one."""
        shown = self.query_one(Commands)
        self.dismiss(shown.keys[shown.cursor] if shown.keys else None)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
