"""The names of OpenCode in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import AgentDescription, Message, Session, ToolCall

_OF_MESSAGES = ("directory", "provider", "mode", "effort", "subagent")


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
    before = silent = (None,) * len(_OF_MESSAGES)
    is_subagent = session.parent is not None
    for message in session.messages:
        extra = message.extra
        path, agent = extra.get("path"), extra.get("agent") if is_subagent else None
        place = path.get("cwd") if isinstance(path, dict) else None
        said = (place, extra.get("providerID"), extra.get("mode"), extra.get("variant"), agent)
        # Nearly every message says the same again, or nothing.
        if said not in (before, silent):
            before = said
            yield from zip(_OF_MESSAGES, said, strict=True)


def compacts(message: Message) -> bool:
    """The place in which a compaction was asked for has no words."""
    parts = message.extra.get("parts")
    return isinstance(parts, list) and any(isinstance(p, dict) and p.get("type") == "compaction" for p in parts)


def answer(_call: ToolCall) -> Any:
    """A tool's answer is kept as text alone."""
    return None
