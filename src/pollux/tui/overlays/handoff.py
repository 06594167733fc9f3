"""What a hand-over would write, and what does not go over as it was: nothing is written before this was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.handoff import handoff_lines
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.tui.overlays.planned import Planned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.library.handoff.plan import HandoffPlan
    from pollux.tui.canvas import StripCanvas


class HandoffScreen(Planned):
    """Gives what to do: `go`, `write`, `redact`, `folder`, `copy`; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('go')", show=False),
        Binding("w", "choose('write')", show=False),
        Binding("r", "choose('redact')", show=False),
        Binding("i", "choose('folder')", show=False),
        Binding("y", "choose('copy')", show=False),
    ]

    def __init__(self, plan: HandoffPlan, home: str) -> None:
        super().__init__()
        self._plan = plan
        self._home = home

    def facts(self, canvas: StripCanvas) -> Iterator[str]:
        """The plan; first what one must know before."""
        plan = self._plan
        yield canvas.paint(f"Hand over to {plan.agent_title}", "bold")
        yield ""
        for warning in plan.warnings:
            yield from (canvas.paint(line, "warn") for line in wrap(one_line(warning), canvas.columns))
            yield ""
        yield from handoff_lines(canvas, plan, self._home, hang=True)

    def choices(self) -> list[tuple[str, str]]:
        """What can be done."""
        going = [("↵", "write it and go on")] if self._plan.program is not None else []
        secrets = "without secrets" if self._plan.redacted is None else "with secrets"
        others = [("w", "only write it"), ("r", secrets), ("i", "in another folder")]
        return [*going, *others, ("y", "copy the command"), ("Esc", "stay")]

    def action_choose(self, choice: str) -> None:
        """Take a choice. Nobody goes on in an agent that is not installed."""
        if choice != "go" or self._plan.program is not None:
            super().action_choose(choice)
