"""Records of any session: valid, the same in JSON and CBOR, with sub-agents inside where they can be read."""

from __future__ import annotations

import json
from typing import Any

import cbor2
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from pollux import registry
from pollux.model import Author, Message, Role, Session, Text, ToolCall
from pollux.writers.base import Binary, Options, WriterContext
from pollux.writers.vac import WRITER
from tests.unit.writers.full_session import EVERYTHING
from tests.unit.writers.judges_of_records import judge_vac
from tests.unit.writers.kitchen_sink import SESSION
from tests.unit.writers.test_properties import SESSIONS

KNOWING = WriterContext(knowledge=registry.knowledge)


def text_of(session: Session, context: WriterContext = KNOWING) -> str:
    pieces: list[str] = []
    WRITER.write(session, pieces.append, Options(), context)
    return "".join(pieces)


def bytes_of(session: Session, context: WriterContext = KNOWING) -> bytes:
    pieces: list[bytes] = []
    assert isinstance(WRITER.cbor, Binary)
    WRITER.cbor.write_bytes(session, pieces.append, Options(), context)
    return b"".join(pieces)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(SESSIONS)
def test_any_session_makes_a_record_that_is_the_same_in_json_and_cbor(session: Session) -> None:
    text = text_of(session)
    judge_vac(text)
    record = json.loads(text)
    assert cbor2.loads(bytes_of(session)) == record
    assert json.loads(json.dumps(cbor2.loads(cbor2.dumps(record)))) == record


def test_the_same_session_gives_the_same_bytes() -> None:
    assert text_of(EVERYTHING) == text_of(EVERYTHING)
    assert bytes_of(EVERYTHING) == bytes_of(EVERYTHING)
    again = json.dumps(json.loads(text_of(SESSION)), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert text_of(SESSION) == again


def test_parts_out_of_order_tell_their_places() -> None:
    call = ToolCall(id="c", name="ls", canonical="shell_exec", tool_kind="execute")
    parts = (Text(text="before"), call, Text(text="after"))
    one = Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=parts)
    record = json.loads(text_of(Session(agent="gemini", id="s", messages=(one,))))
    entry = record["session"]["entries"][0]
    assert [block["pollux"]["part"] for block in entry["content"]] == [0, 2]
    assert [child["pollux"]["part"] for child in entry["children"]] == [1]


def test_a_recorded_member_with_a_canonical_name_stands_apart() -> None:
    one = Message(id="m", role=Role.USER, author=Author.HUMAN, extra={"id": 5, "children": "no list", "odd": 1})
    entry = json.loads(text_of(Session(agent="gemini", id="s", messages=(one,))))["session"]["entries"][0]
    assert (entry["id"], entry["odd"], entry["native"]) == ("m", 1, {"id": 5, "children": "no list"})


def call_of(key: str) -> Message:
    call = ToolCall(id="c", name="Task", canonical="agent_spawn", tool_kind="agent", child=key)
    return Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=(call,))


def children(session: Session, known: dict[str, Session]) -> list[dict[str, Any]]:
    text = text_of(session, msgspec.structs.replace(KNOWING, child=known.get))
    judge_vac(text)
    call: dict[str, Any] = json.loads(text)["session"]["entries"][0]["children"][0]
    assert call["pollux"]["child"] == "gemini:child"
    result: list[dict[str, Any]] = call.get("children", [])
    return result


def test_sub_agents_are_inside_or_named() -> None:
    parent = Session(agent="gemini", id="parent", messages=(call_of("gemini:child"),))
    message = Message(id="k", role=Role.USER, author=Author.MODEL, parts=(Text(text="the task"),))
    child = Session(agent="gemini", id="child", parent="gemini:parent", messages=(message, call_of("gemini:parent")))
    assert children(parent, {}) == []
    [nested] = children(parent, {"gemini:child": child, "gemini:parent": parent})
    assert (nested["event-type"], nested["data"]["session-id"]) == ("sub-agent", "child")
    assert nested["children"][0]["content"] == "the task"
    assert "children" not in nested["children"][1]["children"][0], "a session is never inside itself"


def test_what_is_nested_too_deeply_is_told_as_text() -> None:
    deep: Any = "bottom"
    for _ in range(400):
        deep = [deep]
    one = Message(id="m", role=Role.USER, author=Author.HUMAN, extra={"deep": deep})
    text = text_of(Session(agent="gemini", id="s", messages=(one,)))
    judge_vac(text)
    assert "bottom" in text
