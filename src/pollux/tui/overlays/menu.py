"""A small menu over the screen: each choice has a key, as long as there are keys."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from pollux.draw.width import width
from pollux.text.escape import visible
from pollux.tui.canvas import StripCanvas
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.strips import drawable
from pollux.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.app import ComposeResult
    from textual.events import Key
    from textual.geometry import Size

_KEYS = "123456789abcdefghilmnoprstuvwxyz"
"""Those of choices without keys of their own: a menu has j, k and q for itself."""

_LOW = 12
"""On lower screens it has no edge."""

_SIDES, _ENDS = 6, 6
"""Columns and lines that are not for choices: the edge, what is free inside of it, and above all the title."""

_LEAD = 4
"""The columns of the key."""


class Choice(NamedTuple):
    """A key, what it says, and what it gives."""

    key: str
    words: str
    value: str


def numbered(choices: Iterable[tuple[str, str]]) -> list[Choice]:
    """What choices say and give, each with a key; the last of very many have none."""
    return [Choice(key, *choice) for key, choice in zip(chain(_KEYS, repeat("")), choices, strict=False)]


class Choices(LineList):
    """The choices."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__(id="choices")
        self._choices = choices
        self._widest = max((width(drawable(visible(choice.words))) for choice in choices), default=0)

    def count(self) -> int:
        """How many there are."""
        return len(self._choices)

    def line(self, number: int) -> str:
        """A choice and its key."""
        choice = self._choices[number]
        return f" {StripCanvas(None).paint(f'{choice.key:2}', 'accent')} {visible(choice.words)}"

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """As wide as the widest, if there is room."""
        return max(min(_LEAD + self._widest + 2, viewport.width * 9 // 10 - _SIDES), 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As high as it must be for all."""
        return self.count()


class Menu(Overlay[str | None]):
    """Gives the value of what was chosen; None where nothing was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "cancel", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]
    DEFAULT_CSS = """
    Menu { align: center middle; background: $background 60%; }
    Menu > Vertical { width: auto; max-width: 90%; height: auto; max-height: 90%; padding: 1 2;
                      background: $background; border: round $faint; }
    Menu .title { width: auto; color: $dim; text-style: bold; padding-bottom: 1; }
    Menu Choices { width: auto; }
    """

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self.choices = list(choices)

    def compose(self) -> ComposeResult:
        """The title and the choices."""
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield Choices(self.choices)

    @property
    def _shown(self) -> Choices:
        return self.query_one(Choices)

    @property
    def chosen(self) -> int:
        """The number of the choice under the cursor."""
        return self._shown.cursor

    def on_resize(self) -> None:
        """Divide the room."""
        is_low, styles = self.size.height < _LOW, self._shown.styles
        styles.height = "1fr" if is_low else "auto"
        styles.width = "1fr" if is_low else "auto"
        styles.max_height = None if is_low else max(self.size.height * 9 // 10 - _ENDS, 1)

    def on_key(self, event: Key) -> None:
        """A choice's own key."""
        for choice in self.choices:
            if choice.key in (event.character, event.key):
                event.stop()
                self.dismiss(choice.value)
                return

    def on_line_list_chosen(self) -> None:
        """A click on the choice under the cursor."""
        self.action_choose()

    def action_move(self, steps: int) -> None:
        """Another choice; from the last one to the first."""
        shown = self._shown
        shown.go_to((shown.cursor + steps) % max(shown.count(), 1))

    def action_page(self, pages: int) -> None:
        """A screen further."""
        self._shown.page(pages)

    def action_choose(self) -> None:
        """Take the chosen one."""
        self.dismiss(self.choices[self.chosen].value if self.choices else None)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
