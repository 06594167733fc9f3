"""Invented sessions of Copilot CLI, event by event."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Session
from pollux.registry import source
from pollux.sources.base import SourceContext

ID = "11111111-aaaa-4000-8000-000000000001"
MODEL = "orion-large"


class Log:
    """The events of a session, each a second after the one before."""

    def __init__(self, id: str = ID) -> None:
        self.id = id
        self.events: list[dict[str, Any]] = []

    def add(self, kind: str, data: dict[str, Any], **envelope: Any) -> Log:
        number = len(self.events)
        time = f"2026-03-01T10:{number // 60:02}:{number % 60:02}.000Z"
        parent = self.events[-1]["id"] if self.events else None
        event = {"type": kind, "data": data, "id": f"e{number}", "timestamp": time, "parentId": parent}
        self.events.append({**event, **envelope})
        return self

    def start(self, **data: Any) -> Log:
        context = {"cwd": "/home/mia/garden", "branch": "main"}
        return self.add("session.start", {"sessionId": self.id, "copilotVersion": "1.0.66", "context": context, **data})

    def resume(self) -> Log:
        return self.add("session.resume", {"resumeTime": "2026-03-01T10:00:00.000Z", "selectedModel": MODEL})

    def ask(self, text: str, **data: Any) -> Log:
        return self.add("user.message", {"content": text, **data}).add("assistant.turn_start", {"turnId": "0"})

    def answer(self, text: str, *calls: dict[str, Any], **data: Any) -> Log:
        return self.add("assistant.message", {"content": text, "toolRequests": list(calls), "model": MODEL, **data})

    def shutdown(self, count: int, sent: int, output: int) -> Log:
        usage = {"inputTokens": sent, "outputTokens": output, "cacheReadTokens": 0, "cacheWriteTokens": 0}
        metrics = {MODEL: {"requests": {"count": count, "cost": 0}, "usage": usage}}
        return self.add("session.shutdown", {"shutdownType": "routine", "modelMetrics": metrics})

    def used(self, number: int, sent: int, output: int, session: str = ID, **envelope: Any) -> Log:
        accounting = {"sourceSessionId": session, "sequence": number, "usageId": f"r{number}"}
        figures = {"model": MODEL, "inputTokens": sent, "outputTokens": output, "apiCallId": f"r{number}"}
        return self.add("session.usage_record", {"usage": {**figures, "accounting": accounting}}, **envelope)


def call(id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"toolCallId": id, "name": name, "arguments": arguments, "type": "function"}


class Home:
    """A home with such sessions."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.root = folder / ".copilot" / "session-state"

    def put(self, log: Log, **workspace: str) -> Path:
        folder = self.root / log.id
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "events.jsonl"
        path.write_text("".join(json.dumps(event) + "\n" for event in log.events))
        if workspace:
            lines = [f"{key}: {value}\n" for key, value in workspace.items()]
            (folder / "workspace.yaml").write_text("".join(lines))
        return path

    def store(self, turns: list[tuple[Any, ...]], requests: Iterable[tuple[Any, ...]] = ()) -> Path:
        """A store with turns (session, index, prompt, answer) and requests (session, turn, agent, input, output)."""
        self.root.mkdir(parents=True, exist_ok=True)
        path = self.root.parent / "session-store.db"
        with closing(sqlite3.connect(path)) as made:
            made.execute("CREATE TABLE sessions (id TEXT, cwd TEXT, summary TEXT, created_at TEXT)")
            made.execute(
                "CREATE TABLE turns (id INTEGER PRIMARY KEY, session_id, turn_index, user_message, assistant_response,"
                " timestamp)"
            )
            made.execute(
                "CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY, session_id, turn_index, agent_id,"
                " parent_tool_call_id, model, input_tokens, output_tokens, initiator, created_at)"
            )
            made.execute("CREATE TABLE secrets (token TEXT)")
            for id in dict.fromkeys(turn[0] for turn in turns):
                made.execute(
                    "INSERT INTO sessions VALUES (?, '/home/mia/garden', 'Peas', '2026-03-01T10:00:00.000Z')", (id,)
                )
            for turn in turns:
                made.execute(
                    "INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp)"
                    " VALUES (?, ?, ?, ?, '2026-03-01T10:01:00.000Z')",
                    turn,
                )
            for session, number, agent, sent, output in requests:
                made.execute(
                    "INSERT INTO assistant_usage_events (session_id, turn_index, agent_id, model, input_tokens,"
                    " output_tokens, initiator, created_at)"
                    " VALUES (?, ?, ?, ?, ?, ?, 'user', '2026-03-01T10:00:30.000Z')",
                    (session, number, agent, MODEL, sent, output),
                )
            made.commit()
        return path

    def sessions(self) -> dict[str, Session]:
        return {session.id: session for session in self._read()}

    def _read(self) -> Iterator[Session]:
        copilot = source("copilot")
        for root in copilot.roots({}, self.home):
            for bundle in copilot.bundles(root.path, list(copilot.find(root.path)), SourceContext()):
                yield from copilot.read(bundle).sessions

    def session(self, log: Log, **workspace: str) -> Session:
        self.put(log, **workspace)
        return self.sessions()[log.id]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
