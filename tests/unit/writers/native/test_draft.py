"""A session becomes a conversation that every agent can hold, and every message and part is in the account."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pollux.errors import RequestError, UnknownName
from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.native.account import Account, Carried
from pollux.writers.native.calls import NO_RESULT
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, NativeFormat, Turn, Words, id_for
from pollux.writers.native.draft import NothingLive, draft
from pollux.writers.native.note import Handover, read_note
from pollux.writers.native.options import DraftOptions
from pollux.writers.native.times import MISSING, MOVED
from tests.unit.writers.judges_of_agents import (
    judge_claude,
    judge_codex,
    judge_copilot,
    judge_gemini,
    judge_opencode,
    judge_qwen,
)
from tests.unit.writers.native.corpus import corpus_sessions
from tests.unit.writers.test_properties import SESSIONS

AT = datetime(2026, 11, 20, tzinfo=UTC)
FORMATS: dict[str, NativeFormat] = {
    name: import_module(f"pollux.sources.{name}.native").FORMAT
    for name in ("gemini", "claude", "codex", "copilot", "opencode", "qwen")
}
JUDGES = {
    "gemini": judge_gemini,
    "claude": judge_claude,
    "codex": judge_codex,
    "copilot": judge_copilot,
    "opencode": judge_opencode,
    "qwen": judge_qwen,
}
PICTURE = Attachment(media_type="image/png", data="aGVsbG8=")


def drafted(session: Session, target: str = "claude", **options: Any) -> tuple[Conversation, Account]:
    return draft(
        session,
        DraftOptions(**options),
        FORMATS[target],
        id=id_for(FORMATS[target], "1" * 32, AT),
        folder="/home/ada",
        at=AT,
        agent_title="Gemini CLI",
    )


def message(id: str, role: Role, author: Author, *parts: Part, **more: Any) -> Message:
    return Message(id=id, role=role, author=author, parts=parts, **{"at": AT - timedelta(hours=1), **more})


def prompt(id: str, text: str, *parts: Part, **more: Any) -> Message:
    return message(id, Role.USER, Author.HUMAN, Text(text=text), *parts, **more)


def reply(id: str, *parts: Part, **more: Any) -> Message:
    return message(id, Role.ASSISTANT, Author.MODEL, *parts, **more)


def client(id: str, *parts: Part) -> Message:
    return message(id, Role.USER, Author.CLIENT, *parts)


def session(*messages: Message) -> Session:
    return Session(agent="gemini", id="s", messages=messages)


def call(id: str | None = "c1", name: str = "read_file", **more: Any) -> ToolCall:
    return ToolCall(**{"id": id, "name": name, "canonical": name, "tool_kind": "read", "status": Status.OK, **more})


def said(turns: tuple[Turn, ...]) -> list[tuple[str, str]]:
    return [
        (turn.role.value, piece.text if isinstance(piece, Words) else type(piece).__name__)
        for turn in turns
        for piece in turn.pieces
    ]


def calls(conversation: Conversation) -> list[AnsweredCall]:
    return [piece for turn in conversation.turns for piece in turn.pieces if isinstance(piece, AnsweredCall)]


# ------------------------------------------------------------------------------------------------------- messages


def test_the_conversation_says_where_it_comes_from() -> None:
    conversation, _ = drafted(session(prompt("1", "Hello")))
    assert read_note(conversation.note) == Handover(origin="gemini:s", at=AT)
    assert (conversation.title, conversation.folder, conversation.at) == ("Hello", "/home/ada", AT)


def test_only_what_is_live_goes_over() -> None:
    given = session(
        prompt("1", "Rewound", fate=Fate.REWOUND),
        message("2", Role.SYSTEM, Author.HUMAN, Text(text="/clear")),
        message("3", Role.SYSTEM, Author.CLIENT, Text(text="Careful."), extra={"level": "warning"}),
        message("4", Role.SYSTEM, Author.CLIENT, Text(text="<permissions>")),
        client("5", Text(text="<environment_context>")),
        message("6", Role.ASSISTANT, Author.CLIENT, Text(text="Got it. Thanks for the context!")),
        prompt("7", "Hello"),
        reply("8", Text(text="Hi.")),
        reply("9"),
    )
    conversation, account = drafted(given)
    assert said(conversation.turns) == [("user", "Hello"), ("assistant", "Hi.")]
    assert (account.messages.native, account.messages.text, account.messages.left_out) == (2, 0, 7)
    assert [(item.message, item.part, item.what) for item in account.items] == [
        ("1", None, "messages no longer live"),
        ("2", None, "typed commands"),
        ("3", None, "info and warning messages"),
        ("4", None, "client messages"),
        ("5", 0, "client texts"),
        ("6", 0, "client texts"),
        ("9", None, "messages with nothing to show"),
    ]


def test_the_rest_goes_over_as_marked_text() -> None:
    given = session(
        prompt("1", "Rewound", PICTURE, fate=Fate.REWOUND),
        reply("2", call(output="x"), fate=Fate.REWOUND),
        prompt("3", "Hello"),
    )
    conversation, account = drafted(given, fate="all")
    assert said(conversation.turns) == [
        ("user", "[rewound: no longer part of the conversation]\nRewound"),
        ("user", "[rewound: no longer part of the conversation]\n[Here was an attachment: image/png, 5 bytes]"),
        ("assistant", "[rewound: no longer part of the conversation]\n[Tool call: read_file]\n[Its result:]\nx"),
        ("user", "Hello"),
    ]
    assert (account.messages.native, account.messages.text) == (1, 2)


def test_up_to_a_message() -> None:
    given = session(prompt("a1", "One"), reply("a2", Text(text="Two")), prompt("b", "Three"))
    assert said(drafted(given, upto="a2")[0].turns) == [("user", "One"), ("assistant", "Two")]
    assert said(drafted(given, upto="b")[0].turns)[-1] == ("user", "Three")
    _, account = drafted(given, upto="a1")
    assert [item.message for item in account.items] == ["a2", "b"]
    with pytest.raises(UnknownName, match="No message is called 'c'"):
        drafted(given, upto="c")
    with pytest.raises(UnknownName):
        drafted(given, upto="")
    with pytest.raises(RequestError, match="2 messages of gemini:s begin with 'a'"):
        drafted(given, upto="a")


def test_nothing_is_live() -> None:
    given = session(prompt("1", "Rewound", fate=Fate.REWOUND), client("2", Text(text="<reminder>")))
    with pytest.raises(NothingLive, match="Nothing in gemini:s is live") as caught:
        drafted(given)
    assert caught.value.exit_code == 2
    assert caught.value.hint == "Try: --fate all, which takes along what is no longer live."
    assert caught.value.account.messages.left_out == 2
    with pytest.raises(NothingLive) as caught:
        drafted(session())
    assert caught.value.hint == "Try: pollux show gemini:s"


# ---------------------------------------------------------------------------------------------------------- parts


def test_a_call_is_answered() -> None:
    given = session(
        reply(
            "1",
            Text(text="I look."),
            call("c1", "mcp.server/read file", input={"path": "a"}, output="done"),
            call("c1", "", input="raw", status=Status.ERROR, output="no"),
            call("odd id!", "9lives", status=Status.UNFINISHED),
            call(None, "x" * 70, input=[1], output=""),
            Text(text="There."),
        ),
        client("2", ToolResult(call="c1", name="read"), ToolResult(call="gone", output="late"), ToolResult(call="no")),
    )
    conversation, account = drafted(given)
    assert [(one.id, one.name, one.input, one.output, one.failed) for one in calls(conversation)] == [
        ("c1", "mcp_server_read_file", {"path": "a"}, "done", False),
        ("call_1", "tool", {"input": "raw"}, "no", True),
        ("call_2", "_9lives", {}, NO_RESULT, True),
        ("call_3", "x" * 64, {"input": [1]}, "", False),
    ]
    assert [len(turn.pieces) for turn in conversation.turns] == [5, 1, 1]
    assert said(conversation.turns)[-2:] == [
        ("assistant", "There."),
        ("user", "[A result, whose call is not known:]\nlate"),
    ]
    assert (account.parts.native, account.parts.text, account.parts.left_out) == (7, 1, 1)
    assert [sentence.split(":")[0] for sentence in account.added] == [
        "names of tools",
        "ids of tool calls",
        "the argument `input`",
        "an answer to tool calls that have none",
    ]


def test_what_a_file_adds_is_in_the_account() -> None:
    given = session(prompt("1", "/usr/bin is what?"), reply("2", call(status=Status.ERROR, output="no")))
    added = {target: drafted(given, target)[1].added for target in FORMATS}
    assert added == {
        "gemini": ("`Prompt:` before some prompts: they begin like a command, and would not be sent",),
        "claude": (),
        "codex": ("`[failed]` before some results: a rollout has no other place to say that a call failed",),
        "copilot": (),
        "opencode": (),
        "qwen": (),
    }
    seen = session(prompt("1", "Look."), reply("2", call(status=Status.ERROR, output="no", attachments=(PICTURE,))))
    assert drafted(seen, "opencode")[1].added == (
        "`[failed]` before some results: OpenCode holds no pictures in that of a call that failed",
    )
    usual = session(prompt("1", "What is /usr/bin?"), reply("2", call(output="yes")))
    assert {drafted(usual, target)[1].added for target in FORMATS} == {()}


def test_claude_code_is_told_of_no_model_that_it_does_not_have() -> None:
    """It would try to go on with it, and complain."""
    for model, named in (("gpt-5.5", False), ("claude-opus-5-5", True)):
        conversation, _ = drafted(session(prompt("1", "Hi"), reply("2", Text(text="Hello"), model=model)), "claude")
        assert (model in "".join(FORMATS["claude"].lines(conversation))) is named


def test_an_id_that_was_given_is_not_given_again() -> None:
    conversation, _ = drafted(session(reply("1", call(None), call("call_1"), call(None))))
    ids = [one.id for one in calls(conversation)]
    assert len(set(ids)) == 3


def test_calls_are_told() -> None:
    given = session(
        reply("1", call(input={"path": "ä"}, status=Status.ERROR, output="gone", attachments=(PICTURE,))),
        client("2", ToolResult(call="c1")),
    )
    conversation, account = drafted(given, tools="told")
    assert said(conversation.turns) == [
        ("assistant", '[Tool call: read_file: {"path":"ä"}]\n[Its result, which failed:]\ngone'),
        ("assistant", "[Here was an attachment: image/png, 5 bytes]"),
    ]
    assert (account.parts.text, account.messages.text) == (2, 2)


def test_what_the_client_added_because_it_was_asked_goes_over() -> None:
    given = session(
        prompt("1", "/forecast Oslo"),
        client("2", Text(text="Give a forecast for Oslo.")),
        prompt("3", "See @a", FileReference(path="a", text="# A"), Context(source="expansion", text="See this")),
        client("4", Text(text="Give no forecast."), Context(source="hook", text="x")),
        client("5", SummaryPart(text="We met."), SummaryPart(text=" ")),
    )
    conversation, account = drafted(given)
    assert said(conversation.turns) == [
        ("user", "/forecast Oslo"),
        ("user", "Give a forecast for Oslo."),
        ("user", "See @a"),
        ("user", "[The file a]\n# A"),
        ("user", "See this"),
        ("user", "Summary of the conversation so far: We met."),
    ]
    assert (account.parts.native, account.parts.text, account.parts.left_out) == (2, 4, 3)


def test_thinking_stays_behind_unless_asked_for() -> None:
    given = session(reply("1", Thinking(subject="Plan", text="Look first."), Text(text="Hi."), Thinking(text=" ")))
    conversation, account = drafted(given)
    assert said(conversation.turns) == [("assistant", "Hi.")]
    assert [item.what for item in account.items] == ["thinking", "empty texts"]
    conversation, account = drafted(given, thinking=True)
    assert said(conversation.turns)[0] == ("assistant", "[thinking]\nPlan\nLook first.")
    assert account.items[0].carried is Carried.TEXT


def test_an_unknown_part_stays_behind() -> None:
    _, account = drafted(session(prompt("1", "Hello", Unknown(raw={"odd": 1}))))
    assert [(item.part, item.what, item.carried) for item in account.items] == [
        (1, "parts of unknown kind", Carried.LEFT_OUT)
    ]


def test_pictures_go_where_the_target_holds_them() -> None:
    given = session(
        message(
            "1",
            Role.USER,
            Author.HUMAN,
            PICTURE,
            Attachment(media_type="application/pdf", data="aGVsbG8="),
            Attachment(media_type="image/png", data="no base64"),
            Attachment(media_type="image/png", uri="https://example.com/a.png"),
        ),
        reply("2", call(output="seen", attachments=(PICTURE,)), PICTURE),
    )
    held = {target: drafted(given, target)[0] for target in FORMATS}
    media = {
        target: [piece.media_type for turn in one.turns for piece in turn.pieces if isinstance(piece, Media)]
        for target, one in held.items()
    }
    assert media == {
        "gemini": ["image/png", "application/pdf"],
        "claude": ["image/png", "application/pdf"],
        "codex": ["image/png"],
        "copilot": ["image/png"],
        "opencode": ["image/png"],
        "qwen": ["image/png"],
    }
    assert {target: len(calls(one)[0].media) for target, one in held.items()} == {
        **dict.fromkeys(FORMATS, 1),
        "copilot": 0,
    }
    odd = Attachment(media_type="image/tiff", data="aGVsbG8=")
    conversation, account = drafted(session(reply("1", call(output="seen", attachments=(odd,)))))
    assert calls(conversation)[0].output == "seen\n[Here was an attachment: image/tiff, 5 bytes]"
    assert [(item.carried, item.what) for item in account.items] == [(Carried.NATIVE, "attachment data")]
    assert said(held["codex"].turns)[-1] == ("assistant", "[Here was an attachment: image/png, 5 bytes]")
    assert ("user", "[Here was an attachment: image/png, https://example.com/a.png]") in said(held["claude"].turns)


@pytest.mark.parametrize("target", FORMATS)
def test_only_pictures(target: str) -> None:
    conversation, account = drafted(session(message("1", Role.USER, Author.HUMAN, PICTURE)), target)
    JUDGES[target]("".join(FORMATS[target].lines(conversation)))
    assert (conversation.title, account.messages.native) == (None, 1)


@pytest.mark.parametrize("target", FORMATS)
def test_ten_thousand_calls(target: str) -> None:
    given = session(prompt("1", "Go"), reply("2", *(call(f"c{number}", output="x") for number in range(10_000))))
    conversation, account = drafted(given, target)
    JUDGES[target]("".join(FORMATS[target].lines(conversation)))
    assert account.parts.native == 10_001


# ---------------------------------------------------------------------------------------------------------- times


def test_times_are_in_order() -> None:
    times = [None, AT - timedelta(hours=3), AT + timedelta(hours=1), AT - timedelta(hours=4), AT - timedelta(hours=1)]
    given = session(*(prompt(str(number), "x", at=time) for number, time in enumerate(times)))
    conversation, account = drafted(given)
    hours = [(AT - turn.at) / timedelta(hours=1) for turn in conversation.turns]
    assert hours == [3, 3, 3, 3, 1]
    assert account.added == (MISSING, MOVED)


def test_no_message_has_a_time() -> None:
    conversation, _ = drafted(session(prompt("1", "x", at=None)))
    assert conversation.turns[0].at == AT


# ------------------------------------------------------------------------------------------------------- property


def accounted(given: Session, options: DraftOptions) -> None:
    """Every message and part is in the account once, and what every target gets is sound."""
    for name, target in FORMATS.items():
        try:
            id = id_for(target, "0b5c7b1e-9a3b-4c55-8a54-6f4f6a3f5f10", AT)
            conversation, account = draft(given, options, target, id=id, folder="/p", at=AT, agent_title="A")
        except NothingLive as error:
            account = error.account
        else:
            JUDGES[name]("".join(target.lines(conversation)).encode("utf-8").decode())
        assert account.messages.total == len(given.messages)
        assert account.parts.total == sum(len(one.parts) for one in given.messages)
        listed = [(item.message, item.part) for item in account.items]
        assert all(item.why and item.what for item in account.items)
        if len({one.id for one in given.messages}) == len(given.messages):
            assert len(listed) == len(set(listed))


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    given=SESSIONS,
    tools=st.sampled_from(["native", "told"]),
    fate=st.sampled_from(["live", "all"]),
    thinking=st.booleans(),
)
def test_any_session_is_accounted_for(given: Session, tools: str, fate: str, thinking: bool) -> None:
    accounted(given, DraftOptions(tools=tools, fate=fate, thinking=thinking))


@pytest.mark.slow
@pytest.mark.parametrize("way", [DraftOptions(), DraftOptions(tools="told", fate="all", thinking=True)])
def test_every_genuine_session_is_accounted_for(way: DraftOptions) -> None:
    for one in corpus_sessions():
        accounted(one, way)
