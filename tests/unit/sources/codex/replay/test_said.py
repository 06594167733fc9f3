"""Who said what: every word once, and nobody's words as the human's."""

from __future__ import annotations

import pytest

from pollux.model import Attachment, Context, Kind, SummaryPart, Thinking, Unknown
from tests.unit.sources.codex.conftest import (
    TWO,
    Home,
    Json,
    answer,
    call,
    calls,
    client,
    codes,
    compaction,
    completed_item,
    context,
    conversation,
    event,
    item,
    meta,
    prompt,
    reply,
    sent_prompt,
    shown_reply,
    typed_prompt,
)

TALK = [("human", "Hello", "live"), ("model", "Hi", "live")]


@pytest.mark.parametrize(
    "records",
    [
        (sent_prompt("Hello"), typed_prompt("Hello"), shown_reply("Hi"), reply("Hi")),
        (typed_prompt("Hello"), sent_prompt("Hello"), reply("Hi"), shown_reply("Hi")),
        (sent_prompt("Hello"), reply("Hi")),
    ],
    ids=["echo after and before", "echo before and after", "no echoes"],
)
def test_words_stand_once(home: Home, records: tuple[dict[str, object], ...]) -> None:
    home.rollout(meta(), *records)
    assert conversation(home.only()) == TALK


def test_words_that_were_only_shown_are_not_resumed(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), shown_reply("Hi"))
    assert conversation(home.only()) == [("human", "Hello", "live"), ("model", "Hi", "cancelled")]


def test_the_same_words_twice_are_two_messages(home: Home) -> None:
    home.rollout(
        meta(), *prompt("Go on"), shown_reply("Yes"), reply("Yes"), *prompt("Go on"), reply("Yes"), shown_reply("Yes")
    )
    assert [text for _, text, _ in conversation(home.only())] == ["Go on", "Yes", "Go on", "Yes"]


def test_words_that_were_only_shown_stand_in_the_order_in_which_they_were(home: Home) -> None:
    home.rollout(
        meta(),
        *prompt("Hello"),
        shown_reply("One"),
        shown_reply("Two"),
        shown_reply("Three"),
        reply("Two"),
        shown_reply("Four"),
    )
    assert [text for _, text, _ in conversation(home.only())] == ["Hello", "One", "Three", "Two", "Four"]


def test_the_same_settings_again_are_kept_once_and_found_odd_each_time(home: Home) -> None:
    odd = context(unheard_of=1)
    home.rollout(meta(), odd, *prompt("one"), odd, odd, reply("1"), context("gpt-b"), context("gpt-b"), context())
    session = home.only()
    records = [record["record"] for record in session.extra["records"] if record["kind"] == "turn_context"]
    assert records == [odd["payload"], {"model": "gpt-b"}, {"model": "gpt-5.1"}]
    assert [(n.subject, n.count, n.line) for n in session.notices] == [("turn_context.unheard_of", 3, 2)]


@pytest.mark.parametrize("payload", [None, "x", 3, [], [1]])
def test_settings_that_are_none_are_kept(home: Home, payload: object) -> None:
    home.rollout(meta(), {**context(), "payload": payload}, *prompt("one"))
    session = home.only()
    assert session.extra["records"][0]["record"] == {"type": "turn_context", "payload": payload}
    assert codes(session) == {"record.unknown"}


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "<user_instructions>\nBe brief.\n</user_instructions>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>",
        "<turn_aborted>\nstopped",
        "<user_action>\n  <action>review</action>",
        "<subagent_notification>\n{}",
        "<user_shell_command>\nls",
        "<skill>\nx",
        "<recommended_plugins>",
        "<external_agent>",
        "<codex_internal_context source='x'>",
        "<goal_context>",
        "Another language model started to solve this problem",
    ],
)
def test_injected_text_is_nobodys_prompt(home: Home, text: str) -> None:
    home.rollout(meta(), sent_prompt(text), *prompt("Hello"), reply("Hi"))
    session = home.only()
    assert conversation(session) == TALK
    assert len(client(session)) == 1


def test_injected_text_is_told_apart_part_by_part(home: Home) -> None:
    home.rollout(
        meta(),
        sent_prompt("# AGENTS.md instructions for /x", "<environment_context>", "Hello"),
        typed_prompt("Hello"),
        reply("Hi"),
    )
    session = home.only()
    assert conversation(session) == TALK
    assert [type(part) for part in session.prompts[0].parts][1:] == [Context, Context]


def test_kinds_of_parts_say_whose_they_are(home: Home) -> None:
    kinds = {"content_item_kinds": ["agents_md.instructions", "user.text"]}
    passed: Json = {"internal_chat_message_metadata_passthrough": kinds}
    home.rollout(meta(), sent_prompt("Use tabs.", "<environment_context> is what I ask about", **passed), reply("Hi"))
    assert home.only().prompts[0].text == "<environment_context> is what I ask about"


def test_a_new_tag_that_was_never_shown_is_no_prompt(home: Home) -> None:
    home.rollout(meta(), sent_prompt("<brand_new>\nwords\n</brand_new>"), *prompt("Hello"), reply("Hi"))
    assert conversation(home.only()) == TALK


def test_developer_is_the_harness(home: Home) -> None:
    instructions = item("message", role="developer", content=[{"type": "input_text", "text": "Be brief."}])
    home.rollout(meta(), instructions, *prompt("Hello"), reply("Hi"))
    session = home.only()
    assert conversation(session) == TALK
    assert client(session)[0].role == "system"


def test_pictures_and_their_wrappers(home: Home) -> None:
    url = "data:image/png;base64,aGk="
    content = [
        {"type": "input_text", "text": '<image name=[Image #1] path="dot.png">'},
        {"type": "input_image", "image_url": url},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is it?"},
    ]
    home.rollout(
        meta(),
        item("message", role="user", content=content),
        typed_prompt("What is it?", local_images=["dot.png"]),
        reply("A dot"),
    )
    session = home.only()
    assert session.prompts[0].text == "What is it?"
    picture = next(part for part in session.prompts[0].parts if isinstance(part, Attachment))
    assert (picture.media_type, picture.data) == ("image/png", "aGk=")
    assert "dot.png" in picture.extra["label"]


def test_reasoning_stands_once_and_keeps_its_seal(home: Home) -> None:
    thoughts = item(
        "reasoning",
        id="rs_1",
        summary=[{"type": "summary_text", "text": "**Look**\n\nRead."}, {"type": "summary_text", "text": "Then act."}],
        content=None,
        encrypted_content="c2VhbA==",
    )
    echoes = [event("agent_reasoning", text="**Look**\n\nRead."), event("agent_reasoning", text="Then act.")]
    home.rollout(meta(), *prompt("Hello"), *echoes, thoughts, reply("Hi"))
    (message,) = [m for m in home.only().messages if m.role == "assistant"]
    assert [part.text for part in message.parts if isinstance(part, Thinking)] == ["**Look**\n\nRead.", "Then act."]
    assert message.parts[0].extra["encrypted_content"] == "c2VhbA=="  # type: ignore[union-attr]


def test_reasoning_of_a_killed_run_is_only_in_the_event(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), event("agent_reasoning", text="Thinking of you"))
    thoughts = [part.text for m in home.only().messages for part in m.parts if isinstance(part, Thinking)]
    assert thoughts == ["Thinking of you"]


def test_compact_task_completed_is_the_clients(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), shown_reply("Compact task completed"))
    session = home.only()
    assert conversation(session) == TALK
    assert client(session)[-1].text == "Compact task completed"


def test_model_is_that_of_the_turn_whichever_side_the_context_stands(home: Home) -> None:
    before = (context("gpt-a"), *prompt("one"), reply("1"))
    after = (*prompt("two"), context("gpt-b"), reply("2"))
    home.rollout(meta(), *before, *after)
    replies = [m for m in home.only().messages if m.role == "assistant"]
    assert [m.model for m in replies] == ["gpt-a", "gpt-b"]


def test_review_prompts_are_not_the_humans(home: Home) -> None:
    review = (
        event("entered_review_mode", target={"type": "custom", "instructions": "Look"}, user_facing_hint="Look"),
        typed_prompt("Look"),
        typed_prompt("Look"),
        sent_prompt("<user_action>\n  <action>review</action>\n</user_action>"),
        event("exited_review_mode", review_output={"findings": [], "overall_explanation": "Fine."}),
        reply("Fine."),
    )
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), *review)
    session = home.only()
    assert conversation(session) == TALK
    assert [m.text for m in client(session)].count("Look") == 1


def test_paginated_items_are_echoes(home: Home) -> None:
    home.rollout(
        meta(history_mode="paginated"),
        sent_prompt("Hello"),
        completed_item("UserMessage", content=[{"type": "text", "text": "Hello", "text_elements": []}]),
        completed_item("Reasoning", summary_text=["Hm"], raw_content=[]),
        completed_item("Reasoning", summary_text=["Hm", "Well"], raw_content=[]),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm"}, {"type": "summary_text", "text": "Well"}]),
        completed_item("AgentMessage", content=[{"type": "Text", "text": "Hi"}]),
        reply("Hi"),
    )
    session = home.only()
    assert conversation(session) == TALK
    assert [p.text for m in session.messages for p in m.parts if isinstance(p, Thinking)] == ["Hm", "Well"]


def test_summary_said_and_recorded_stands_once(home: Home) -> None:
    home.rollout(
        meta(),
        *prompt("Hello"),
        reply("Hi"),
        call(),
        answer(),
        reply("SUMMARY: all well."),
        compaction("Handover.\nSUMMARY: all well."),
        *prompt("More"),
        reply("Yes"),
    )
    session = home.only()
    summaries = [part.text for m in session.messages for part in m.parts if isinstance(part, SummaryPart)]
    assert summaries == ["Handover.\nSUMMARY: all well."]
    assert [text for _, text, _ in conversation(session) if text] == ["Hello", "Hi", "More", "Yes"]
    assert session.messages[0].fate == "compressed"


def test_new_context_of_a_compaction_is_no_conversation(home: Home) -> None:
    folded = compaction("", "Hello", "Another language model …")
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), folded, reply("On"))
    assert conversation(home.only()) == [
        ("human", "Hello", "live"),
        ("model", "Hi", "compressed"),
        ("model", "On", "live"),
    ]


def test_the_last_summary_is_what_goes_on(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), compaction("First."), *prompt("More"), compaction("Second."))
    fates = [m.fate for m in home.only().messages]
    assert fates == ["compressed", "compressed", "compressed", "compressed", "live"]


def test_words_between_agents(home: Home) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": TWO, "depth": 1}}}
    task = item("agent_message", author="/root", recipient="/root/a", content=[{"type": "input_text", "text": "Count"}])
    home.rollout(meta(source=spawn), task, reply("Three"))
    session = home.only()
    assert (session.kind, session.parent, session.title) == (Kind.SUBAGENT, f"codex:{TWO}", "Count")
    assert session.prompts == []
    assert conversation(session)[0] == ("model", "Count", "live")


def test_unknown_items_are_kept_and_named(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), item("hologram", light="green"), reply("Hi"))
    session = home.only()
    assert any(isinstance(part, Unknown) and part.raw["light"] == "green" for m in session.messages for part in m.parts)
    (strange,) = home.library().doctor().unknown
    assert strange.what == "record response_item/hologram"
    assert strange.example.endswith(".jsonl:4")
    assert codes(session) == {"record.unknown"}


def test_unknown_records_are_kept_and_named(home: Home) -> None:
    home.rollout(
        meta(),
        *prompt("Hello"),
        {"timestamp": "2026-11-15T06:00:02Z", "type": "horoscope", "payload": {"sign": "leo"}},
        reply("Hi"),
    )
    session = home.only()
    assert {"sign": "leo"} in [record["record"] for record in session.extra["records"]]
    assert [strange.what for strange in home.library().doctor().unknown] == ["record horoscope"]


def test_failed_requests_leave_their_reason(home: Home) -> None:
    failed = event(
        "task_complete",
        turn_id="t",
        last_agent_message=None,
        error={"message": "No such model", "codex_error_info": "other"},
    )
    home.rollout(meta(), *prompt("Hello"), failed)
    session = home.only()
    assert client(session)[-1].text == "No such model"
    assert calls(session) == []


def test_words_in_a_tag_are_the_humans_before_anything_was_shown(home: Home) -> None:
    text = "<b>Why is this not bold?</b>"
    first = {"id": "x", "timestamp": "2025-08-01T06:00:00.000Z", "instructions": None}
    home.rollout(first, sent_prompt(text)["payload"], reply("Markdown")["payload"])
    assert home.only().prompts[0].text == text


def test_a_warning_that_was_never_shown_is_no_prompt(home: Home) -> None:
    warning = "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead."
    home.rollout(meta(), *prompt("Hello"), sent_prompt(warning), reply("Hi"))
    assert conversation(home.only()) == TALK


def test_a_prompt_shown_again_under_the_same_id_stands_once(home: Home) -> None:
    again = completed_item("UserMessage", content=[{"type": "text", "text": "Hello"}])
    home.rollout(meta(), sent_prompt("Hello"), again, reply("Hi"), again)
    assert conversation(home.only()) == TALK


def test_a_prompt_with_which_a_summary_ends_stays_the_humans(home: Home) -> None:
    home.rollout(meta(), *prompt("Hello"), reply("Hi"), *prompt("done"), compaction("All is done"), reply("Yes"))
    assert [text for _, text, _ in conversation(home.only())] == ["Hello", "Hi", "done", "Yes"]


def test_context_that_was_shown_as_such_is_no_prompt(home: Home) -> None:
    text = "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"
    home.rollout(
        meta(), sent_prompt(text), typed_prompt(text, kind="environment_context"), *prompt("Hello"), reply("Hi")
    )
    assert conversation(home.only()) == TALK
