"""How a session would be resumed: nothing runs before this was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pollux.draw.width import wrap
from pollux.text.escape import one_line, visible
from pollux.text.shell import shell_line
from pollux.tui.overlays.planned import Planned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.library.resume.plan import ResumePlan
    from pollux.tui.canvas import StripCanvas


class PlanScreen(Planned):
    """Gives what to do: `go`, `fork`, `folder`, `handoff`, `copy`; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('go')", show=False),
        Binding("f", "choose('fork')", show=False),
        Binding("i", "choose('folder')", show=False),
        Binding("h", "choose('handoff')", show=False),
        Binding("y", "choose('copy')", show=False),
    ]

    def __init__(self, plan: ResumePlan) -> None:
        super().__init__()
        self._plan = plan

    def facts(self, canvas: StripCanvas) -> Iterator[str]:
        """The plan."""
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

    def choices(self) -> list[tuple[str, str]]:
        """What can be done."""
        other = "the session itself" if self._plan.fork else "as a copy"
        copying = [("f", other)] if self._plan.copies else []
        elsewhere = [("i", "in another folder"), ("h", "in another agent")]
        return [("↵", "go on"), *copying, *elsewhere, ("y", "copy the command"), ("Esc", "stay")]
