"""Turns that the user stopped, and calls that the user refused."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.model import Attachment, Session, Text, ToolCall, ToolResult
from tests.unit.sources.gemini.conftest import LOG, Home, call, conversation, document, gemini, header, info, user

REFUSAL = "[Operation Cancelled] Reason: User did not allow tool call"


def stopped(name: str = "c1", **more: Any) -> dict[str, Any]:
    """A call that never came to its end."""
    result = [{"functionResponse": {"id": name, "name": "read_file", "response": {"error": REFUSAL}}}]
    return call(name, status="cancelled", result=result, **more)


def calls(session: Session) -> list[tuple[str, str | None, str]]:
    """The message, the id and the status of every call."""
    return [(m.id, p.id, p.status.value) for m in session.messages for p in m.parts if isinstance(p, ToolCall)]


def asked(name: str = "c1") -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": "read_file", "args": {}}}


def answered(name: str, at: str = "06:00:05") -> dict[str, Any]:
    return user(name, [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"error": REFUSAL}}}], at)


TURN = (
    header(),
    user("u1", "go"),
    gemini("g1", "I look."),
    info("i1", "Request cancelled."),
    gemini("x1", "", "06:00:04", tokens=None, toolCalls=[stopped()]),
    answered("r1"),
)


def test_the_call_of_a_stopped_turn_stands_in_the_reply_that_asked_for_it(home: Home) -> None:
    home.log(LOG, *TURN)
    session = home.only()
    assert calls(session) == [("g1", "c1", "cancelled")]
    assert conversation(session) == [("human", "go", "live"), ("model", "I look.", "live")]
    assert session.usage.exact is True


def test_it_stands_there_too_when_a_later_list_keeps_the_message_of_its_own(home: Home) -> None:
    alone = gemini("x1", [asked()], "06:00:04", tokens=None)
    home.log(LOG, *TURN, {"$set": {"messages": [user("u1", "go"), gemini("g1", "I look."), alone, answered("r1")]}})
    session = home.only()
    assert calls(session) == [("g1", "c1", "cancelled")]
    assert session.usage.exact is True


def test_it_lives_with_that_reply_when_a_later_list_holds_it_there(home: Home) -> None:
    reply = gemini("g1", [{"text": "I look."}, asked()], tokens=None)
    home.log(
        LOG,
        *TURN,
        user("u2", "more", "06:01:00"),
        info("i2", "Request cancelled.", "06:01:02"),
        {"$set": {"messages": [user("u1", "go"), reply, answered("r1")]}},
    )
    session = home.only()
    assert calls(session) == [("g1", "c1", "cancelled")]
    assert [m.fate.value for m in session.messages if m.id == "g1"] == ["live"]
    assert all(message.id != "x1" for message in session.messages)


def test_a_stopped_call_that_no_reply_asked_for_stays_by_itself(home: Home) -> None:
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "I look.", toolCalls=[call("c0")]),
        info("i1", "Request cancelled."),
        gemini("x1", "", "06:00:04", tokens=None, toolCalls=[stopped()]),
    )
    session = home.only()
    assert calls(session) == [("g1", "c0", "ok"), ("x1", "c1", "cancelled")]
    assert session.usage.exact is None


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ((), "cancelled"),
        ((user("u2", "never mind", "06:01:00"), gemini("g2", "Fine.", "06:01:02")), "cancelled"),
        ((answered("r1"), gemini("g2", "Then not.", "06:00:06")), "error"),
        ((info("i1", "A line."), answered("r1"), gemini("g2", "", "06:00:06", toolCalls=[call("c2")])), "error"),
    ],
)
def test_a_refused_call_is_an_error_where_the_conversation_went_on(
    home: Home, after: tuple[dict[str, Any], ...], status: str
) -> None:
    home.log(LOG, header(), user("u1", "go"), gemini("g1", "I look.", toolCalls=[stopped()]), *after)
    assert calls(home.only())[0] == ("g1", "c1", status)


def test_a_refused_call_is_an_error_where_the_same_message_holds_a_later_one(home: Home) -> None:
    later = call("read_file-1794722500000-0f", timestamp="2026-11-15T06:01:41.000Z")
    messages = [user("u1", "go"), gemini("g1", "I look.", toolCalls=[stopped(), later])]
    home.document("weather/chats/session-2026-11-15T06-00-aaaaaaaa.json", document(messages))
    assert [status for _, _, status in calls(home.only())] == ["error", "ok"]


PICTURE = {"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("user", [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}, PICTURE]),
        ("user", [PICTURE]),
        ("info", [PICTURE]),
    ],
)
def test_a_picture_that_a_tool_read_stands_once(home: Home, kind: str, content: Any) -> None:
    result = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}, PICTURE]
    home.log(
        LOG,
        header(),
        user("u1", "go"),
        gemini("g1", "", toolCalls=[call("c1", result=result)]),
        {**user("r1", content, "06:00:05"), "type": kind},
        gemini("g2", "A picture.", "06:00:06"),
    )
    session = home.only()
    (tool_call,) = (part for m in session.messages for part in m.parts if isinstance(part, ToolCall))
    assert [contents.data for contents in tool_call.attachments] == ["aGVsbG8="]
    (again,) = (m for m in session.messages if m.id == "r1")
    assert again.author.value == "client"
    assert [(type(part), getattr(part, "call", None)) for part in again.parts] == [(ToolResult, "c1")]
    assert session.usage.exact is True


def test_a_picture_that_the_human_brought_in_stays_though_a_tool_read_the_same(home: Home) -> None:
    result = [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "ok"}}}, PICTURE]
    home.log(
        LOG,
        header(),
        user("u1", [{"text": "what is this?"}, PICTURE]),
        gemini("g1", "", toolCalls=[call("c1", result=result)]),
    )
    first = home.only().messages[0]
    assert [type(part) for part in first.parts] == [Text, Attachment]
