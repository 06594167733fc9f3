"""Saved and shared conversations, exports, and captured output, wherever they lie."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import Unreadable
from pollux.library.library import Library
from pollux.model import Context, Kind, Session, ToolCall, ToolResult
from tests.unit.sources.gemini.conftest import document, gemini, user

TURNS: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat.\nx"}]},
    {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
    {"role": "user", "parts": [{"text": "Look"}]},
    {
        "role": "model",
        "parts": [
            {"text": "Looking."},
            {"functionCall": {"name": "glob", "args": {"pattern": "*"}}},
            {"functionCall": {"name": "glob", "args": {"pattern": "b"}}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "g-1", "name": "glob", "response": {"output": "a.py"}}},
            {"functionResponse": {"id": "g-2", "name": "glob", "response": {"error": "bad"}}},
        ],
    },
    {"role": "model", "parts": [{"text": "One file."}]},
]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(environ={"HOME": str(tmp_path / "nowhere")}, cwd=tmp_path)


def opened(library: Library, tmp_path: Path, name: str, content: Any) -> Session:
    file = tmp_path / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return library.session(str(file))


def calls(session: Session) -> list[tuple[str, Any, str, str | None]]:
    return [
        (p.name, p.input, p.status.value, p.output)
        for m in session.messages
        for p in m.parts
        if isinstance(p, ToolCall)
    ]


@pytest.mark.parametrize(
    "content",
    [
        TURNS,
        {"history": TURNS},
        {"history": TURNS, "authType": "oauth"},
        {"clientHistory": TURNS, "toolCall": {"name": "replace"}},
        {"history": [{"type": "user", "text": "List it", "id": 1}], "clientHistory": TURNS, "filePath": "/a.py"},
    ],
)
@pytest.mark.parametrize("name", ["checkpoint-my%20trip.json", "share.json", "whatever.txt"])
def test_a_kept_conversation_in_every_shape(library: Library, tmp_path: Path, content: Any, name: str) -> None:
    session = opened(library, tmp_path, name, content)
    assert session.kind is Kind.CHECKPOINT
    assert [(m.role.value, m.author.value) for m in session.messages[:3]] == [
        ("user", "client"),
        ("assistant", "client"),
        ("user", "human"),
    ]
    assert [m.text for m in session.prompts] == ["Look"]
    assert calls(session) == [("glob", {"pattern": "*"}, "ok", "a.py"), ("glob", {"pattern": "b"}, "error", "bad")]
    assert session.usage.total is None
    if name.startswith("checkpoint"):
        assert session.title == "my trip"
    assert library.session(str(tmp_path / name)).id == session.id


@pytest.mark.parametrize(
    "parts",
    [
        [{"text": "<session_context>\nx\n</session_context>"}, {"text": "Look"}],
        [{"text": "<session_context>\nx\n</session_context>\n\nLook"}],
    ],
)
def test_the_context_fused_with_the_first_prompt_is_parted(library: Library, tmp_path: Path, parts: Any) -> None:
    fused = {"role": "user", "parts": parts}
    session = opened(library, tmp_path, "share.json", [fused, {"role": "model", "parts": [{"text": "ok"}]}])
    assert [m.text for m in session.prompts] == ["Look"]
    assert [p.source for p in session.messages[0].parts if isinstance(p, Context)] == ["session"]


def test_an_exported_session_reads_like_any_other(library: Library, tmp_path: Path) -> None:
    exported = {
        **document([user("u1", "hi"), gemini("g1", "hello")]),
        "messageCount": 2,
        "userMessageCount": 1,
        "firstUserMessage": "hi",
        "hasResumableContent": True,
    }
    session = opened(library, tmp_path, "export.json", exported)
    assert (session.id, session.usage.input, session.notices) == ("aaaaaaaa-1", 10, ())


def test_captured_json_output(library: Library, tmp_path: Path) -> None:
    tokens = {"prompt": 100, "candidates": 10, "total": 115, "cached": 20, "thoughts": 5, "tool": 0}
    stats = {"models": {"gemini-2.5-pro": {"api": {"totalRequests": 2}, "tokens": tokens}}, "tools": {"totalCalls": 1}}
    session = opened(library, tmp_path, "out.json", {"session_id": "abc", "response": "Oslo.", "stats": stats})
    assert (session.id, session.messages[0].text, session.messages[0].model) == ("abc", "Oslo.", "gemini-2.5-pro")
    usage = session.usage
    assert (usage.input, usage.cached, usage.output, usage.reasoning, usage.total, usage.requests) == (
        100,
        20,
        15,
        5,
        115,
        2,
    )


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ({}, (102, 20, 15, 5, True)),
        ({"thoughts": -3}, (102, 20, None, None, False)),
        ({"tool": "x"}, (None, 20, 15, 5, False)),
        ({"candidates": None}, (102, 20, None, 5, False)),
        ({"cached": 10**7}, (102, None, 15, 5, None)),
    ],
)
def test_captured_figures_that_are_odd(
    library: Library, tmp_path: Path, odd: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    tokens = {"prompt": 100, "candidates": 10, "total": 115, "cached": 20, "thoughts": 5, "tool": 2, **odd}
    stats = {"models": {"gemini-2.5-pro": {"api": {"totalRequests": 2}, "tokens": tokens}}}
    used = opened(library, tmp_path, "out.json", {"session_id": "abc", "response": "Oslo.", "stats": stats}).usage
    assert (used.input, used.cached, used.output, used.reasoning, used.exact) == expected


def test_captured_stream(library: Library, tmp_path: Path) -> None:
    at = "2026-11-15T06:00:00.000Z"
    events = [
        {"type": "init", "timestamp": at, "session_id": "abc", "model": "gemini-2.5-pro"},
        {"type": "message", "timestamp": at, "role": "user", "content": "Count"},
        {"type": "message", "timestamp": at, "role": "assistant", "content": "I ", "delta": True},
        {"type": "message", "timestamp": at, "role": "assistant", "content": "count.", "delta": True},
        {
            "type": "tool_use",
            "timestamp": at,
            "tool_name": "run_shell_command",
            "tool_id": "t1",
            "parameters": {"command": "wc"},
        },
        {
            "type": "tool_result",
            "timestamp": at,
            "tool_id": "t1",
            "status": "success",
            "output": "Output: 3\nExit Code: 1",
        },
        {"type": "message", "timestamp": at, "role": "assistant", "content": "Three.", "delta": True},
        {"type": "sparkle", "timestamp": at},
        {"type": "error", "timestamp": at, "severity": "warning", "message": "slow"},
        {
            "type": "result",
            "timestamp": at,
            "status": "success",
            "stats": {"total_tokens": 120, "input_tokens": 100, "output_tokens": 15, "cached": 40, "tool_calls": 1},
        },
    ]
    session = opened(library, tmp_path, "stream.jsonl", "\n".join(json.dumps(event) for event in events))
    assert (session.id, [m.text for m in session.messages]) == ("abc", ["Count", "I count.", "Three.", "", "slow"])
    assert calls(session) == [("run_shell_command", {"command": "wc"}, "error", "Output: 3\nExit Code: 1")]
    assert (session.usage.input, session.usage.output, session.usage.cached, session.usage.total) == (100, 20, 40, 120)
    assert [notice.subject for notice in session.notices] == ["event 'sparkle'"]


@pytest.mark.parametrize(
    "content", ["", "hello", "{}", "[]", "7", '{"a": 1}', "[" * 100_000, '{"history": 7}', "\x00\x00"]
)
def test_a_file_that_is_no_session_gets_a_clear_sentence(library: Library, tmp_path: Path, content: str) -> None:
    with pytest.raises(Unreadable, match=r"\.$"):
        opened(library, tmp_path, "session-x.json", content)


def test_a_folder_or_nothing_instead_of_a_file(library: Library, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="is a folder"):
        library.session(str(tmp_path))
    with pytest.raises(Unreadable, match="No such file"):
        library.session(str(tmp_path / "gone.json"))


def test_answers_without_ids_are_told_once(library: Library, tmp_path: Path) -> None:
    """The shape of a published note: no ids, and the tool's name once more inside its answer."""

    def asked(name: str) -> dict[str, Any]:
        return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {"target_file": "/a"}}}]}

    def answered(name: str, content: Any) -> dict[str, Any]:
        record = {"name": name, "response": {"name": name, "content": content}}
        return {"role": "user", "parts": [{"functionResponse": record}]}

    turns = [
        {"role": "user", "parts": [{"text": "Look"}]},
        *(asked("read_file"), answered("read_file", "words")),
        *(asked("run_shell_command"), answered("run_shell_command", {"error": "not found"})),
        answered("run_shell_command", "nobody asked"),
    ]
    session = opened(library, tmp_path, "session-2025-09-18T02-45-3b44bc68.json", {"history": turns})
    assert [(status, output) for *_, status, output in calls(session)] == [("ok", "words"), ("error", "not found")]
    results = [part.output for m in session.messages for part in m.parts if isinstance(part, ToolResult)]
    assert results == [None, None, "nobody asked"]
    assert session.started == datetime(2025, 9, 18, 2, 45, tzinfo=UTC)


def test_a_human_by_another_name(library: Library, tmp_path: Path) -> None:
    session = opened(library, tmp_path, "s.json", document([user("u1", "Fix it", type="human"), gemini("g1", "Done")]))
    assert ([prompt.text for prompt in session.prompts], session.notices) == (["Fix it"], ())
    assert session.messages[0].extra["type"] == "human"
