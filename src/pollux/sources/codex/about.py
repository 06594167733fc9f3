"""What Codex CLI is called elsewhere, and what its sessions tell of their surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pollux.model import About, Message, Session


def about(session: Session) -> About:
    """The release that wrote the session, who served its models, and the checkout it worked in."""
    meta = _inner(session.extra, "meta")
    git = _inner(meta, "git")
    return About(
        program="codex-cli",
        harness="codex_cli",
        vendor=_text(meta, "model_provider") or "openai",
        trace="codex-jsonl",
        version=_text(meta, "cli_version"),
        branch=_text(git, "branch"),
        revision=_text(git, "commit_hash"),
        repository=_text(git, "repository_url"),
    )


def compacts(message: Message) -> bool:
    """A compaction whose summary only the vendor can read leaves a record without words."""
    return "compacted" in message.extra


def _inner(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = record.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(record: Mapping[str, Any], name: str) -> str | None:
    found = record.get(name)
    return found if isinstance(found, str) and found else None
