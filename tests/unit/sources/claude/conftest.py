"""Small homes, written as Claude Code would write them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session, ToolCall
from tests.unit.sources.agent_home import AgentHome

Json = dict[str, Any]
SID = "aaaaaaaa-0000-4000-8000-000000000001"
OTHER = "bbbbbbbb-0000-4000-8000-000000000002"
PROJECT = "-work-weather"
CWD = "/work/weather"


class Home(AgentHome):
    """A home directory with a `.claude` in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, ".claude/projects")
        self.config = path / ".claude"
        self.projects = self.config / "projects"

    def log(self, name: str, *records: Json, project: str = PROJECT) -> Path:
        """A transcript: one record a line."""
        return self.write(f"{project}/{name}.jsonl", json_lines(*records))

    def session(self, *records: Json) -> Session:
        """The session that these records make."""
        self.log(SID, *in_chain(records))
        return self.sessions()[SID]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def json_lines(*records: Json) -> str:
    return "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records)


_numbers = itertools.count(1)


def line(kind: str, **more: Any) -> Json:
    """A record of the tree with an id of its own."""
    number = next(_numbers)
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": CWD,
        "sessionId": SID,
        "version": "2.1.112",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"{number:08x}-1111-4111-8111-{number:012x}",
        "timestamp": f"2026-11-15T{6 + number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
        **more,
    }


def user(content: Any, **more: Any) -> Json:
    return line("user", message={"role": "user", "content": content}, **more)


def usage(output: int = 5, fresh: int = 10, written: int = 2, cached: int = 3) -> Json:
    figures = {"input_tokens": fresh, "cache_creation_input_tokens": written, "cache_read_input_tokens": cached}
    return {**figures, "output_tokens": output, "service_tier": "standard"}


def model(
    block: Json | str, name: str = "msg_1", stop: str | None = "end_turn", figures: Json | None = None, **more: Any
) -> Json:
    """One line of an API reply."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block]
    message = {
        "model": "claude-opus-5-5",
        "id": name,
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": figures or usage(),
    }
    return line("assistant", message=message, **more)


def call(name: str = "toolu_1", tool: str = "Bash", message: str = "msg_1", **arguments: Any) -> Json:
    return model({"type": "tool_use", "id": name, "name": tool, "input": arguments}, message, "tool_use")


def result(
    name: str = "toolu_1", content: Any = "done", detail: Any = None, error: bool | None = None, **more: Any
) -> Json:
    block: Json = {"tool_use_id": name, "type": "tool_result", "content": content}
    if error is not None:
        block["is_error"] = error
    fields = {"toolUseResult": detail} if detail is not None else {}
    return user([block], **fields, **more)


def attachment_line(kind: str, **more: Any) -> Json:
    """An attachment."""
    fields = {name: more.pop(name) for name in ("isSidechain", "parentUuid", "rendered") if name in more}
    return line("attachment", attachment={"type": kind, **more}, **fields)


def system(subtype: str, content: str | None = None, **more: Any) -> Json:
    return line("system", subtype=subtype, level="info", **({"content": content} if content else {}), **more)


def compaction(trigger: str = "manual", **more: Any) -> Json:
    metadata = {"trigger": trigger, "preTokens": 7, **more}
    return system("compact_boundary", "Conversation compacted", compactMetadata=metadata, root=True)


SUMMARY = {"isCompactSummary": True}


def in_chain(records: Sequence[Json]) -> list[Json]:
    """Each record of the tree under the one before it, unless it says otherwise."""
    before = None
    for record in records:
        if "uuid" in record:
            if record["parentUuid"] is None and not record.pop("root", False):
                record["parentUuid"] = before
            before = record["uuid"]
    return list(records)


def conversation(session: Session) -> list[tuple[str, str]]:
    """Author and text of everything the human and the model said."""
    return [(m.author.value, m.text) for m in session.messages if m.author.value != "client" and m.text]


def calls(session: Session) -> list[ToolCall]:
    return [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]


def codes(session: Session) -> set[str]:
    return {notice.code for notice in session.notices}
