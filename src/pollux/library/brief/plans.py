"""The plan of a session as its tools last left it: steps, and which of them are done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pollux.library.brief.told_calls import CallAt
from pollux.library.brief.values import Importance, Item, Section
from pollux.model import Status, Value

_STEPS = ("content", "description", "step", "subject", "title", "task", "text")
_LISTS = ("todos", "plan", "tasks", "steps", "items")
_DONE = frozenset({"completed", "done", "complete", "finished"})
_DROPPED = frozenset({"cancelled", "canceled", "deleted"})
_NUMBER = re.compile(r"#(\w+)")


class Step(Value, frozen=True, kw_only=True):
    """A step of a plan, in the words of its tool."""

    text: str
    status: str


def plan(calls: Sequence[CallAt]) -> Item | None:
    """The plan as it was left; None where there is none, or nothing of it is open."""
    steps, last, covers = dict[str, Step](), None, list[CallAt]()
    for one in calls:
        if one.call.tool_kind != "plan" or one.call.status is not Status.OK:
            continue
        changed = _changed(steps, one)
        if changed is not None:
            steps, last = changed, one
            covers.append(one)
    left = [step for step in steps.values() if step.status not in _DROPPED]
    done = sum(step.status in _DONE for step in left)
    if last is None or done == len(left):
        return None
    return Item(
        section=Section.STATE,
        what="plan",
        text="\n".join(f"[{step.status.replace('_', ' ')}] {step.text}" for step in left),
        note=f"{done} of {len(left)} steps done",
        importance=Importance.STATE,
        places=(last.place,),
        covers=tuple(one.unit for one in covers),
        least=400,
        at=last.message.at,
        fate=last.message.fate,
    )


def _changed(steps: dict[str, Step], one: CallAt) -> dict[str, Step] | None:
    """The steps after a call; None where it changed none. A call has the whole list, or adds or changes one step."""
    arguments = one.call.input
    if not isinstance(arguments, Mapping):
        return None
    for name in _LISTS:
        if isinstance(whole := arguments.get(name), list | tuple):
            listed = [step for entry in whole if (step := _step(entry)) is not None]
            return {str(number): step for number, step in enumerate(listed)} if listed else None
    number = arguments.get("taskId", arguments.get("task_id"))
    if isinstance(number, str | int) and (known := steps.get(str(number))) is not None:
        status = arguments.get("status")
        return {**steps, str(number): Step(text=known.text, status=status)} if isinstance(status, str) else None
    made = _NUMBER.search(one.call.output or "")
    if number is None and made is not None and (step := _step({"status": "pending", **arguments})) is not None:
        return {**steps, made[1]: step}
    return None


def _step(entry: Any) -> Step | None:
    if not isinstance(entry, Mapping) or not isinstance(status := entry.get("status"), str):
        return None
    names = ("subject", *_STEPS)
    text = next((words for name in names if isinstance(words := entry.get(name), str) and words.strip()), None)
    return Step(text=text, status=status) if text is not None else None
