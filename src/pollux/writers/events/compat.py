"""The eight types of session-signals with exactly their fields, and the account of what that leaves out."""

from __future__ import annotations

from typing import Any

from pollux.model import (
    Attachment,
    Author,
    Context,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.base import Fabrication
from pollux.writers.loss import (
    BYTES,
    CLIENT_TEXTS,
    DETAILS,
    FIGURES,
    FILE_TEXTS,
    LINKED,
    NOTHING,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    THINKING,
    LossCounter,
)

SESSION_SIGNALS = "session-signals"
TYPES = (
    *("session_start", "session_end", "user_prompt", "tool_use", "tool_result"),
    *("permission_request", "permission_result", "compaction"),
)
FIELDS = ("id", "timestamp", "harness", "type", "session_id", "tool_name", "tool_input", "tool_result", "cwd")
REPLIES = "words of the model"

NO_ROOM = "the eight types have no place for them"
WHY = {
    **dict.fromkeys((NOTHING, THINKING, FIGURES, CLIENT_TEXTS, ODDITIES, DETAILS, LINKED, NOTICES, ORIGINS), NO_ROOM),
    **dict.fromkeys((BYTES, FILE_TEXTS, REPLIES, OUTPUTS), NO_ROOM),
    NOTHING: "no event of the eight types, or the results stand with their calls",
}
ASSUMED = Fabrication("success of results without a call", "the format wants to know, and nobody recorded it")


class Signals:
    """Makes session-signals events from ours, and counts what is lost."""

    def __init__(self, tally: LossCounter) -> None:
        self._tally = tally
        self.fabricated: list[Fabrication] = []

    def event(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """The event as session-signals has it; None where it has none of the kind."""
        if event["type"] not in TYPES:
            return None
        signal = {name: event[name] for name in FIELDS if name in event}
        if event["type"] == "user_prompt":
            signal["message"] = event["message"]
        if "tool_result" in signal and signal["tool_result"]["success"] is None:
            signal["tool_result"] = {**signal["tool_result"], "success": True}
            self.fabricated = [ASSUMED]
        extras = {"content_index": event["seq"], "raw_tool_name": event.get("raw_tool_name")}
        signal["metadata"] = {name: value for name, value in extras.items() if value is not None}
        return signal

    def missing(self, message: Message) -> None:
        """Count what is missing of a message."""
        self._tally.message(message)
        self._tally.drop(FIGURES, message.usage is not None or message.model is not None)
        for part in message.parts:
            self._tally.part(part)
            self._part(message, part)

    def _part(self, message: Message, part: Part) -> None:
        match part:
            case Thinking():
                self._tally.drop(THINKING)
            case Text():
                prompt = message.role is Role.USER and message.author is not Author.CLIENT
                model = message.role is Role.ASSISTANT and message.author is Author.MODEL
                self._tally.drop(REPLIES if model else CLIENT_TEXTS, not prompt)
            case SummaryPart() | Context():
                self._tally.drop(CLIENT_TEXTS)
            case FileReference():
                self._tally.drop(FILE_TEXTS)
            case Attachment():
                self._tally.drop(BYTES)
                self._tally.drop(DETAILS, bool(part.extra))
            case Unknown():
                self._tally.drop(ODDITIES)
            case ToolCall():
                unfinished = part.status is Status.UNFINISHED and part.output is None
                self._tally.drop(DETAILS, part.exit_code is not None or part.child is not None)
                self._tally.drop(OUTPUTS, unfinished and bool(part.attachments))
            case ToolResult():
                pass
        for file in getattr(part, "attachments", ()):
            self._tally.drop(BYTES)
            self._tally.drop(DETAILS, bool(file.extra))

    def session(self, session: Session) -> None:
        """Count what is missing of the session."""
        self._tally.session(session)
        self._tally.drop(DETAILS, (session.title is not None) + (session.parent is not None))
