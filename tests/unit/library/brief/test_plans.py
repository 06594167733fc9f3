"""Plans of all agents, as they were left."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.library.brief.plans import plan
from pollux.model import Status
from tests.unit.library.brief.made import call, calls_of, model


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"todos": [{"content": "a", "status": "pending", "activeForm": "x"}]}, "[pending] a"),
        ({"todos": [{"description": "a", "status": "in_progress"}]}, "[in progress] a"),
        ({"explanation": "why", "plan": [{"step": "a", "status": "pending"}]}, "[pending] a"),
        ({"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "cancelled"}]}, None),
        ({"todos": []}, None),
        ({"todos": [{"content": 1, "status": "pending"}, "odd", {"content": "a"}]}, None),
        ({"plan": "# words"}, None),
        (None, None),
        ("odd", None),
    ],
)
def test_a_list_of_steps(given: Any, text: str | None) -> None:
    item = plan(calls_of(model(call("plan", given))))
    assert (item.text if item is not None else None) == text


def test_the_last_list_counts_and_a_failed_one_does_not() -> None:
    first = call("plan", {"todos": [{"content": "a", "status": "pending"}]})
    second = call("plan", {"todos": [{"content": "b", "status": "pending"}]})
    third = call("plan", {"todos": [{"content": "c", "status": "pending"}]}, "no such tool", Status.ERROR)
    item = plan(calls_of(model(first), model(second), model(third)))
    assert item is not None
    assert (item.text, item.places) == ("[pending] b", (1,))


def test_steps_that_are_made_and_changed_one_by_one() -> None:
    calls = [
        call("plan", {"subject": "a", "description": "long"}, "Task #1 created successfully: a"),
        call("plan", {"subject": "b", "description": "long"}, "Task #2 created successfully: b"),
        call("plan", {"taskId": "1", "status": "completed"}, "Updated task #1 status"),
        call("plan", {"taskId": "7", "status": "completed"}, "Task not found"),
        call("plan", {"taskId": "2", "owner": "me"}, "Updated task #2"),
    ]
    item = plan(calls_of(*(model(one) for one in calls)))
    assert item is not None
    assert (item.text, item.note) == ("[completed] a\n[pending] b", "1 of 2 steps done")
