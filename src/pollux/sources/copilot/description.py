"""The names of Copilot CLI in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pollux.model import AgentDescription, Message, Session, ToolCall


def describe(session: Session) -> AgentDescription:
    """The release that began the session, and the checkout it worked in."""
    start = _inner(session.extra, "start")
    context = _inner(start, "context")
    return AgentDescription(
        program="copilot-cli",
        harness="copilot_cli",
        vendor="github",
        trace="copilot-jsonl",
        version=_text(start, "copilotVersion"),
        branch=_text(context, "branch"),
        revision=_text(context, "headCommit"),
        repository=_text(context, "repository"),
    )


_CONTEXT = {
    "branch": "branch",
    "headCommit": "commit",
    "repository": "repository",
    "cwd": "directory",
    "gitRoot": "directory",
}
_WORKSPACE = {"branch": "branch", "repository": "repository", "cwd": "directory", "client_name": "client"}
_TELLING = ("session.resume", "session.context_changed", "session.mode_changed", "session.model_change")
_CHANGES = {"newMode": "mode", "mode": "mode", "reasoningEffort": "effort"}


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """What the session's first event says, each resumption, and its folder."""
    start = _inner(session.extra, "start")
    yield "version", start.get("copilotVersion")
    data = _data(session)
    for record in (start, *data["session.resume"], *data["session.context_changed"]):
        context = _inner(record, "context") or record
        for key, name in _CONTEXT.items():
            yield name, context.get(key)
        yield "effort", record.get("reasoningEffort")
    workspace = _inner(session.extra, "workspace")
    for key, name in _WORKSPACE.items():
        yield name, workspace.get(key)
    for kind in ("session.mode_changed", "session.model_change"):
        for record in data[kind]:
            for key, name in _CHANGES.items():
                yield name, record.get(key)
    for message in session.messages:
        if message.usage is not None:
            yield "provider", message.usage.native.get("providerType")
    subagent = _inner(session.extra, "subagent")
    yield "subagent", subagent.get("agentName")
    yield "name", subagent.get("agentDisplayName")


def compacts(message: Message) -> bool:
    """A compaction that gave no summary leaves a message without words."""
    return "compaction" in message.extra and not message.parts


def answer(_call: ToolCall) -> Any:
    """A tool's answer is kept as text alone."""
    return None


def _data(session: Session) -> dict[str, list[dict[str, Any]]]:
    """The data of the events that tell facts and are not part of the conversation, by their type."""
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _TELLING}
    for record in session.extra.get("records") or ():
        kind = record.get("kind")
        if kind in found:
            found[kind].append(_inner(_inner(record, "record"), "data"))
    return found


def _inner(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
