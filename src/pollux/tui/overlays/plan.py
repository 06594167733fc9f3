"""How a session would be resumed: nothing runs before this was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.width import wrap
from pollux.text.escape import one_line, visible
from pollux.text.shell import shell_line
from pollux.tui.overlays.scrolled import ScrolledOverlay, key_words
from pollux.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from pollux.library.resume.plan import ResumePlan
    from pollux.tui.canvas import StripCanvas


class PlanScreen(ScrolledOverlay[str | None]):
    """Gives what to do: `go`, `fork`, `folder`, `handoff`, `copy`; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('go')", show=False),
        Binding("f", "choose('fork')", show=False),
        Binding("i", "choose('folder')", show=False),
        Binding("h", "choose('handoff')", show=False),
        Binding("y", "choose('copy')", show=False),
        Binding("escape,q,ctrl+c", "cancel", show=False),
    ]
    DEFAULT_CSS = """
    PlanScreen { align: center middle; }
    PlanScreen > TextView { width: 90%; max-width: 92; height: auto; max-height: 90%; padding: 1;
                            background: $background; border: round $faint; }
    """

    def __init__(self, plan: ResumePlan) -> None:
        super().__init__()
        self._plan = plan

    def compose(self) -> ComposeResult:
        """The plan."""
        yield TextView(self._lines)

    def _lines(self, canvas: StripCanvas) -> Iterator[str]:
        plan, columns = self._plan, canvas.columns
        what = f"Go on with a copy in {plan.title}" if plan.fork else f"Go on in {plan.title}"
        yield canvas.paint(what, "bold")
        yield from wrap(one_line(plan.session.title or plan.session.key), columns)
        yield ""
        for label, value in (("folder", plan.folder), ("command", shell_line(*plan.words))):
            for number, line in enumerate(wrap(visible(value), max((columns or 80) - 9, 10))):
                yield canvas.paint(f"{label if number == 0 else '':9}", "dim") + line
        for name, variable in plan.environ.items():
            yield canvas.paint(f"{'with':9}", "dim") + visible(f"{name}={variable}" if variable else f"no {name}")
        problems = [*plan.warnings, *([plan.opened.sentence] if plan.opened is not None and not plan.fork else [])]
        if plan.program is None:
            problems.append(f"{plan.title} is not installed here.")
        for problem in problems:
            yield ""
            yield from (canvas.paint(line, "warn") for line in wrap(one_line(problem), columns))
        yield ""
        other = "the session itself" if plan.fork else "as a copy"
        copying = [("f", other)] if plan.copies else []
        elsewhere = [("i", "in another folder"), ("h", "in another agent")]
        yield from key_words(canvas, [("↵", "go on"), *copying, *elsewhere, ("y", "copy the command"), ("Esc", "stay")])

    def action_choose(self, choice: str) -> None:
        """Take a choice."""
        self.dismiss(choice)

    def action_cancel(self) -> None:
        """Take none."""
        self.dismiss(None)
