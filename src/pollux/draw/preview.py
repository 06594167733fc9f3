"""A session at a glance, from its summary alone: nothing is read for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.marks import note_lines, signs
from pollux.draw.transcript.head import summary_facts
from pollux.draw.width import cut, wrap
from pollux.text.escape import one_line, visible
from pollux.text.figures import tilde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.library import ListEntry

_LINES = 12
"""A prompt has at most so many lines."""


def preview(canvas: Canvas, entry: ListEntry, home: str) -> Iterator[str]:
    """Title, facts, the first and the last prompt, the files."""
    summary = entry.summary
    for line in wrap(one_line(entry.title or "A session without a title"), canvas.columns):
        yield canvas.paint(line, "bold")
    if entry.marks is not None:
        marks = entry.marks.session
        for line in (*wrap(signs(marks), canvas.columns), *note_lines(canvas, marks)):
            if line:
                yield canvas.paint(line, "match")
    yield ""
    yield from summary_facts(canvas, summary, home)
    yield canvas.paint(cut(one_line(summary.key), canvas.columns or 200), "dim")
    prompts = [("First prompt", summary.first_prompt), ("Last prompt", summary.last_prompt)]
    for number, (label, prompt) in enumerate(prompts):
        if prompt and (number == 0 or prompt != summary.first_prompt):
            yield ""
            yield canvas.paint(label, "human")
            yield from _prompt(canvas, prompt)
    yield ""
    yield canvas.paint("Files", "head", "bold")
    for file in summary.files:
        yield from (canvas.paint(line, "dim") for line in wrap(one_line(tilde(file, home)), canvas.columns))


def _prompt(canvas: Canvas, prompt: str) -> Iterator[str]:
    lines = [piece for line in visible(prompt).expandtabs(4).split("\n") for piece in wrap(line, canvas.columns)]
    yield from lines[:_LINES]
    if len(lines) > _LINES:
        yield canvas.paint("…", "dim")
