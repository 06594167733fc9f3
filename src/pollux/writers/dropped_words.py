"""Counts the texts that a format without words leaves out."""

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
from pollux.writers.loss import (
    BYTES,
    CLIENT_TEXTS,
    FILE_TEXTS,
    INPUTS,
    ODDITIES,
    OUTPUTS,
    TEXTS,
    THINKING,
    LossCounter,
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

DROPPED_WORDS = (TEXTS, THINKING, CLIENT_TEXTS, FILE_TEXTS, BYTES, ODDITIES, INPUTS, OUTPUTS)
"""The names under which that is counted."""


def count_dropped_words(message: Message, tally: LossCounter) -> None:
    """Count everything that was said and done in a message."""
    for part in message.parts:
        if (what := WORDS.get(type(part))) is not None:
            tally.drop(what)
        elif isinstance(part, ToolCall | ToolResult):
            tally.drop(INPUTS, isinstance(part, ToolCall) and part.input is not None)
            tally.drop(OUTPUTS, part.output is not None)
        tally.drop(BYTES, len(getattr(part, "attachments", ())))
