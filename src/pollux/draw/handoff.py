"""A hand-over, for people: what is written where, the command, and what goes over."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pollux.draw.width import fold, wrap
from pollux.text.escape import one_line, visible
from pollux.text.figures import plural, size, tilde
from pollux.text.shell import shell_word
from pollux.wire import display_path
from pollux.writers.native.account import Carried

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.handoff.plan import HandoffPlan
    from pollux.library.handoff.undo import Undone
    from pollux.writers.native.account import Account, Counts

_LEAD = 9
_STATES = {"removed": "removed", "gone": "was gone", "left": "left"}
_HOW = {Carried.NATIVE: "changed", Carried.TEXT: "as text", Carried.LEFT_OUT: "left out"}


def handoff_lines(canvas: Canvas, plan: HandoffPlan, home: str, *, hang: bool = False) -> Iterator[str]:
    """A plan, or what was written. Long values `hang`, or the terminal breaks them: then they can be copied whole."""
    columns = max((canvas.columns or 80) - _LEAD - 2, 10) if hang else None
    for name, value in _facts(plan, home):
        lines = [part for line in wrap(value, columns) for part in fold(line, columns)]
        for number, line in enumerate(lines):
            yield _row(name if number == 0 else "", line)
    yield from account_lines(canvas, plan.account)
    if plan.redacted is not None:
        yield _row("redacted", f"{plural(plan.redacted, 'secret')} replaced")


def _facts(plan: HandoffPlan, home: str) -> Iterator[tuple[str, str]]:
    if plan.title:
        yield "title", one_line(plan.title)
    yield "from", shell_word(plan.origin)
    yield "to", plan.key or f"a new session of {plan.agent_title}, which gets an id of its own"
    for file in plan.files:
        there = "was there" if not file.missing else size(file.bytes)
        yield "file", f"{one_line(tilde(file.path, home))}  ({there})"
    if plan.appended is not None:
        path = display_path(plan.appended.path)
        yield "line", f"{one_line(tilde(path, home))}  ({plan.appended.what})"
    yield "command", visible(plan.line)


def account_lines(canvas: Canvas, account: Account) -> Iterator[str]:
    """What goes over, in sums: each reason why something does not go over as it was."""
    yield _row("carried", _shares(account.messages, "message"))
    if account.parts.native < account.parts.total:
        yield _row("", _shares(account.parts, "part"))
    sums = Counter((item.carried, item.what, item.why) for item in account.items)
    width = canvas.columns - _LEAD - 2 if canvas.columns is not None else None
    for (carried, what, why), count in sums.items():
        text = f"{count:,} × {what}: {why}" if what else f"{count:,}: {why}"
        for line in wrap(f"{_HOW[carried]}: {one_line(text)}", width):
            yield canvas.paint(_row("", line), "dim")
    for sentence in account.added:
        for line in wrap(f"added: {one_line(sentence)}", width):
            yield canvas.paint(_row("", line), "dim")


def undone_lines(undone: Undone, home: str) -> Iterator[str]:
    """What became of each file."""
    for file in undone.files:
        yield f"{_STATES[file.state]:{_LEAD}}  {one_line(tilde(file.path, home))}"


def _row(name: str, text: str) -> str:
    return f"{name:{_LEAD}}  {text}"


def _shares(counts: Counts, what: str) -> str:
    if counts.native == counts.total:
        return f"{plural(counts.total, what)}, as they were" if counts.total > 1 else f"1 {what}, as it was"
    ways = [(counts.native, "as they were"), (counts.text, "as text"), (counts.left_out, "left out")]
    return f"{plural(counts.total, what)}: " + ", ".join(f"{number:,} {way}" for number, way in ways if number)
