"""The names of Claude Code in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pollux.model import AgentDescription, Message, Session, ToolCall

_NO_BRANCH = ("", "HEAD")
_SETTING = {
    "gitBranch": "branch",
    "cwd": "directory",
    "version": "version",
    "entrypoint": "client",
    "permissionMode": "mode",
    "effort": "effort",
    "slug": "name",
}
_has_no_setting = _SETTING.keys().isdisjoint


def describe(session: Session) -> AgentDescription:
    """The release that wrote the session, and its branch: "HEAD" means none, also outside of git."""
    version, branch = (session.extra.get(name) for name in ("version", "gitBranch"))
    return AgentDescription(
        program="claude-code",
        harness="claude_code",
        vendor="anthropic",
        trace="claude-jsonl",
        version=version if isinstance(version, str) and version else None,
        branch=branch if isinstance(branch, str) and branch not in _NO_BRANCH else None,
    )


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """The setting of the session's first line, and of each line that changes it."""
    for setting in (session.extra, *(message.extra for message in session.messages if message.extra)):
        if not _has_no_setting(setting):
            for key, name in _SETTING.items():
                if key in setting and not (name == "branch" and setting[key] in _NO_BRANCH):
                    yield name, setting[key]
        if "thinkingMetadata" in setting:
            yield "effort", _inner(setting, "thinkingMetadata").get("level")
    yield "subagent", _inner(session.extra, "meta").get("agentType")
    records = _inner(session.extra, "records")
    for kind, key, name in (("permission-mode", "permissionMode", "mode"), ("agent-name", "agentName", "name")):
        for record in records.get(kind) or ():
            if isinstance(record, dict):
                yield name, record.get(key)


def _inner(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def answer(_call: ToolCall) -> Any:
    """A tool's answer is kept as text alone."""
    return None


def compacts(_message: Message) -> bool:
    """A compaction always has its summary."""
    return False
