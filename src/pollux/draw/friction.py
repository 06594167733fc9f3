"""Where the work did not go smoothly, for people: how often, and each case with its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import ago
from pollux.draw.width import wrap
from pollux.library.friction.values import FrictionKind, Undoing
from pollux.model import Fate
from pollux.model.names import project_name
from pollux.system.clock import now
from pollux.text.escape import one_line
from pollux.text.figures import NONE, number, plural, tilde
from pollux.writers.calls import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.library.friction.values import FrictionCase, FrictionReport

_NARROW = 80
NAMES = {
    FrictionKind.FAILED: "calls that failed",
    FrictionKind.REPEATED: "calls made again after they had failed",
    FrictionKind.UNDONE: "edits that were undone",
    FrictionKind.INTERRUPTED: "interruptions by the user",
    FrictionKind.COMPACTED: "compactions",
}
_UNDOINGS = {Undoing.REVERSED: "by the reverse edit", Undoing.WRITTEN_BACK: "by writing it as before"}


def friction_lines(canvas: Canvas, report: FrictionReport, home: str) -> Iterator[str]:
    """The numbers, what cannot be known, then each case."""
    count, what = Column("", right=True), Column("")
    for kind, name in NAMES.items():
        count.add(number(report.counts[kind]))
        what.add(name)
    yield from table(canvas, [count, what])
    yield from (canvas.paint(line, "dim") for text in remarks(report) for line in wrap(text, canvas.columns))
    if report.cases:
        yield ""
        yield from _cases(canvas, report.cases, home)


def remarks(report: FrictionReport) -> Iterator[str]:
    """Of how much this is, and what cannot be known."""
    if report.calls is not None:
        yield f"In {plural(report.sessions, 'session')} with {plural(report.calls, 'call')}."
    if report.calls_without_result:
        yield f"{plural(report.calls_without_result, 'call')} without a result: whether they failed is not known."
    if report.sessions_unknown:
        yield f"{plural(report.sessions_unknown, 'session')} with prompts only: what was done there is not known."


def _cases(canvas: Canvas, cases: Sequence[FrictionCase], home: str) -> Iterator[str]:
    narrow = canvas.columns is not None and canvas.columns < _NARROW
    several = len({case.key for case in cases}) > 1
    when = Column("when")
    agent = Column("agent", sacrifice=5)
    project = Column("project", most=16, sacrifice=8)
    kind = Column("what")
    message = Column("message", whole=True, sacrifice=2)
    about = Column("about", flexible=True, least=16)
    present = now()
    for case in cases:
        when.add(ago(case.at, present, brief=narrow), "dim")
        agent.add(one_line(case.agent) if several else "")
        project.add((one_line(project_name(case.project)) if case.project else NONE) if several else "", "dim")
        kind.add(case.kind if case.fate is Fate.LIVE else f"{case.kind}, {case.fate}", _style(case))
        message.add(one_line(f"{case.short_id}#{case.short_message_id}"), "id")
        about.add(about_case(case, home))
    return table(canvas, [when, agent, project, kind, message, about])


def _style(case: FrictionCase) -> str | None:
    return {FrictionKind.FAILED: "bad", FrictionKind.INTERRUPTED: "warn"}.get(case.kind)


def about_case(case: FrictionCase, home: str) -> str:
    """What was called or changed, and how it ended."""
    what = one_line(tilde(case.what, home)) if case.what else ""
    words = []
    if case.kind is FrictionKind.FAILED and case.exit_code:
        words.append(f"exit code {case.exit_code}")
    if case.kind is FrictionKind.REPEATED and case.status is not None:
        words.append(OUTCOMES[case.status])
        words.append(f"after {plural(case.edits_between or 0, 'edit')}")
    if case.undoing is not None:
        words.append(_UNDOINGS[case.undoing])
    return f"{', '.join(words)}: {what}" if words and what else what or ", ".join(words) or NONE
