"""The names of Gemini CLI in other formats, and a tool's answer as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import AgentDescription, Session
from pollux.sources.gemini_sessions.answers import answer, compacts

__all__ = ["answer", "compacts", "describe", "facts"]


def describe(_session: Session) -> AgentDescription:
    """Gemini CLI records neither its version nor the checkout it works in."""
    return AgentDescription(
        program="gemini-cli", harness="gemini_cli", vendor="google", trace="gemini-json", answered=True
    )


def facts(session: Session) -> Iterator[tuple[str, Any]]:
    """The directories that were added, and how the user signed in."""
    directories = session.extra.get("directories")
    yield from (("directory", directory) for directory in (directories if isinstance(directories, list) else ()))
    yield "provider", session.extra.get("authType")
