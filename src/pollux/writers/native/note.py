"""The note with which a handed-over conversation begins, for the model to read, and for pollux to know it by."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from pollux.model import Value

_NOTE = re.compile(r"\s*\[pollux: handed over from ([^\n]+) at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\]")


class Handover(Value, frozen=True, kw_only=True):
    """From which session a conversation was handed over, and when."""

    origin: str
    at: datetime


def write_note(handover: Handover, agent_title: str) -> str:
    """The note. `agent_title` is the name of the agent that the conversation comes from."""
    at = handover.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return (
        f"[pollux: handed over from {handover.origin} at {at}Z]\n"
        f"The conversation below was held with {agent_title}, and its tool calls have the names of that agent's tools. "
        "Use your own tools from now on, and look at files again before you rely on what was said about them: "
        "they may have changed since. This note asks for nothing; wait for the next request."
    )


def read_note(text: str) -> Handover | None:
    """What a note says; None for any other text."""
    match = _NOTE.match(text)
    if match is None:
        return None
    try:
        return Handover(origin=match[1], at=datetime.fromisoformat(match[2]))
    except ValueError:  # no such day
        return None
