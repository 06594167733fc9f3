"""A tool call on one line: how it ended, its name, what it was about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.width import cut, width
from pollux.model import Status
from pollux.text.escape import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.draw.canvas import Canvas
    from pollux.model import ToolCall
    from pollux.writers.diffs import Diff
    from pollux.writers.transcript import CallBlock

MARKS = {
    Status.OK: ("✓", "good"),
    Status.ERROR: ("✗", "bad"),
    Status.CANCELLED: ("–", "warn"),
    Status.UNFINISHED: ("–", "warn"),
}
LEAST = 12


def one_call(canvas: Canvas, block: CallBlock, indent: int, changes: Sequence[Diff] = ()) -> str:
    """`✓ run_shell_command  ls -la`, `✗ read_file  notes.txt · File not found`, `✓ edit  a.py · +3 −1`."""
    call = block.call
    mark, style = MARKS[call.status]
    name = one_line(call.name)
    request, outcome = _request(block), _outcome(call) or _sizes(changes)
    if canvas.columns is not None:
        room = canvas.columns - indent - width(mark) - 1 - width(name) - 2
        outcome = cut(outcome, max(room - min(width(request), max(room // 2, LEAST)) - 3, LEAST)) if outcome else ""
        request = cut(request, max(room - (width(outcome) + 3 if outcome else 0), LEAST))
    line = f"{canvas.paint(mark, style)} {name}"
    if request:
        line += f"  {canvas.paint(request, 'dim')}"
    if outcome:
        line += f" · {canvas.paint(outcome, style)}"
    return line


def _sizes(changes: Sequence[Diff]) -> str:
    """How many lines were added and removed."""
    return f"+{sum(d.added for d in changes):,} −{sum(d.removed for d in changes):,}" if changes else ""


def _outcome(call: ToolCall) -> str:
    """What the mark alone does not say."""
    words = []
    if call.status in (Status.CANCELLED, Status.UNFINISHED):
        words.append(call.status.value)
    if call.exit_code:
        words.append(f"exit {call.exit_code}")
    elif call.status is Status.ERROR:
        words.append(_first_line(call.output) or "failed")
    if call.child is not None:
        words.append(f"→ {one_line(call.child.partition(':')[2] or call.child)[:8]}")
    return ", ".join(words)


def _first_line(output: str | None) -> str:
    for line in (output or "")[:4000].splitlines():
        if line.strip():
            return one_line(line)
    return ""


def _request(block: CallBlock) -> str:
    """The arguments of a call on one line, the same as in a transcript on paper."""
    return visible(" ".join(a.text if a.name is None else f"{a.name}={a.text}" for a in block.arguments))
