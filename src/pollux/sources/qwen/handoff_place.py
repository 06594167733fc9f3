"""Qwen Code takes no conversation over: nobody has proved that it goes on with records that it did not write."""

from __future__ import annotations

from typing import NoReturn

from pollux.errors import CannotResume
from pollux.sources.handoff_place import HandoffRequest

INSTRUCTIONS = "QWEN.md"


def handoff_place(_request: HandoffRequest) -> NoReturn:
    """Raises `CannotResume`."""
    raise CannotResume(
        "agent",
        "pollux does not know how to hand a conversation over to Qwen Code.",
        "Try: pollux export KEY --to markdown, and show it to the agent",
    )
