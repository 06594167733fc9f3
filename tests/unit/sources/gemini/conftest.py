"""Small homes, written as Gemini CLI would write them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session
from tests.unit.sources.agent_home import AgentHome

Json = dict[str, Any]
CONTEXT_ID = "d04923d38bb0f6017037e74183378ef4"
LOG = "weather/chats/session-2026-11-15T06-00-aaaaaaaa.jsonl"


class Home(AgentHome):
    """A home directory with a `.gemini` in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, ".gemini/tmp")
        self.tmp = path / ".gemini" / "tmp"

    def log(self, place: str, *records: Json) -> Path:
        """A session log: one record a line."""
        return self.write(place, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))

    def document(self, place: str, document: Any) -> Path:
        """A pretty-printed document."""
        return self.write(place, json.dumps(document, ensure_ascii=False, indent=2))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def header(name: str = "aaaaaaaa-1", project: str = "/work/weather", start: str = "06:00:00", **more: Any) -> Json:
    digest = hashlib.sha256(project.encode()).hexdigest()
    at = f"2026-11-15T{start}.000Z"
    return {"sessionId": name, "projectHash": digest, "startTime": at, "lastUpdated": at, **more}


def document(messages: Iterable[Json], **more: Any) -> Json:
    return {**header(**more), "messages": list(messages)}


def user(name: str, text: Any, at: str = "06:00:01", **more: Any) -> Json:
    content = [{"text": text}] if isinstance(text, str) else text
    return {"id": name, "timestamp": f"2026-11-15T{at}.000Z", "type": "user", "content": content, **more}


def gemini(name: str, text: Any, at: str = "06:00:02", tokens: int | None = 10, **more: Any) -> Json:
    figures = {"input": tokens, "output": 2, "cached": 1, "thoughts": 3, "tool": 0, "total": (tokens or 0) + 5}
    model = {"model": "gemini-2.5-pro"} if tokens is not None else {}
    return {
        "id": name,
        "timestamp": f"2026-11-15T{at}.000Z",
        "type": "gemini",
        "content": text,
        "thoughts": [],
        "tokens": figures if tokens is not None else None,
        **model,
        **more,
    }


def info(name: str, text: str, at: str = "06:00:03", level: str = "info") -> Json:
    return {"id": name, "timestamp": f"2026-11-15T{at}.000Z", "type": level, "content": text}


def context(at: str = "06:00:00") -> Json:
    return user(CONTEXT_ID, "<session_context>\nThis is the Gemini CLI.\n</session_context>", at)


def call(name: str, tool: str = "read_file", output: str | None = "ok", status: str = "success", **more: Any) -> Json:
    result = (
        [{"functionResponse": {"id": name, "name": tool, "response": {"output": output}}}]
        if output is not None
        else None
    )
    return {
        "id": name,
        "name": tool,
        "args": {},
        "result": result,
        "status": status,
        "timestamp": "2026-11-15T06:00:04.000Z",
        **more,
    }


BEGINNING = (header(), {"$set": {"messages": [context()]}}, user("u1", "go"), gemini("g1", "1"))
"""A log as it begins: the client's context, the first prompt, and its answer."""


def conversation(session: Session) -> list[tuple[str, str, str]]:
    """Author, text and fate of everything human and model said."""
    return [(m.author.value, m.text, m.fate.value) for m in session.messages if m.author.value != "client"]
