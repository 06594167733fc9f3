"""The names of OpenCode in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import AgentDescription, Message, Session, ToolCall


def describe(session: Session) -> AgentDescription:
    """The release that made the session, and who served its models."""
    version = session.extra.get("version")
    provider = next((value for name, value in facts(session) if name == "provider" and isinstance(value, str)), None)
    return AgentDescription(
        program="opencode",
        harness="opencode",
        vendor=provider,
        trace="opencode-json",
        version=version if isinstance(version, str) else None,
    )


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """What the session says about itself, then what its messages say."""
    yield "directory", session.project
    yield "version", session.extra.get("version")
    yield "name", session.extra.get("slug")
    for message in session.messages:
        extra = message.extra
        path = extra.get("path")
        if isinstance(path, dict):
            yield "directory", path.get("cwd")
        yield "provider", extra.get("providerID")
        yield "mode", extra.get("mode")
        yield "effort", extra.get("variant")
        if session.parent is not None:
            yield "subagent", extra.get("agent")


def compacts(message: Message) -> bool:
    """The place in which a compaction was asked for has no words."""
    parts = message.extra.get("parts")
    return isinstance(parts, list) and any(isinstance(p, dict) and p.get("type") == "compaction" for p in parts)


def answer(_call: ToolCall) -> Any:
    """A tool's answer is kept as text alone."""
    return None
