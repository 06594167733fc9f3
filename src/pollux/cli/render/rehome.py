"""What a move changes in the agents' files, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pollux.text.escape import one_line
from pollux.text.figures import tilde

if TYPE_CHECKING:
    from pollux.library.rehome import Plan

_DONE = {"rename": "renamed", "rewrite": "rewritten"}


def plan_lines(plan: Plan, home: str) -> Iterator[str]:
    """Each renaming, each file that gets other bytes and what in it, and what stays."""
    for step in plan.steps:
        verb = _DONE[step.change] if plan.done else step.change
        yield f"{verb:9}  {one_line(tilde(step.path, home))}"
        yield (
            f"{'to':>9}  {one_line(tilde(step.to, home))}"
            if step.to is not None
            else f"{'':9}  {one_line(step.what or '')}"
        )
    if not plan.steps:
        yield "Nothing in the agents' files has to change."
    for left in plan.left:
        yield f"{'left':9}  {left.agent}: {one_line(left.why)}"
