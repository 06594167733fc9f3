"""The account of what a trace without words leaves out."""

from __future__ import annotations

from pollux.model import (
    Attachment,
    Context,
    FileReference,
    Message,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.tally import (
    BYTES,
    CLIENT_TEXTS,
    DETAILS,
    FACTS,
    FIGURES,
    FILE_TEXTS,
    INPUTS,
    LINKED,
    NOTHING,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    TEXTS,
    THINKING,
    Tally,
)

WORDS = {
    Text: TEXTS,
    SummaryPart: TEXTS,
    Thinking: THINKING,
    Context: CLIENT_TEXTS,
    FileReference: FILE_TEXTS,
    Attachment: BYTES,
    Unknown: ODDITIES,
}

WHY = {
    NOTHING: "a span is a reply or a tool call; the other messages come with --content",
    **dict.fromkeys(
        (TEXTS, THINKING, CLIENT_TEXTS, FILE_TEXTS, BYTES, ODDITIES, INPUTS, OUTPUTS), "they come with --content"
    ),
    FIGURES: "they belong to replies, and are not counted twice where a session was copied",
    FACTS: "a span has no attribute for them",
    **dict.fromkeys((DETAILS, NOTICES, LINKED, ORIGINS), "a span has no attribute for them"),
}


def silent(message: Message, tally: Tally) -> None:
    """Count everything that was said and done in a message."""
    for part in message.parts:
        if (what := WORDS.get(type(part))) is not None:
            tally.drop(what)
        elif isinstance(part, ToolCall | ToolResult):
            tally.drop(INPUTS, isinstance(part, ToolCall) and part.input is not None)
            tally.drop(OUTPUTS, part.output is not None)
        tally.drop(BYTES, len(getattr(part, "attachments", ())))
