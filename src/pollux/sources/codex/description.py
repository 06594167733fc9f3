"""The names of Codex CLI in other formats, and the facts about its sessions' surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pollux.model import AgentDescription, Message, Session, ToolCall


def describe(session: Session) -> AgentDescription:
    """The release that wrote the session, who served its models, and the checkout it worked in."""
    meta = _inner(session.extra, "meta")
    git = _inner(meta, "git")
    return AgentDescription(
        program="codex-cli",
        harness="codex_cli",
        vendor=_text(meta, "model_provider") or "openai",
        trace="codex-jsonl",
        version=_text(meta, "cli_version"),
        branch=_text(git, "branch"),
        revision=_text(git, "commit_hash"),
        repository=_text(git, "repository_url"),
    )


_META = {
    "cwd": "directory",
    "cli_version": "version",
    "originator": "client",
    "source": "client",
    "model_provider": "provider",
    "agent_role": "subagent",
    "agent_nickname": "name",
}
_CONTEXT = {"cwd": "directory", "approval_policy": "mode", "effort": "effort"}
_SANDBOX = ("mode", "type")
_GIT = {"branch": "branch", "commit_hash": "commit", "repository_url": "repository"}


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """What each file says about itself, and how the settings changed."""
    for meta in (*_each(session.extra.get("earlier")), _inner(session.extra, "meta")):
        git = _inner(meta, "git")
        for key, name in _GIT.items() if git else ():
            yield name, git.get(key)
        for key, name in _META.items():
            if key in meta:
                yield name, meta[key]
        yield "subagent", _inner(meta, "source").get("subagent")
    for record in _each(session.extra.get("records")):
        if record.get("kind") == "turn_context":
            context = _inner(record, "record")
            sandbox = _inner(context, "sandbox_policy")
            for key, name in _CONTEXT.items():
                if key in context:
                    yield name, context[key]
            for key in _SANDBOX:
                if key in sandbox:
                    yield "mode", sandbox[key]


def _each(records: Any) -> list[dict[str, Any]]:
    """Those of some records that are objects."""
    return [one for one in records or () if isinstance(one, dict)]


def compacts(message: Message) -> bool:
    """A compaction whose summary only the vendor can read leaves a record without words."""
    return "compacted" in message.extra


def _inner(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def answer(_call: ToolCall) -> Any:
    """A tool's answer is kept as text alone."""
    return None
