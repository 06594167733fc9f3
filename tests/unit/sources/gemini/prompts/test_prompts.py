"""The log of typed prompts: the only trace of what session files have lost."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.model import Kind, ToolCall
from tests.unit.sources.gemini.conftest import LOG, Home, call, context, conversation, document, gemini, header, user

DOCUMENT = "weather/chats/session-2026-11-15T06-00-aaaaaaaa.json"


def typed(*lines: tuple[str, str, str]) -> list[dict[str, Any]]:
    return [
        {"sessionId": s, "messageId": n, "type": "user", "message": text, "timestamp": f"2026-11-15T{at}.000Z"}
        for n, (s, text, at) in enumerate(lines)
    ]


def test_a_prompt_that_a_rewind_cut_from_the_file_comes_back(home: Home) -> None:
    home.document(
        DOCUMENT,
        {
            **header(),
            "messages": [
                user("u1", "one", "06:00:01"),
                gemini("g1", "1"),
                user("u3", "three", "06:00:20"),
                gemini("g3", "3", "06:00:21"),
            ],
        },
    )
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"),
            ("aaaaaaaa-1", "two", "06:00:10"),
            ("aaaaaaaa-1", "/rewind", "06:00:15"),
            ("aaaaaaaa-1", "three", "06:00:19"),
        ),
    )
    session = home.only()
    assert conversation(session) == [
        ("human", "one", "live"),
        ("model", "1", "live"),
        ("human", "two", "rewound"),
        ("human", "/rewind", "live"),
        ("human", "three", "live"),
        ("model", "3", "live"),
    ]
    assert [m.text for m in session.prompts] == ["one", "two", "three"]
    assert session.usage.exact is False
    assert any(path.endswith("logs.json") for path in session.files)


def test_a_line_logged_under_a_stale_id_is_not_doubled(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one"), gemini("g1", "1"))
    home.log(
        "weather/chats/session-2026-11-15T06-10-bbbbbbbb.jsonl",
        header("bbbbbbbb-1", start="06:10:00"),
        user("u1", "two", "06:10:01"),
        gemini("g1", "2", "06:10:02"),
    )
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"),
            ("aaaaaaaa-1", "/clear", "06:09:00"),
            ("aaaaaaaa-1", "two", "06:10:00"),
        ),
    )
    result = home.sessions()
    assert [m.text for m in result["aaaaaaaa-1"].prompts] == ["one"]
    assert [m.text for m in result["bbbbbbbb-1"].prompts] == ["two"]
    assert [session.id for session in result.values() if session.kind is Kind.PROMPTS and session.prompts] == []


def test_what_was_typed_after_a_clear_belongs_to_a_session_that_is_gone(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one"), gemini("g1", "1"))
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"), ("aaaaaaaa-1", "/clear", "06:09:00"), ("aaaaaaaa-1", "two", "06:10:00")
        ),
    )
    result = home.sessions()
    assert [m.text for m in result["aaaaaaaa-1"].prompts] == ["one"]
    (gone,) = (session for session in result.values() if session.kind is Kind.PROMPTS)
    assert [m.text for m in gone.prompts] == ["two"]


def test_a_session_of_which_only_the_log_is_left(home: Home) -> None:
    home.document("weather/logs.json", typed(("aaaaaaaa-1", "one", "06:00:00"), ("aaaaaaaa-1", "/quit", "06:00:05")))
    session = home.only()
    assert (session.kind, [m.text for m in session.prompts]) == (Kind.PROMPTS, ["one"])
    assert home.library().list() == []


def test_commands_go_with_the_prompts_they_were_typed_between(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one", "06:00:01"), gemini("g1", "1"))
    home.document(
        "weather/logs.json",
        typed(
            ("cccccccc-1", "/model", "05:59:00"), ("cccccccc-1", "one", "06:00:00"), ("cccccccc-1", "/quit", "06:01:00")
        ),
    )
    session = home.only()
    assert [text for _, text, _ in conversation(session)] == ["/model", "one", "1", "/quit"]


def test_what_was_typed_in_shell_mode_is_no_prompt(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one", "06:00:01"), gemini("g1", "1"))
    home.write("weather/shell_history", "git status\nls\n")
    lines = typed(("aaaaaaaa-1", "git status", "05:59:00"), ("aaaaaaaa-1", "one", "06:00:00"))
    home.document("weather/logs.json", lines)
    session = home.only()
    assert [m.text for m in session.prompts] == ["one"]
    assert (session.messages[0].text, session.messages[0].role.value) == ("git status", "system")


def test_a_compression_known_only_from_the_log_makes_the_sum_a_lower_bound(home: Home) -> None:
    home.document(DOCUMENT, {**header(), "messages": [user("u1", "one", "06:00:01"), gemini("g1", "1")]})
    home.document(
        "weather/logs.json", typed(("aaaaaaaa-1", "one", "06:00:00"), ("aaaaaaaa-1", "/compress", "06:01:00"))
    )
    assert home.only().usage.exact is False


def test_a_log_of_commands_alone_is_kept(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one", "06:00:01"), gemini("g1", "1"))
    home.document("weather/logs.json", typed(("cccccccc-1", "/help", "05:00:00")))
    assert conversation(home.sessions()["cccccccc-1"]) == [("human", "/help", "live")]


def test_a_broken_log_costs_no_session(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one"), gemini("g1", "1"))
    for text in (
        "",
        "[",
        "{}",
        "[1, 2]",
        '[{"message": 7}]',
        "null",
        '[{"sessionId": "aaaaaaaa-1", "message": "two", "timestamp": "2026-11-15T06:00:00.000Z"}',
    ):
        home.write("weather/logs.json", text)
        assert "aaaaaaaa-1" in home.sessions()
    assert [m.text for m in home.sessions()["aaaaaaaa-1"].prompts] == ["two", "one"]


@pytest.mark.parametrize(("command", "fate"), [("/compress", "compressed"), ("/clear", "rewound")])
def test_the_log_tells_why_a_session_went_on_in_another_file(home: Home, command: str, fate: str) -> None:
    """Before 0.18 neither leaves a mark in the files."""
    home.document(DOCUMENT, document([user("u1", "one"), gemini("g1", "1")]))
    home.document(
        "weather/chats/session-2026-11-15T06-10-aaaaaaaa.json",
        document([user("u2", "two", "06:10:01"), gemini("g2", "2", "06:10:02")], start="06:10:00"),
    )
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:01"), ("aaaaaaaa-1", command, "06:09:58"), ("aaaaaaaa-1", "two", "06:10:01")
        ),
    )
    assert [(m.id, m.fate.value) for m in home.only().messages if not m.id.startswith("log-")] == [
        ("u1", fate),
        ("g1", fate),
        ("u2", "live"),
        ("g2", "live"),
    ]


SECOND = "weather/chats/session-2026-11-15T06-10-bbbbbbbb.jsonl"


def second(*messages: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """The session that a `/clear` at 06:09:00 begins."""
    return header("bbbbbbbb-1", start="06:09:01"), *messages


def test_with_the_clock_set_back_typed_lines_keep_the_order_of_typing(home: Home) -> None:
    home.document(
        DOCUMENT,
        {**header(), "messages": [user("u4", "four", "05:10:01"), gemini("g4", "4", "05:10:02")]},
    )
    lines = typed(
        ("aaaaaaaa-1", "one", "06:00:00"),
        ("aaaaaaaa-1", "/quit", "06:01:00"),
        ("aaaaaaaa-1", "two", "05:08:00"),
        ("aaaaaaaa-1", "/rewind", "05:09:00"),
        ("aaaaaaaa-1", "four", "05:10:00"),
        ("aaaaaaaa-1", "five", "05:11:00"),
    )
    for order in (lines, lines[::-1]):
        home.document("weather/logs.json", order)
        assert conversation(home.only()) == [
            ("human", "one", "rewound"),
            ("human", "/quit", "live"),
            ("human", "two", "rewound"),
            ("human", "/rewind", "live"),
            ("human", "four", "live"),
            ("model", "4", "live"),
            ("human", "five", "failed"),
        ]


def test_a_clock_set_back_after_an_answer_does_not_move_what_was_typed_then_before_it(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one", "06:00:01"), gemini("g1", "1"))
    home.document("weather/logs.json", typed(("aaaaaaaa-1", "one", "06:00:00"), ("aaaaaaaa-1", "/model", "05:00:00")))
    assert [text for _, text, _ in conversation(home.only())] == ["one", "1", "/model"]


@pytest.mark.parametrize("day", ["14", "16"])
def test_a_clock_that_was_a_day_wrong_doubles_no_prompt(home: Home, day: str) -> None:
    def wrong(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "timestamp": record["timestamp"].replace("-15T", f"-{day}T")}

    home.log(LOG, header(), user("u1", "one", "06:00:01"), gemini("g1", "1"), wrong(user("u2", "two", "06:00:11")))
    first, last = typed(("aaaaaaaa-1", "one", "06:00:00"), ("cccccccc-1", "two", "06:00:10"))
    home.document("weather/logs.json", [first, wrong(last)])
    assert [text for _, text, _ in conversation(home.only())] == ["one", "1", "two"]


def test_what_was_typed_under_an_id_without_a_file_belongs_to_the_session_that_holds_the_rest(home: Home) -> None:
    home.document(
        DOCUMENT,
        {
            **header(),
            "messages": [user("u1", "one", "06:00:01"), gemini("g1", "1"), user("u3", "three", "06:05:01")],
        },
    )
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"),
            ("cccccccc-1", "two", "06:03:00"),
            ("cccccccc-1", "/rewind", "06:04:00"),
            ("cccccccc-1", "three", "06:05:00"),
        ),
    )
    assert conversation(home.only()) == [
        ("human", "one", "live"),
        ("model", "1", "live"),
        ("human", "two", "rewound"),
        ("human", "/rewind", "live"),
        ("human", "three", "live"),
    ]


@pytest.mark.parametrize("clear", ["/clear", "/new"])
def test_what_follows_a_clear_belongs_to_the_session_that_it_began(home: Home, clear: str) -> None:
    home.log(LOG, header(), user("u1", "one"), gemini("g1", "1"))
    home.log(SECOND, *second(user("u2", "three", "06:10:01"), gemini("g2", "3", "06:10:02")))
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"),
            ("aaaaaaaa-1", clear, "06:09:00"),
            ("aaaaaaaa-1", "/compress", "06:09:10"),
            ("aaaaaaaa-1", "two", "06:09:20"),
            ("aaaaaaaa-1", "three", "06:10:00"),
            ("aaaaaaaa-1", "/quit", "06:11:00"),
        ),
    )
    result = home.sessions()
    assert [text for _, text, _ in conversation(result["aaaaaaaa-1"])] == ["one", "1", clear]
    assert [text for _, text, _ in conversation(result["bbbbbbbb-1"])] == ["/compress", "two", "three", "3", "/quit"]
    assert [session.usage.exact for session in result.values()] == [True, True]


def test_after_a_new_start_the_log_means_the_old_session_again(home: Home) -> None:
    home.log(LOG, header(), user("u1", "one"), gemini("g1", "1"))
    home.log(SECOND, *second(user("u2", "two", "06:10:01"), gemini("g2", "2", "06:10:02")))
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "one", "06:00:00"),
            ("aaaaaaaa-1", "/clear", "06:09:00"),
            ("aaaaaaaa-1", "two", "06:10:00"),
            ("aaaaaaaa-1", "/quit", "06:11:00"),
            ("aaaaaaaa-1", "/stats", "06:20:00"),
        ),
    )
    result = home.sessions()
    assert [text for _, text, _ in conversation(result["aaaaaaaa-1"])] == ["one", "1", "/clear", "/stats"]
    assert [text for _, text, _ in conversation(result["bbbbbbbb-1"])] == ["two", "2", "/quit"]


def test_commands_alone_are_no_session_to_list(home: Home) -> None:
    home.log(LOG, header(), {"$set": {"messages": [context()]}})
    home.log(SECOND, *second(user("u2", "two", "06:10:01"), gemini("g2", "2", "06:10:02")))
    home.document(
        "weather/logs.json",
        typed(
            ("aaaaaaaa-1", "/compress", "06:08:00"),
            ("aaaaaaaa-1", "/clear", "06:09:00"),
            ("aaaaaaaa-1", "two", "06:10:00"),
        ),
    )
    assert [listed.summary.id for listed in home.library().list()] == ["bbbbbbbb-1"]
    empty = home.sessions()["aaaaaaaa-1"]
    assert (empty.kind, empty.title, empty.usage.exact) == (Kind.PROMPTS, "/compress", None)
    assert [text for _, text, _ in conversation(empty)] == ["/compress", "/clear"]


@pytest.mark.parametrize("witness", ["log", "folder", "stub"])
def test_a_file_without_a_header_keeps_the_id_that_is_known_around_it(home: Home, witness: str) -> None:
    home.log(LOG, user("u1", "one"), gemini("g1", "1", toolCalls=[call("c1", "invoke_agent", agentId="agent-1")]))
    if witness == "log":
        home.document("weather/logs.json", typed(("aaaaaaaa-1", "one", "06:00:00")))
    elif witness == "folder":
        home.log("weather/chats/aaaaaaaa-1/agent-1.jsonl", header("agent-1", kind="subagent"), user("t1", "look"))
    else:
        home.log("weather/chats/session-2026-11-15T07-00-aaaaaaaa.jsonl", header())
    result = home.sessions()
    assert [m.text for m in result["aaaaaaaa-1"].prompts] == ["one"]
    if witness == "folder":
        assert result["agent-1"].parent == "gemini:aaaaaaaa-1"
        (tool_call,) = (part for m in result["aaaaaaaa-1"].messages for part in m.parts if isinstance(part, ToolCall))
        assert tool_call.child == "gemini:agent-1"


def test_a_file_without_a_header_takes_no_id_that_may_be_anothers(home: Home) -> None:
    home.log(LOG, user("u1", "one"), gemini("g1", "1"))
    home.document("weather/logs.json", typed(("aaaaaaaa-1", "/help", "05:00:00"), ("aaaaaaaa-2", "/help", "05:10:00")))
    assert "session-2026-11-15T06-00-aaaaaaaa" in home.sessions()


def test_an_empty_file_takes_no_typed_lines_with_it(home: Home) -> None:
    home.write(LOG, "")
    home.document("weather/logs.json", typed(("aaaaaaaa-1", "one", "06:00:00")))
    session = home.only()
    assert (session.id, session.kind, [m.text for m in session.prompts]) == ("aaaaaaaa-1", Kind.PROMPTS, ["one"])
