"""A message in pieces: what was said, a line for each tool call, and all that is only given on request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from pollux.model import (
    Attachment,
    Author,
    Context,
    FileReference,
    Message,
    Part,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.text.fence import harmless, harmless_line
from pollux.text.figures import duration
from pollux.writers.calls import arguments, outcome, whole_input

_CALL = 240
_NAME = 80
_ADDRESS = 120


class Kind(StrEnum):
    """What a piece is. The words after the first three are also those that ask for it."""

    SAID = "said"
    CALL = "tool call"
    FILE = "file"
    RESULT = "results"
    THINKING = "thinking"
    CONTEXT = "context"


ALWAYS = (Kind.SAID, Kind.CALL, Kind.FILE)
"""What is given without being asked for."""


class Piece(NamedTuple):
    """A piece of a message, as it is shown: harmless, and without spaces around it."""

    kind: Kind
    text: str


def pieces(message: Message) -> Iterator[Piece]:
    """All pieces of a message. Empty ones are none."""
    for part in message.parts:
        for kind, text in _pieces(part, message.author):
            shown = harmless(text).strip()
            if shown:
                yield Piece(kind, shown)


def _pieces(part: Part, author: Author) -> Iterator[tuple[Kind, str]]:
    match part:
        case Text(text=text):
            yield (Kind.CONTEXT if author is Author.CLIENT else Kind.SAID), text
        case SummaryPart(text=text):
            yield Kind.SAID, f"(summary of the conversation so far)\n{text}"
        case Thinking(text=text, subject=subject):
            yield Kind.THINKING, f"(thinking) {subject + ': ' if subject else ''}{text}"
        case ToolCall():
            yield from _call(part)
        case ToolResult(output=output, attachments=attachments):
            if output is not None:
                yield Kind.RESULT, f"(result) {output}"
            yield from ((Kind.FILE, _attached(one)) for one in attachments)
        case FileReference(path=path, text=text, attachments=attachments):
            yield Kind.FILE, f"@ {harmless_line(path, _ADDRESS)}"
            if text is not None:
                yield Kind.CONTEXT, f"(file) {text}"
            yield from ((Kind.FILE, _attached(one)) for one in attachments)
        case Attachment():
            yield Kind.FILE, _attached(part)
        case Context(source=source, text=text):
            yield Kind.CONTEXT, f"({source}) {text}"
        case Unknown(raw=raw):
            yield Kind.CONTEXT, f"(unknown) {json.dumps(raw, ensure_ascii=False, default=str)}"


def _call(call: ToolCall) -> Iterator[tuple[Kind, str]]:
    """A call on one line; then the whole of its arguments, if they did not fit, and its result."""
    brief, is_whole = arguments(call.input)
    words = " ".join(f"{one.name}={one.text}" if one.name else one.text for one in brief)
    took = f", {duration(call.seconds)}" if call.seconds is not None else ""
    child = f" · sub-agent {harmless_line(call.child, _ADDRESS)}" if call.child else ""
    line = harmless_line(f"{call.name[:_NAME]} {words}", _CALL)
    yield Kind.CALL, f"→ {line} · {outcome(call)}{took}{child}"
    if not is_whole or len(line) >= _CALL:
        sections = "\n".join(f"{section.label}: {section.text}" for section in whole_input(call.input))
        yield Kind.RESULT, f"(arguments) {sections}"
    if call.output is not None:
        yield Kind.RESULT, f"(result) {call.output}"
    yield from ((Kind.FILE, _attached(one)) for one in call.attachments)


def _attached(attachment: Attachment) -> str:
    where = f" {harmless_line(attachment.uri, _ADDRESS)}" if attachment.uri else ""
    return f"@ {harmless_line(attachment.media_type, _NAME)}{where}"
