"""A small menu over the screen: each choice has a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from pollux.draw.width import cut, pad, width
from pollux.text.escape import visible
from pollux.tui.looks import looks
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.strips import drawable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Key


class Choice(NamedTuple):
    """A key, what it says, and what it gives."""

    key: str
    words: str
    value: str


class Menu(Overlay[str | None]):
    """Gives the value of what was chosen; None where nothing was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "cancel", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]
    DEFAULT_CSS = """
    Menu { align: center middle; background: $background 60%; }
    Menu > Vertical { width: auto; max-width: 90%; height: auto; max-height: 90%; padding: 1 2;
                      background: $background; border: round $faint; overflow-y: auto; scrollbar-size-vertical: 1; }
    Menu Static { width: auto; }
    Menu .title { color: $dim; text-style: bold; padding-bottom: 1; }
    Menu .choice.chosen { background: $selected; }
    """

    def __init__(self, title: str, choices: Sequence[Choice], chosen: int = 0) -> None:
        super().__init__()
        self._title = title
        self.choices = list(choices)
        self.chosen = chosen

    def compose(self) -> ComposeResult:
        """The title and the choices."""
        room = max(self.app.size.width * 9 // 10 - 12, 10)
        words = [cut(drawable(visible(choice.words)), room) for choice in self.choices]
        wide, accent = max(map(width, words), default=0), looks(self.app.theme)["accent"]
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            for number, choice in enumerate(self.choices):
                chosen = "choice chosen" if number == self.chosen else "choice"
                line = Text.assemble((f" {choice.key:2} ", accent), f"{pad(words[number], wide)} ")
                yield Static(line, classes=chosen, markup=False)

    def on_key(self, event: Key) -> None:
        """A choice's own key."""
        for choice in self.choices:
            if choice.key in (event.character, event.key):
                event.stop()
                self.dismiss(choice.value)
                return

    def action_move(self, steps: int) -> None:
        """Another choice."""
        self.chosen = (self.chosen + steps) % max(len(self.choices), 1)
        for number, line in enumerate(self.query(".choice")):
            line.set_class(number == self.chosen, "chosen")
            if number == self.chosen:
                line.scroll_visible(animate=False)

    def action_choose(self) -> None:
        """Take the chosen one."""
        self.dismiss(self.choices[self.chosen].value if self.choices else None)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
