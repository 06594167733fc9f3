"""The names of Qwen Code in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import AgentDescription, Message, Session, SummaryPart, ToolCall
from pollux.sources.gemini_sessions import answers

_FACTS = {"version": "version", "gitBranch": "branch", "cwd": "directory", "agentName": "subagent"}


def describe(session: Session) -> AgentDescription:
    """The release that wrote the session last, and its branch."""
    return AgentDescription(
        program="qwen-code",
        harness="qwen_code",
        vendor="alibaba",
        trace="qwen-jsonl",
        version=_last(session, "version"),
        branch=_last(session, "gitBranch"),
    )


def _last(session: Session, name: str) -> str | None:
    values = session.extra.get(name)
    return str(values[-1]) if isinstance(values, list) and values else None


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """Releases, branches and directories, each as long as it held; who served the models."""
    for key, name in _FACTS.items():
        values = session.extra.get(key)
        yield from ((name, value) for value in (values if isinstance(values, list) else ()))


def answer(call: ToolCall) -> Any:
    """A tool's answer as it was written, where it is not text alone."""
    return call.extra.get("response")


def compacts(message: Message) -> bool:
    """Does a message only say that the conversation was compacted? The summary stands in it since 0.4."""
    if "compression" in message.extra:
        return not any(type(part) is SummaryPart for part in message.parts)
    return answers.compacts(message) and "command" not in message.extra
