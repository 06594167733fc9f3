"""What a hand-over would write, and what does not go over as it was: nothing is written before this was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.handoff import handoff_lines
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.tui.overlays.scrolled import ScrolledOverlay, key_words
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from pollux.library.handoff.plan import HandoffPlan
    from pollux.tui.canvas import StripCanvas


class HandoffScreen(ScrolledOverlay[str | None]):
    """Gives what to do: `go`, `write`, `folder`, `copy`; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('go')", show=False),
        Binding("w", "choose('write')", show=False),
        Binding("i", "choose('folder')", show=False),
        Binding("y", "choose('copy')", show=False),
        Binding("escape,q,ctrl+c", "cancel", show=False),
    ]
    DEFAULT_CSS = """
    HandoffScreen { align: center middle; }
    HandoffScreen > TextView { width: 90%; max-width: 92; height: auto; max-height: 90%; padding: 1;
                               background: $background; border: round $faint; }
    """

    def __init__(self, plan: HandoffPlan, home: str) -> None:
        super().__init__()
        self._plan = plan
        self._home = home

    def compose(self) -> ComposeResult:
        """The plan."""
        yield TextView(self._lines)

    def _lines(self, canvas: StripCanvas) -> Iterator[str]:
        plan = self._plan
        yield canvas.paint(f"Hand over to {plan.agent_title}", "bold")
        yield ""
        yield from handoff_lines(canvas, plan, self._home)
        for warning in plan.warnings:
            yield ""
            yield from (canvas.paint(line, "warn") for line in wrap(one_line(warning), canvas.columns))
        yield ""
        going = [("↵", "write it and go on")] if plan.program is not None else []
        others = [("w", "only write it"), ("i", "in another folder"), ("y", "copy the command"), ("Esc", "stay")]
        yield from key_words(canvas, [*going, *others])

    def action_choose(self, choice: str) -> None:
        """Take a choice. Nobody goes on in an agent that is not installed."""
        if choice != "go" or self._plan.program is not None:
            self.dismiss(choice)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
