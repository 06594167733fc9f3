"""Agents that work for others: tasks, reports, reviews, and whose words are whose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pollux.library.library import Filter
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
    completed_item,
    conversation,
    event,
    item,
    line,
    meta,
    prompt,
    reply,
    sent_prompt,
    shown_reply,
    typed_prompt,
)

CORPUS = Path(__file__).parents[3] / "corpus" / "codex"
OLDER, NEWER = "01a1ddc0-0001-7000-8000-000000000000", "01a1ddc1-0001-7000-8000-000000000000"
THREE = "01a1ddc2-0000-7000-8000-000000000005"
SPAWNED: Json = {"subagent": {"thread_spawn": {"parent_thread_id": ONE, "depth": 1}}}
TALK = [("human", "Hello", "live"), ("model", "Hi", "live")]
REVIEW = (
    event("entered_review_mode", target={"type": "custom", "instructions": "Look"}, user_facing_hint="Look"),
    typed_prompt("Look"),
    typed_prompt("Look"),
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
        answers: Json = {"agent_thread_id": child, "agent_path": f"/root/{name}", "kind": "started"}
        return (
            completed_item("SubAgentActivity", name, **answers)
            if newer
            else event("sub_agent_activity", event_id=name, **answers)
        )

    for name in (TWO, THREE):
        home.rollout(meta(name, source=SPAWNED), *prompt("Count"), reply("Three"), name=name)
    records = (spawn("a"), spawn("b"), spawn("c"))
    answers = (answer("collab spawn failed: no more", "a"), started("c", THREE), started("b", TWO))
    home.rollout(meta(), *prompt("Delegate"), *records, *answers, answer("{}", "b"), answer("{}", "c"), reply("Done"))
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
        sent_prompt("<user_action>\n  <action>review</action>\n</user_action>"),
        event("exited_review_mode", review_output={"findings": [], "overall_explanation": "Fine."}),
        reply("Fine."),
    )
    words = (
        event("agent_reasoning", text="Hm"),
        shown_reply("I look."),
        completed_item("Reasoning", summary_text=["Well"], raw_content=[]),
    )
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), *REVIEW, *words, *end)
    session = home.only()
    assert conversation(session) == TALK
    assert not any(isinstance(part, Thinking) for m in session.messages for part in m.parts)
    bookkeeping = json.dumps(session.extra["records"])
    assert all(word in bookkeeping for word in ("Hm", "I look.", "Well"))


def test_a_review_that_was_killed_does_not_swallow_prompts(home: Home) -> None:
    home.rollout(meta(), *REVIEW, *prompt("Hello"), reply("Hi"))
    session = home.only()
    assert conversation(session) == TALK
    assert [m.text for m in client(session)] == ["Look"]


def test_a_reviewers_call_with_the_id_of_an_own_one(home: Home) -> None:
    theirs = (
        completed_item("CommandExecution", "c1", exit_code=2, status="failed", command=["x"]),
        event("mcp_tool_call_end", call_id="c1", invocation={"server": "m", "tool": "t"}, result={"Err": "gone"}),
    )
    home.rollout(meta(), *prompt("Hello"), call("c1"), answer("ok", "c1"), reply("Hi"), *REVIEW, *theirs)
    (tool_call,) = calls(home.only())
    assert (tool_call.status.value, tool_call.exit_code) == ("ok", None)


REVIEWER = "01a1ddc3-0000-7000-8000-000000000004"
OTHER = "01a1ddc0-0000-7000-8000-000000000005"
TURN = "01a1ddc3-0001-7000-8000-000000000006"
ENTERED = event("entered_review_mode", at="06:03:00.000", target={"type": "custom"}, user_facing_hint="a look")
EXITED = event("exited_review_mode", at="06:05:00.000", review_output=None)
CHILD = (meta(REVIEWER, at="06:03:00.100", source={"subagent": "review"}), *prompt("Check  it"), reply("Fine."))


def of_reviewer(home: Home) -> tuple[str | None, list[str]]:
    session = home.sessions()[REVIEWER]
    return session.parent, [link.evidence for link in session.links if link.kind == "subagent_of"]


@pytest.mark.parametrize(
    "asked", [typed_prompt("Check it"), completed_item("UserMessage", content=[{"type": "text", "text": "Check it"}])]
)
def test_a_reviewers_parent_is_known_by_its_prompt(home: Home, asked: Json) -> None:
    talk = (*prompt("Hello"), reply("Hi"))
    home.rollout(*CHILD, name=REVIEWER)
    home.rollout(meta(), *talk, ENTERED, asked, EXITED)
    home.rollout(meta(OTHER), *prompt("Check it"), reply("Not as a review"), name=OTHER)
    assert of_reviewer(home) == (f"codex:{ONE}", ["its prompt is shown there in a review"])


def test_a_reviewers_parent_is_known_by_its_turn(home: Home) -> None:
    begun = event("task_started", turn_id=TURN)
    home.rollout(CHILD[0], begun, *CHILD[1:], name=REVIEWER)
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), ENTERED, begun, EXITED)
    elsewhere = event("task_started", turn_id="another")
    home.rollout(meta(OTHER), *prompt("Hello"), ENTERED, elsewhere, typed_prompt("Check it"), EXITED, name=OTHER)
    assert of_reviewer(home) == (f"codex:{ONE}", ["its turn stands there in a review"])


def test_reviews_with_the_same_words_are_told_apart_by_time(home: Home) -> None:
    home.rollout(*CHILD, name=REVIEWER)
    earlier = (
        event("entered_review_mode", at="06:01:00.000"),
        typed_prompt("Check it"),
        event("exited_review_mode", at="06:02:00.000"),
    )
    home.rollout(meta(OTHER), *prompt("Hello"), *earlier, name=OTHER)
    assert of_reviewer(home) == (None, [])
    never_ended = event("entered_review_mode", at="06:02:30.000"), typed_prompt("Check it")
    home.rollout(meta(OTHER), *prompt("Hello"), *earlier, *never_ended, name=OTHER)
    assert of_reviewer(home)[0] == f"codex:{OTHER}"
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), ENTERED, typed_prompt("Check it"), EXITED)
    assert of_reviewer(home)[0] == f"codex:{ONE}", "the latest that began before it"


def test_a_reviewer_that_names_its_parent_as_its_origin(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), reply("Hi"))
    first = meta(REVIEWER, source={"subagent": "review"}, forked_from_id=ONE)
    home.rollout(first, *CHILD[1:], name=REVIEWER)
    assert of_reviewer(home)[0] == f"codex:{ONE}"


def test_a_parent_that_comes_later_is_found(home: Home) -> None:
    def listed() -> dict[str, str | None]:
        return {
            s.summary.id: s.summary.parent
            for s in home.library(XDG_CACHE_HOME=str(home.path / "cache")).list(Filter(everything=True))
        }

    home.rollout(*CHILD, name=REVIEWER)
    assert listed() == {REVIEWER: None}
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), ENTERED, typed_prompt("Check it"))
    assert listed()[REVIEWER] == f"codex:{ONE}"
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), ENTERED, typed_prompt("Something else"))
    assert listed()[REVIEWER] is None


@pytest.mark.parametrize("release", ["0.80.0", "0.100.0", "0.130.0", "0.130.0-migrated-by-0.166.0"])
def test_real_reviewers_have_their_parents(tmp_path: Path, release: str) -> None:
    """The oracles say what the parent is, though the reviewer's own file does not."""
    truths = [
        s for s in json.loads((CORPUS / release / "oracle.json").read_text())["sessions"] if "review (" in s["scenario"]
    ]
    result = Home(CORPUS / release / "home").sessions(XDG_CACHE_HOME=str(tmp_path))
    assert [result[truth["id"]].parent for truth in truths] == [f"codex:{truth['parent']}" for truth in truths] != []
