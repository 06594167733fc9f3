"""Several things at once: forks, reverts, summaries, roll-backs, kills and resumes in one session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pollux.model import Status
from tests.unit.sources.codex.conftest import (
    ONE,
    REVERT,
    TWO,
    Home,
    call,
    calls,
    compaction,
    conversation,
    event,
    figures,
    line,
    lines,
    meta,
    meta_with_base,
    prompt,
    reply,
    sent_prompt,
    shown_reply,
    tokens,
    typed_prompt,
    with_ordinals,
)

TALK = (*prompt("Hello"), reply("Hi"))
THREE = "01a1ddc3-0000-7000-8000-000000000004"
AGAIN = f"{ONE}_{REVERT}"


def fates(home: Home, name: str = ONE) -> list[tuple[str, str]]:
    return [(text, fate) for _, text, fate in conversation(home.sessions()[name]) if text]


def test_what_a_parent_folds_after_a_fork_is_live_in_the_fork(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, compaction("SUMMARY"), *prompt("Later"), reply("No")))
    home.rollout(*with_ordinals(4, meta_with_base(TWO, ONE, 4), *prompt("More"), reply("Yes")), name=TWO)
    assert fates(home, TWO) == [("Hello", "live"), ("Hi", "live"), ("More", "live"), ("Yes", "live")]
    assert fates(home)[:2] == [("Hello", "compressed"), ("Hi", "compressed")]


def test_a_fork_folds_what_it_inherited(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, *prompt("And?"), reply("Well")))
    own = (*prompt("More"), reply("Yes"), compaction("SUMMARY", "And?"), *prompt("Last"))
    home.rollout(*with_ordinals(7, meta_with_base(TWO, ONE, 7), *own), name=TWO)
    assert fates(home, TWO) == [
        ("Hello", "compressed"),
        ("Hi", "compressed"),
        ("And?", "live"),
        ("Well", "compressed"),
        ("More", "compressed"),
        ("Yes", "compressed"),
        ("Last", "live"),
    ]


def test_a_revert_to_before_a_summary_takes_the_summary_back(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, *prompt("Oops"), compaction("SUMMARY"), reply("Done")))
    home.rollout(
        *with_ordinals(4, meta_with_base(ONE, ONE, 4), *prompt("Better"), reply("Yes")), name=AGAIN, at="06-10-00"
    )
    assert fates(home) == [
        ("Hello", "live"),
        ("Hi", "live"),
        ("Oops", "rewound"),
        ("Done", "rewound"),
        ("Better", "live"),
        ("Yes", "live"),
    ]


def test_a_roll_back_past_a_summary_takes_the_summary_back(home: Home) -> None:
    talk = (*TALK, *prompt("Oops"), compaction("SUMMARY"), reply("Done"), event("thread_rolled_back", num_turns=1))
    home.rollout(meta(), *talk, *prompt("Better"))
    assert fates(home) == [
        ("Hello", "live"),
        ("Hi", "live"),
        ("Oops", "rewound"),
        ("Done", "rewound"),
        ("Better", "live"),
    ]


def test_a_roll_back_after_a_summary_leaves_it(home: Home) -> None:
    talk = (*TALK, compaction("SUMMARY"), *prompt("Oops"), event("thread_rolled_back", num_turns=1))
    home.rollout(meta(), *talk, *prompt("Better"))
    assert fates(home) == [
        ("Hello", "compressed"),
        ("Hi", "compressed"),
        ("Oops", "rewound"),
        ("Better", "live"),
    ]


def test_a_summary_folds_what_one_that_was_taken_back_had_folded(home: Home) -> None:
    back = event("thread_rolled_back", num_turns=1)
    talk = (*TALK, compaction("ONE", "Hello"), *prompt("Oops"), compaction("TWO"), reply("Done"), back)
    home.rollout(meta(), *talk, *prompt("Better"), reply("Yes"), compaction("THREE", "Better"), *prompt("Last"))
    assert fates(home) == [
        ("Hello", "compressed"),
        ("Hi", "compressed"),
        ("Oops", "rewound"),
        ("Done", "rewound"),
        ("Better", "live"),
        ("Yes", "compressed"),
        ("Last", "live"),
    ]


def test_a_prompt_that_one_summary_left_is_folded_by_the_next(home: Home) -> None:
    talk = (*TALK, compaction("ONE", "Hello"), *prompt("More"), compaction("TWO", "Hello", "More"), *prompt("Most"))
    home.rollout(meta(), *talk, compaction("THREE", "More"), *prompt("Last"))
    assert fates(home) == [
        ("Hello", "compressed"),
        ("Hi", "compressed"),
        ("More", "live"),
        ("Most", "compressed"),
        ("Last", "live"),
    ]


def test_a_fork_of_a_fork_of_a_reverted_session(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK, *prompt("Oops")))
    home.rollout(
        *with_ordinals(4, meta_with_base(ONE, ONE, 4), *prompt("Better"), reply("Yes")), name=AGAIN, at="06-10-00"
    )
    fork = meta_with_base(TWO, REVERT, 8, forked_from_id=ONE)
    home.rollout(
        *with_ordinals(8, fork, *prompt("In two"), *prompt("Not in three")), name=TWO, place="archived_sessions"
    )
    home.rollout(
        *with_ordinals(11, meta_with_base(THREE, TWO, 11, forked_from_id=TWO), *prompt("In three")), name=THREE
    )
    sessions = home.sessions()
    assert set(sessions) == {ONE, TWO, THREE}
    assert [(m.text, m.inherited) for m in sessions[THREE].messages] == [
        ("Hello", True),
        ("Hi", True),
        ("Better", True),
        ("Yes", True),
        ("In two", True),
        ("In three", False),
    ]


@pytest.mark.parametrize("name", [AGAIN, TWO], ids=["revert", "fork"])
def test_figures_repeated_behind_a_pointer_are_not_paid_again(home: Home, name: str) -> None:
    first, second, third = figures(100), figures(60), figures(50)
    so_far = tokens(figures(160, out=2), second)
    lost = (*prompt("Oops"), reply("No"), tokens(figures(230, out=3), figures(70)))
    old = (*prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), so_far)
    home.rollout(*with_ordinals(0, meta(), *old, *lost))
    own = (*prompt("More"), so_far, reply("3"), tokens(figures(210, out=3), third))
    home.rollout(*with_ordinals(9, meta_with_base(name[:36], ONE, 9), *own), name=name, at="06-10-00")
    session = home.sessions()[name[:36]]
    assert session.usage.input == (50 if name == TWO else 280)


def test_a_resent_prompt_ends_the_copy_of_a_fork(home: Home) -> None:
    again = (sent_prompt("Go"), typed_prompt("Go"))
    home.rollout(meta(), *TALK, *again, reply("1", id="msg_2"))
    copy = [{**record, "timestamp": "2026-11-15T06:10:00.001Z"} for record in (meta(), *TALK)]
    own = [{**record, "timestamp": "2026-11-15T06:10:03.001Z"} for record in again]
    home.rollout(meta(TWO, at="06:10:00.000"), *copy, *own, reply("One", at="06:10:09.000"), name=TWO)
    assert [m.inherited for m in home.sessions()[TWO].messages] == [True, True, False, False]


@pytest.mark.parametrize("orphan", [False, True])
@pytest.mark.parametrize("later", [False, True], ids=["forked with ids", "resumed with ids"])
def test_a_fork_of_a_session_from_before_turns_had_ids(home: Home, orphan: bool, later: bool) -> None:
    if not orphan:
        home.rollout(meta(), *TALK)
    copy = [{**record, "timestamp": "2026-11-15T06:10:00.001Z"} for record in (meta(), *TALK)]
    more = (
        sent_prompt("More", at="06:10:03.000"),
        typed_prompt("More", at="06:10:03.001"),
        reply("Yes", at="06:10:09.000"),
    )
    turn = event("task_started", at="06:10:02.900" if not later else "06:11:00.000", turn_id=THREE)
    last = (sent_prompt("Last", at="06:11:03.000"), reply("Bye", at="06:11:09.000"))
    own = (*more, turn, *last) if later else (turn, *more, *last)
    home.rollout(meta(TWO, at="06:10:00.000", forked_from_id=ONE), *copy, *own, name=TWO)
    assert [m.inherited for m in home.sessions()[TWO].messages] == [True, True, False, False, False, False]


def test_a_pointer_alone_tells_where_a_fork_came_from(home: Home) -> None:
    home.rollout(*with_ordinals(0, meta(), *TALK))
    home.rollout(*with_ordinals(4, meta_with_base(TWO, ONE, 4), *prompt("More")), name=TWO)
    assert [(link.kind, link.target) for link in home.sessions()[TWO].links] == [("forked_from", f"codex:{ONE}")]


def test_a_roll_back_counts_only_prompts(home: Home) -> None:
    warning = sent_prompt("Warning: apply_patch was requested via exec_command.")
    home.rollout(meta(), *TALK, *prompt("Oops"), warning, reply("Done"), event("thread_rolled_back", num_turns=1))
    assert fates(home) == [("Hello", "live"), ("Hi", "live"), ("Oops", "rewound"), ("Done", "rewound")]


def test_an_interruption_cancels_only_calls_of_its_own_turn(home: Home) -> None:
    killed = (*prompt("Slow"), call("a"))
    home.rollout(meta(), *killed, *prompt("Again"), call("b"), event("turn_aborted", reason="interrupted"))
    assert [c.status for c in calls(home.only())] == [Status.UNFINISHED, Status.CANCELLED]


def test_a_kill_in_a_tool_before_figures_and_a_resume(home: Home) -> None:
    second = figures(60)
    home.rollout(meta(), *prompt("Slow"), call(), *prompt("On"), reply("2"), tokens(second, second))
    assert home.only().usage.exact is False, "the first response has no figures"


@pytest.mark.parametrize("name", ["backup.jsonl", f"rollout-2026-11-15T06-00-00-{ONE} (copy).jsonl"])
def test_a_copy_under_another_name_says_nothing_new(home: Home, name: str) -> None:
    file = home.rollout(meta(), *TALK, *prompt("More"), reply("Yes"))
    whole = conversation(home.only())
    copy = file.with_name(name if name.startswith("rollout") else f"rollout-{name}")
    copy.write_text(lines(meta(), *TALK))
    session = home.only()
    assert conversation(session) == whole
    assert {Path(path).name for path in session.files} == {file.name, copy.name}
    assert [link.kind for link in session.links] == ["copy_of"]


def test_words_without_their_marked_parts_are_an_echo(home: Home) -> None:
    plan = "First this.\n\n<proposed_plan>\n- a\n- b\n</proposed_plan>\n\nThen that."
    cited = "It is green.\n<oai-mem-citation>\nnote.md:1-2\n</oai-mem-citation>"
    home.rollout(
        meta(),
        *prompt("Plan"),
        shown_reply("First this.\n\nThen that."),
        reply(plan),
        reply(cited),
        shown_reply("It is green."),
    )
    (message,) = [m for m in home.only().messages if m.role == "assistant"]
    assert [part.text for part in message.parts] == [plan, cited]  # type: ignore[union-attr]


def test_words_that_are_all_marked_are_not_lost(home: Home) -> None:
    home.rollout(meta(), *prompt("Go"), shown_reply("<b>One</b>"), reply("<i>Two</i>"))
    assert [text for author, text, _ in conversation(home.only()) if author == "model"] == ["<b>One</b>", "<i>Two</i>"]


def record(name: str, given: int | None) -> dict[str, Any]:
    usage = figures(given) if given is not None else None
    return line("token_usage_record", {"response_id": name, "turn_id": "t", "usage": usage})


def test_a_record_without_figures_leaves_it_to_the_event(home: Home) -> None:
    first = figures(100)
    home.rollout(meta(), *prompt("Go"), reply("1"), record("r1", None), tokens(first, first))
    assert home.only().usage.input == 100
