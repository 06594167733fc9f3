"""A transcript in pieces, each of which can be drawn without the others: for views that draw what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.transcript.messages import Context, Reader, lead_of, voice
from pollux.model import (
    Attachment,
    Author,
    FileReference,
    Role,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.system.clock import local
from pollux.writers.transcript import (
    AttachmentBlock,
    CallBlock,
    ContextBlock,
    ReferenceBlock,
    ResultBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
    heading,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.draw.canvas import Canvas
    from pollux.draw.transcript.blocks import Show
    from pollux.model import Message, Part

_BLOCKS: dict[type, type] = {
    Text: TextBlock,
    Thinking: ThinkingBlock,
    ToolCall: CallBlock,
    ToolResult: ResultBlock,
    FileReference: ReferenceBlock,
    Attachment: AttachmentBlock,
    SummaryPart: SummaryBlock,
    Unknown: UnknownBlock,
}


class Piece(NamedTuple):
    """The messages from `start` up to `end`: one, or those that a client wrote in a row, which are folded together.

    `after` is what was before it. `is_empty`: nothing of it is shown.
    """

    start: int
    end: int
    after: Context
    is_empty: bool = False


def pieces(messages: Sequence[Message], show: Show, before: Sequence[Piece] = ()) -> list[Piece]:
    """The pieces of a conversation. Nothing is drawn for it.

    `before` are pieces of its first messages, as they were when there were no more; the last of them may grow.
    """
    found = list(before[:-1])
    start, context = (before[-1].start, before[-1].after) if before else (0, Context())
    for number, message in enumerate(messages[start:], start):
        together = message.author is Author.CLIENT and number > start and messages[number - 1].author is Author.CLIENT
        seen = _seen_blocks(message, show)
        if together and not show.full:
            found[-1] = found[-1]._replace(end=number + 1, is_empty=found[-1].is_empty and not seen)
        else:
            found.append(Piece(number, number + 1, context, not seen))
        context = _after(message, context, seen, show)
    return found


def piece_lines(canvas: Canvas, messages: Sequence[Message], piece: Piece, show: Show) -> list[str]:
    """The lines of a piece, as they follow on what is before it. Some have none: there is nothing to see in them."""
    reader = Reader(canvas, show)
    reader.go_on(piece.after)
    return [*reader.lines(walk(messages[piece.start : piece.end])), *reader.rest()]


def _after(message: Message, before: Context, seen: Sequence[type], show: Show) -> Context:
    """What the next message depends on."""
    top = heading(message)
    if not show.full and lead_of(top) is not None:
        return before._replace(block=TextBlock, folded=True) if seen else before
    name = voice(top)
    goes_on = message.author is Author.MODEL and name == before.voice
    if not seen:
        return before if goes_on else before._replace(block=None)
    if goes_on:
        return before._replace(block=seen[-1], folded=False)
    return Context(name, local(message.at).date() if message.at is not None else before.day, seen[-1])


def _seen_blocks(message: Message, show: Show) -> list[type]:
    """The kinds of the blocks that are seen of a message."""
    folded = message.author is Author.CLIENT and not show.full
    parts = [part for part in message.parts if _is_seen(part, show, folded=folded)]
    if message.role is Role.SYSTEM:  # its texts come first
        parts.sort(key=lambda part: type(part) is not Text)
    return [_BLOCKS.get(type(part), ContextBlock) for part in parts]


def _is_seen(part: Part, show: Show, *, folded: bool) -> bool:
    match part:
        case Text(text=text):
            return not folded or bool(text.strip())
        case ToolCall():
            return folded or show.tools != "off"
        case ToolResult(output=output, attachments=attachments):
            told = output is not None or bool(attachments)
            return told if folded else show.tools != "off" and (told or show.full)
        case Thinking():
            return folded or show.thinking
    return True
