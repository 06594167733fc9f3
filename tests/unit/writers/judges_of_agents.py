"""What the agents insist on when they go on with a session, as far as it can be seen without them."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any
from uuid import UUID

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def _rows(text: str) -> list[Any]:
    assert not text or text.endswith("\n")
    return [json.loads(line, parse_constant=_refuse) for line in text.split("\n")[:-1]]


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _in_order(times: list[str], *, last: datetime | None = None) -> None:
    moments = [datetime.fromisoformat(time) for time in times]
    assert moments == sorted(moments)
    assert last is None or not moments or moments[-1] <= last


def _calls(ids: list[str], names: list[str], inputs: list[Any]) -> None:
    assert len(ids) == len(set(ids))
    assert all(map(ID.fullmatch, ids))
    assert all(map(NAME.fullmatch, names))
    assert all(isinstance(one, dict) for one in inputs)


def judge_gemini(text: str) -> None:
    """A header, messages with ids of their own, results directly after calls, no prompt that is never sent."""
    if not text:
        return
    head, *messages, tail = _rows(text)
    assert head["kind"] == "main"
    assert re.fullmatch(r"[0-9a-f]{64}", head["projectHash"])
    assert tail["$set"]["lastUpdated"] == head["lastUpdated"]
    ids = [message["id"] for message in messages]
    assert len(ids) == len(set(ids))
    _in_order([message["timestamp"] for message in messages], last=datetime.fromisoformat(head["lastUpdated"]))
    calls: list[Any] = []
    waiting: list[str] = []
    for message in messages:
        parts = message["content"]
        assert parts
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        assert [answer["id"] for answer in answers] == waiting
        assert all(isinstance(value, str) for answer in answers for value in answer["response"].values())
        asked = [part["functionCall"] for part in parts if "functionCall" in part]
        waiting = [call["id"] for call in asked]
        calls += asked
        assert not asked or message["type"] == "gemini"
        assert all(part["text"].strip() for part in parts if "text" in part)
        words = "".join(part.get("text", "[") for part in parts).strip()
        assert message["type"] == "gemini" or not words.startswith(("/", "?", "<session_context>", "<hook_context>"))
    assert not waiting
    _calls([call["id"] for call in calls], [call["name"] for call in calls], [call["args"] for call in calls])


def judge_claude(text: str) -> None:
    """One chain, no empty text, and directly after each reply the results of its calls."""
    records = [row for row in _rows(text) if row["type"] != "custom-title"]
    parents = [record["parentUuid"] for record in records]
    assert parents == [None, *(record["uuid"] for record in records)][: len(records)]
    _in_order([record["timestamp"] for record in records])
    calls: list[Any] = []
    waiting: dict[str, str] = {}
    for number, record in enumerate(records):
        UUID(record["uuid"])
        message = record["message"]
        assert message["role"] == record["type"]
        content = message["content"]
        assert number or isinstance(content, str)
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert blocks
        for block in blocks:
            assert block["type"] != "text" or block["text"].strip()
            if block["type"] == "tool_result":
                del waiting[block["tool_use_id"]]
            elif block["type"] == "tool_use":
                assert set(waiting.values()) <= {message["id"]}
                calls.append(block)
                waiting[block["id"]] = message["id"]
            else:
                assert not waiting or message.get("id") in waiting.values()
    assert not waiting
    _calls([call["id"] for call in calls], [call["name"] for call in calls], [call["input"] for call in calls])


def judge_codex(text: str) -> None:
    """A line about the session, and what is shown beside what is sent: the words of both are the same."""
    if not text:
        return
    head, note, *rows = _rows(text)
    assert head["type"] == "session_meta"
    assert {"id", "timestamp", "cwd", "originator", "cli_version", "model_provider"} <= set(head["payload"])
    UUID(head["payload"]["id"])
    datetime.fromisoformat(head["payload"]["timestamp"])
    assert note["payload"]["role"] == "user"
    items = [row["payload"] for row in rows if row["type"] == "response_item"]
    events = [row["payload"] for row in rows if row["type"] == "event_msg"]
    for role, kind in (("user", "user_message"), ("assistant", "agent_message")):
        sent = [item["content"] for item in items if item["type"] == "message" and item["role"] == role]
        shown = [event["message"] for event in events if event["type"] == kind]
        assert ["\n".join(one["text"] for one in content if "text" in one) for content in sent] == shown
    calls = [item for item in items if item["type"] == "function_call"]
    outputs = [item["call_id"] for item in items if item["type"] == "function_call_output"]
    ids = [call["call_id"] for call in calls]
    assert ids == outputs
    _calls(ids, [call["name"] for call in calls], [json.loads(call["arguments"]) for call in calls])


def judge_copilot(text: str) -> None:
    """A beginning, one chain, and directly after each reply the results of its calls."""
    if not text:
        return
    events = _rows(text)
    assert [event["parentId"] for event in events] == [None, *(event["id"] for event in events)][: len(events)]
    _in_order([event["timestamp"] for event in events])
    start, note, *rest = events
    assert start["type"] == "session.start"
    assert {"sessionId", "version", "startTime", "context"} <= set(start["data"])
    UUID(start["data"]["sessionId"])
    assert note["type"] == "user.message"
    calls: list[Any] = []
    waiting: list[str] = []
    for event in rest:
        data = event["data"]
        match event["type"]:
            case "tool.execution_start":
                assert data["toolCallId"] in waiting
            case "tool.execution_complete":
                waiting.remove(data["toolCallId"])
                assert ("result" in data) is data["success"]
            case "assistant.message":
                assert not waiting
                calls += data.get("toolRequests", [])
                waiting = [call["toolCallId"] for call in data.get("toolRequests", ())]
                assert waiting or data["content"].strip()
            case kind:
                assert kind == "user.message"
                assert not waiting
                assert data["content"].strip() or data["attachments"]
                assert all(one["data"] for one in data.get("attachments", ()))
    assert not waiting
    ids, names, inputs = ([call[key] for call in calls] for key in ("toolCallId", "name", "arguments"))
    _calls(ids, names, inputs)


def judge_qwen(text: str) -> None:
    """One chain, no empty text, and directly after each reply the results of its calls."""
    records = _rows(text)
    parents = [record["parentUuid"] for record in records]
    assert parents == [None, *(record["uuid"] for record in records)][: len(records)]
    _in_order([record["timestamp"] for record in records])
    calls: list[Any] = []
    waiting: list[str] = []
    for record in records:
        UUID(record["sessionId"])
        if record["type"] == "system":
            continue
        parts = record["message"]["parts"]
        assert parts
        assert record["message"]["role"] == ("model" if record["type"] == "assistant" else "user")
        assert all(part["text"].strip() for part in parts if "text" in part)
        if record["type"] == "tool_result":
            waiting.remove(parts[0]["functionResponse"]["id"])
            continue
        assert not waiting
        asked = [part["functionCall"] for part in parts if "functionCall" in part]
        assert not asked or record["type"] == "assistant"
        calls += asked
        waiting = [call["id"] for call in asked]
    assert not waiting
    _calls([call["id"] for call in calls], [call["name"] for call in calls], [call["args"] for call in calls])


def judge_opencode(text: str) -> None:
    """One document: a session, messages and parts whose ids sort as they stand, and every call with its outcome."""
    if not text:
        return
    document = json.loads(text, parse_constant=_refuse)
    info, messages = document["info"], document["messages"]
    assert {"slug", "projectID", "directory", "title", "version", "time"} <= set(info)
    assert re.fullmatch(r"ses_[0-9a-f]{12}[0-9A-Za-z]{14}", info["id"])
    times = [message["info"]["time"]["created"] for message in messages]
    assert times == sorted(times)
    ids = [message["info"]["id"] for message in messages]
    parts = [part for message in messages for part in message["parts"]]
    for found, kind in ((ids, "msg"), ([part["id"] for part in parts], "prt")):
        assert found == sorted(set(found))
        assert all(re.fullmatch(rf"{kind}_[0-9a-f]{{12}}[0-9A-Za-z]{{14}}", id) for id in found)
    asked = None
    for message in messages:
        own = message["info"]
        assert {own["sessionID"], *(part["sessionID"] for part in message["parts"])} == {info["id"]}
        assert {part["messageID"] for part in message["parts"]} == {own["id"]}
        if own["role"] == "user":
            asked = own["id"]
            assert set(own["model"]) == {"providerID", "modelID"}
            assert {part["type"] for part in message["parts"]} <= {"text", "file"}
        else:
            assert own["parentID"] == asked
            assert own["tokens"]["input"] == own["tokens"]["output"] == own["cost"] == 0
    assert all(part["text"].strip() for part in parts if part["type"] == "text")
    calls = [part for part in parts if part["type"] == "tool"]
    for call in calls:
        state = call["state"]
        wanted = {"completed": {"output", "title", "metadata"}, "error": {"error"}}[state["status"]]
        assert wanted | {"input", "time"} <= set(state)
    _calls([call["callID"] for call in calls], [call["tool"] for call in calls], [c["state"]["input"] for c in calls])
