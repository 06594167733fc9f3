"""What the list can be narrowed down by, with counts: the choice becomes a term of the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from pollux.draw.bars import bar
from pollux.draw.width import cut, pad
from pollux.errors import PolluxError
from pollux.index.search.query import FILTERS
from pollux.library.library import Filter
from pollux.text.escape import one_line
from pollux.text.filter_term import filter_term
from pollux.tui.canvas import StripCanvas
from pollux.tui.overlays.overlay import Overlay
from pollux.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from pollux.tui.app import PolluxApp
    from pollux.tui.list.question import Question

MOST = 9
"""So many values of a facet are shown."""

NAMES = ("agent", "project", "model", "is", "tag", "branch", "tool", "failed", "kind")
_BAR, _COUNT = 12, 7


class Values(LineList):
    """The facets and their values."""

    def __init__(self) -> None:
        super().__init__(id="values")
        self.rows: list[tuple[str, str | None, int, int]] = []

    def count(self) -> int:
        """How many lines there are."""
        return len(self.rows)

    def stops_at(self, number: int) -> bool:
        """The cursor stops at values."""
        return self.rows[number][1] is not None

    def line(self, number: int) -> str:
        """The name of a facet; or a value, how many sessions have it, and a bar."""
        name, value, count, most = self.rows[number]
        canvas = StripCanvas(self.columns)
        if value is None:
            return " " + canvas.paint(name, "dim", "bold")
        room = max(self.columns - _BAR - _COUNT - 6, 8)
        drawn = pad(bar(count, most, _BAR), _BAR)
        words = pad(cut(one_line(value), room), room)
        return f"   {words} {canvas.paint(f'{count:>{_COUNT},}', 'dim')} {canvas.paint(drawn, 'faint')}"


class Narrowing(Overlay[str | None]):
    """Gives a term such as `agent:codex`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,shift+tab", "cancel", show=False),
        Binding("down,j,ctrl+n", "move(1)", show=False),
        Binding("up,k,ctrl+p", "move(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]
    DEFAULT_CSS = """
    Narrowing { align: center middle; }
    Narrowing > Vertical { width: 90%; max-width: 76; height: 90%; padding: 0 1; background: $background;
                           border: round $faint; }
    Narrowing .title { color: $dim; text-style: bold; padding: 0 1 1 1; }
    """
    app: PolluxApp

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """The values."""
        with Vertical():
            yield Static("Narrow the list down", classes="title", markup=False)
            yield Values()

    def on_mount(self) -> None:
        """Count the sessions."""
        question, shown = self._question, self.query_one(Values)
        project = question.project if question.scope == "project" else None
        try:
            facets = self.app.library.index.facets(question.query, Filter(project=project), NAMES)
        except PolluxError as error:
            self._leave(str(error))
            return
        for name in NAMES:
            values = facets.get(name, {})
            if values and name in FILTERS:
                shown.rows.append((name, None, 0, 0))
                most = max(values.values())
                shown.rows += [(name, value, count, most) for value, count in list(values.items())[:MOST]]
                if len(values) > MOST:
                    shown.rows.append((f"  {len(values) - MOST:,} more", None, 0, 0))
        if not shown.rows:
            self._leave("There is nothing to narrow down.")
            return
        shown.cursor = 1
        shown.changed()

    def _leave(self, why: str) -> None:
        self.dismiss(None)
        self.app.list_screen.footer.say(why, "warn")

    def on_line_list_chosen(self) -> None:
        """A click on the chosen value."""
        self.action_choose()

    def action_move(self, steps: int) -> None:
        """Another value."""
        self.query_one(Values).move(steps)

    def action_page(self, pages: int) -> None:
        """A screen further."""
        self.query_one(Values).page(pages)

    def action_choose(self) -> None:
        """Take the value as a term."""
        shown = self.query_one(Values)
        name, value, _, _ = shown.rows[shown.cursor] if shown.rows else ("", None, 0, 0)
        self.dismiss(filter_term(name, value) if value is not None else None)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
