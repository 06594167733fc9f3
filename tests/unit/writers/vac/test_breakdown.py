"""The published rules by which a native session becomes a record, on a session like the one they are told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pollux import registry
from pollux.library.library import Library
from pollux.writers.base import Options, WriterContext
from tests.unit.writers.judges_of_records import judge_vac

CALL: dict[str, Any] = {
    "id": "search_file_content-1770744484519-a47bac6cd4faf",
    "name": "search_file_content",
    "args": {"pattern": "frame_offset"},
    "result": [
        {
            "functionResponse": {
                "id": "search_file_content-1770744484519-a47bac6cd4faf",
                "name": "search_file_content",
                "response": {"output": 'Found 22 matches for "frame_offset"'},
            }
        }
    ],
    "status": "success",
    "timestamp": "2026-02-10T17:28:05.832Z",
    "resultDisplay": "Found 22 matches",
    "displayName": "SearchText",
    "description": "Searches quickly",
    "renderOutputAsMarkdown": True,
}
FAILED = {
    **CALL,
    "id": "run_shell_command-1-a",
    "name": "run_shell_command",
    "status": "error",
    "result": [
        {
            "functionResponse": {
                "id": "run_shell_command-1-a",
                "name": "run_shell_command",
                "response": {"error": "command not found"},
            }
        }
    ],
}
KILLED = {key: value for key, value in CALL.items() if key != "result"} | {"id": "x-2", "status": "executing"}
TOKENS = {"input": 13283, "output": 21, "cached": 8147, "thoughts": 248, "tool": 0, "total": 13552}
THOUGHT = {"subject": "Looking", "description": "I look.", "timestamp": "2026-02-10T17:28:03.479Z"}
NATIVE = {
    "sessionId": "08c1f87b-ff3b-48ff-9d6f-524e2bbf89b9",
    "projectHash": "79" * 32,
    "startTime": "2026-02-10T17:27:58.644Z",
    "lastUpdated": "2026-02-10T17:35:55.624Z",
    "messages": [
        {"id": "m1", "timestamp": "2026-02-10T17:27:58.644Z", "type": "user", "content": "Fix the bug in frame.c"},
        {
            "id": "m2",
            "timestamp": "2026-02-10T17:28:05.832Z",
            "type": "gemini",
            "content": "",
            "toolCalls": [CALL, FAILED, KILLED],
            "thoughts": [THOUGHT],
            "model": "gemini-3-pro-preview",
            "tokens": TOKENS,
        },
        {"id": "m3", "timestamp": "2026-02-10T17:28:06.000Z", "type": "info", "content": "Up to date."},
    ],
}


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "session-2026-02-10T17-27-08c1f87b.json"
    file.write_text(json.dumps(NATIVE), "utf-8")
    environ = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    session = Library(environ, tmp_path, hunt=False).open(file)
    pieces: list[str] = []
    registry.writer("vac").write(session, pieces.append, Options(), WriterContext(knowledge=registry.knowledge))
    judge_vac("".join(pieces))
    whole: dict[str, Any] = json.loads("".join(pieces))
    return whole


def test_the_wrapper(record: dict[str, Any]) -> None:
    session = record["session"]
    assert record["version"] == "3.0.0-draft"
    assert record["id"] == session["session-id"] == NATIVE["sessionId"]
    assert record["created"] == session["session-start"] == NATIVE["startTime"]
    assert session["session-end"] == NATIVE["lastUpdated"]
    assert session["projectHash"] == NATIVE["projectHash"]
    assert session["agent-meta"] == {
        "model-id": "gemini-3-pro-preview",
        "model-provider": "google",
        "cli-name": "gemini-cli",
    }
    assert record["recording-agent"]["name"] == "pollux"


def test_messages_are_renamed(record: dict[str, Any]) -> None:
    prompt, turn, notice = record["session"]["entries"]
    assert {name: prompt[name] for name in ("type", "id", "timestamp", "content")} == NATIVE["messages"][0]
    assert (turn["type"], turn["content"], turn["model-id"]) == ("assistant", "", "gemini-3-pro-preview")
    assert turn["token-usage"] == {**TOKENS, "reasoning": 248}
    assert (notice["type"], notice["event-type"], notice["data"]) == (
        "system-event",
        "info",
        {"content": "Up to date."},
    )


def test_thoughts_and_calls_are_children(record: dict[str, Any]) -> None:
    thought, call, result, failed, error, killed = record["session"]["entries"][1]["children"]
    assert thought == {
        "type": "reasoning",
        "content": "I look.",
        "subject": "Looking",
        "timestamp": THOUGHT["timestamp"],
    }
    direct = ("name", "timestamp", "resultDisplay", "displayName", "description", "renderOutputAsMarkdown")
    assert {name: call[name] for name in direct} == {name: CALL[name] for name in direct}
    assert (call["type"], call["input"], call["call-id"]) == ("tool-call", CALL["args"], CALL["id"])
    assert (result["type"], result["output"], result["status"]) == ("tool-result", CALL["result"], "success")
    assert (result["call-id"], result["timestamp"], result["is-error"]) == (CALL["id"], CALL["timestamp"], False)
    assert (failed["type"], error["output"], error["is-error"]) == ("tool-call", FAILED["result"], True)
    assert (killed["type"], killed["status"]) == ("tool-call", "executing")
