"""Agents that work for others: tasks, reports, reviews, and whose words are whose."""

from __future__ import annotations

import json

import pytest

from pollux.model import Kind, Thinking
from tests.unit.sources.codex.conftest import (
    ONE,
    TWO,
    Home,
    Json,
    answer,
    call,
    calls,
    client,
    completed,
    event,
    item,
    line,
    meta,
    prompt,
    reply,
    said,
    sent,
    shown,
    typed,
)

OLDER, NEWER = "01a1ddc0-0001-7000-8000-000000000000", "01a1ddc1-0001-7000-8000-000000000000"
THREE = "01a1ddc2-0000-7000-8000-000000000005"
SPAWNED: Json = {"subagent": {"thread_spawn": {"parent_thread_id": ONE, "depth": 1}}}
TALK = [("human", "Hello", "live"), ("model", "Hi", "live")]
REVIEW = (
    event("entered_review_mode", target={"type": "custom", "instructions": "Look"}, user_facing_hint="Look"),
    typed("Look"),
    typed("Look"),
)


def test_what_a_child_inherited_is_still_the_humans(home: Home) -> None:
    old = (event("task_started", turn_id=OLDER), *prompt("Hello"), reply("Hi"))
    home.rollout(meta(), *old)
    own = (event("task_started", turn_id=NEWER), *prompt("Count"), reply("Three"))
    home.rollout(meta(TWO, source=SPAWNED, forked_from_id=ONE), meta(), *old, *own, name=TWO)
    child = home.sessions()[TWO]
    assert [(m.author.value, m.text, m.inherited) for m in child.messages] == [
        ("human", "Hello", True),
        ("model", "Hi", True),
        ("model", "Count", False),
        ("model", "Three", False),
    ]
    assert (child.kind, child.title) == (Kind.SUBAGENT, "Count")
    assert {link.kind for link in child.links} == {"subagent_of", "forked_from"}


def test_a_parent_named_without_a_kind_makes_a_child(home: Home) -> None:
    home.rollout(meta(source="vscode", parent_thread_id=TWO), *prompt("Count"), reply("Three"))
    assert (home.only().kind, home.only().parent) == (Kind.SUBAGENT, f"codex:{TWO}")


def spawn(name: str) -> Json:
    return call(name, tool="spawn_agent", arguments={"message": "Count"})


@pytest.mark.parametrize("newer", [True, False], ids=["item", "event"])
def test_children_are_told_by_the_call_that_started_them(home: Home, newer: bool) -> None:
    def started(name: str, child: str) -> Json:
        told: Json = {"agent_thread_id": child, "agent_path": f"/root/{name}", "kind": "started"}
        return (
            completed("SubAgentActivity", name, **told) if newer else event("sub_agent_activity", event_id=name, **told)
        )

    for name in (TWO, THREE):
        home.rollout(meta(name, source=SPAWNED), *prompt("Count"), reply("Three"), name=name)
    asked = (spawn("a"), spawn("b"), spawn("c"))
    told = (answer("collab spawn failed: no more", "a"), started("c", THREE), started("b", TWO))
    home.rollout(meta(), *prompt("Delegate"), *asked, *told, answer("{}", "b"), answer("{}", "c"), reply("Done"))
    assert [c.child for c in calls(home.sessions()[ONE])] == [None, f"codex:{TWO}", f"codex:{THREE}"]


MAIL = {"author": "/root", "recipient": "/root/a", "other_recipients": [], "content": "Count", "trigger_turn": True}


@pytest.mark.parametrize(
    "task",
    [
        (reply(json.dumps(MAIL, separators=(",", ":")), phase="commentary"),),
        (line("inter_agent_communication", MAIL),),
        (
            item(
                "agent_message", author="/root", recipient="/root/a", content=[{"type": "input_text", "text": "Count"}]
            ),
            line("inter_agent_communication", MAIL),
        ),
    ],
    ids=["as a reply", "as a line", "as both"],
)
def test_tasks_of_other_releases(home: Home, task: tuple[Json, ...]) -> None:
    home.rollout(meta(source=SPAWNED), *task, reply("Three"))
    session = home.only()
    assert [(m.role.value, m.author.value, m.text) for m in session.messages] == [
        ("user", "model", "Count"),
        ("assistant", "model", "Three"),
    ]
    assert session.title == "Count"


def test_a_reviewers_words_are_not_this_sessions(home: Home) -> None:
    end = (
        sent("<user_action>\n  <action>review</action>\n</user_action>"),
        event("exited_review_mode", review_output={"findings": [], "overall_explanation": "Fine."}),
        reply("Fine."),
    )
    words = (
        event("agent_reasoning", text="Hm"),
        shown("I look."),
        completed("Reasoning", summary_text=["Well"], raw_content=[]),
    )
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), *REVIEW, *words, *end)
    session = home.only()
    assert said(session) == TALK
    assert not any(isinstance(part, Thinking) for m in session.messages for part in m.parts)
    kept = json.dumps(session.extra["records"])
    assert all(word in kept for word in ("Hm", "I look.", "Well"))


def test_a_review_that_was_killed_does_not_swallow_prompts(home: Home) -> None:
    home.rollout(meta(), *REVIEW, *prompt("Hello"), reply("Hi"))
    session = home.only()
    assert said(session) == TALK
    assert [m.text for m in client(session)] == ["Look"]


def test_a_reviewers_call_with_the_id_of_an_own_one(home: Home) -> None:
    theirs = (
        completed("CommandExecution", "c1", exit_code=2, status="failed", command=["x"]),
        event("mcp_tool_call_end", call_id="c1", invocation={"server": "m", "tool": "t"}, result={"Err": "gone"}),
    )
    home.rollout(meta(), *prompt("Hello"), call("c1"), answer("ok", "c1"), reply("Hi"), *REVIEW, *theirs)
    (found,) = calls(home.only())
    assert (found.status.value, found.exit_code) == ("ok", None)
