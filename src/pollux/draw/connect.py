"""The server and the skill in the agents' settings, for people: what changes line by line, and what answers."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pollux.draw.width import wrap
from pollux.library.connect.check import State
from pollux.library.connect.plan import Change
from pollux.text.escape import one_line, visible
from pollux.text.figures import duration, plural, tilde
from pollux.text.shell import shell_line
from pollux.wire import display_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.connect.check import CheckedEntry, Checks
    from pollux.library.connect.plan import ConnectPlan, Step

_LONG = 400
"""A line with more characters is not shown: the new lines are shown alone."""
_MOST = 40
_STATES = {
    Change.NONE: "has it already",
    Change.ABSENT: "has nothing of pollux",
    Change.LEFT: "stays as it is",
}
_STYLES = {"+": "good", "-": "bad"}


def plan_lines(canvas: Canvas, plan: ConnectPlan, home: str) -> Iterator[str]:
    """Every file, and what changes in it."""
    shown = False
    for step in plan.steps:
        lines = list(_step_lines(canvas, step, home))
        if shown:
            yield ""
        yield from lines
        shown = len(lines) > 1


def _step_lines(canvas: Canvas, step: Step, home: str) -> Iterator[str]:
    path = one_line(tilde(display_path(step.place), home))
    titles = " and ".join(step.titles)
    if not step.change.writes:
        yield f"{canvas.paint(titles, 'bold')}: {path} {_STATES[step.change]}."
    else:
        yield f"{canvas.paint(titles, 'bold')}: {path}{_kind(step)}"
        for line in _difference(step) if step.names or (step.before and step.after) else ():
            yield canvas.paint(f"  {visible(line)}".rstrip(), _STYLES.get(line[:1], "dim"))
    for note in step.notes:
        yield from (canvas.paint(f"  {line}", "warn") for line in wrap(_homely(note, home), _inner(canvas)))


def _kind(step: Step) -> str:
    """Whether a file comes or goes; a skill is so long that its lines are only counted."""
    lines = "" if step.names else f", {plural(len(step.fragment.splitlines()), 'line')}"
    return f" (new{lines})" if step.before is None else " (is removed)" if step.after is None else ""


def _difference(step: Step) -> Iterator[str]:
    """The lines that go and come; of a long new file only the beginning."""
    before = (step.before or b"").decode("utf-8", "replace").splitlines()
    after = (step.after or b"").decode("utf-8", "replace").splitlines()
    changed = [
        line
        for line in difflib.unified_diff(before, after, n=1, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    if any(len(line) > _LONG for line in changed):
        changed = [f"{'-' if step.change is Change.REMOVE else '+'}{line}" for line in step.fragment.splitlines()]
    yield from changed[:_MOST]
    if len(changed) > _MOST:
        yield f" … {plural(len(changed) - _MOST, 'more line')}"


def check_lines(canvas: Canvas, checks: Checks, home: str) -> Iterator[str]:
    """Every entry, and what became of it."""
    for entry in checks.entries:
        yield from _entry_lines(canvas, entry, home)
    for sentence in checks.duplicates:
        for line in wrap(_homely(sentence, home), canvas.columns):
            yield canvas.paint(line, "warn")


def _entry_lines(canvas: Canvas, entry: CheckedEntry, home: str) -> Iterator[str]:
    path = one_line(tilde(display_path(entry.file), home))
    mark = {State.ANSWERS: ("✓", "good"), State.OFF: ("–", "dim")}.get(entry.state, ("✗", "bad"))
    name = f", {one_line(entry.name)}" if entry.name not in (None, "pollux") else ""
    yield f"{canvas.paint(mark[0], mark[1])} {canvas.paint(entry.title, 'bold')} ({entry.scope}{name}): {path}"
    if entry.command:
        yield canvas.paint(f"  {visible(shell_line(*entry.command))}", "dim")
    if entry.state is State.ANSWERS:
        tools = ", ".join(map(one_line, entry.tools)) or "no tools"
        yield f"  {one_line(entry.server or 'a server')} {one_line(entry.version or '')}".rstrip() + (
            f", protocol {one_line(entry.protocol or '?')}, in {duration(entry.seconds)}: {tools}"
        )
    for line in wrap(_homely(entry.why, home), _inner(canvas)) if entry.why else ():
        yield f"  {line}"


def _homely(sentence: str, home: str) -> str:
    """A sentence with paths as people write them."""
    return one_line(sentence).replace(home.rstrip("/") + "/", "~/")


def _inner(canvas: Canvas) -> int | None:
    return canvas.columns - 2 if canvas.columns is not None else None
