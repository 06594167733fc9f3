"""Conversations are handed over from OpenCode, not to it: that it goes on with a made session was never proved."""

from __future__ import annotations

from typing import NoReturn

from pollux.errors import CannotResume
from pollux.sources.handoff_place import HandoffRequest

INSTRUCTIONS = "AGENTS.md"


def refuse() -> NoReturn:
    """Say so."""
    raise CannotResume(
        "agent",
        "pollux does not know how to hand a conversation over to OpenCode.",
        "Try: pollux export KEY --to markdown, and show it to the agent",
    )


def handoff_place(_request: HandoffRequest) -> NoReturn:
    """There is none."""
    refuse()
