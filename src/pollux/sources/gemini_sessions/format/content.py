"""The author of a message, and its parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import msgspec

from pollux.model import NOTHING, Attachment, Context, Part, SummaryPart, Text, Thinking, ToolResult, Unknown
from pollux.sources.gemini_sessions.format.schema import (
    Call,
    FunctionCall,
    FunctionResponse,
    Message,
    Part as Piece,
    Pieces,
)
from pollux.wire import tidy

SUMMARY = "<state_snapshot>"
# How a session's context begins: since 0.29, and before.
CONTEXTS = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "This is Gemini CLI. We are setting up the context for our chat.",
    "This is the Qwen Code. We are setting up the context for our chat.",
)
# How texts begin that the client makes and stores as the user's.
CLIENT_TEXTS = (
    *CONTEXTS,
    SUMMARY,
    "<hook_context>",
    "- **Workspace Directories:**",
    "[Function Response: ",
    "System: Please continue.",
    "System: Potential loop detected.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:\n```sh",
    "You have stopped calling tools without finishing",
)
TASK = "Your task is to do a deep investigation of the codebase"
# What the client writes in the model's place: after a context, a summary, a picture, or instead of a missing answer.
STAND_INS = (
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
    "Binary content received. Proceeding with analysis.",
    "[The previous response was interrupted before it completed.]",
)


def pieces(content: Pieces | None) -> list[str | Piece]:
    """Content as a list, whatever shape it was written in."""
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def plain_text(message: Message, name: str = "content") -> str:
    """All words of a message in one string, without thinking. Two copies of a message have this in common."""
    content: Pieces | None = getattr(message, name)
    if isinstance(content, str):
        return content
    items = pieces(content)
    return text_of(items[0]) if len(items) == 1 else "".join(text_of(piece) for piece in items)


def only_words(message: Message) -> str | None:
    """The words of a message whose content is one text and nothing else, as in most typed messages."""
    content = message.content
    if message.displayContent is not None:
        return None
    if type(content) is list and len(content) == 1:
        content = content[0]
    if type(content) is Piece:
        return content.text if content == Piece(text=content.text) else None
    return content if type(content) is str else None


def text_of(piece: str | Piece) -> str:
    """The words of one piece."""
    if isinstance(piece, str):
        return piece
    return "" if piece.thought or piece.text is None else piece.text


def is_summary(message: Message) -> bool:
    """Is this the summary that `/compress` made?"""
    return message.type == "user" and begins_with(plain_text(message), SUMMARY)


def begins_with(text: str, words: str | tuple[str, ...]) -> bool:
    """Does a text begin with these words, ignoring white space? Only the beginning is examined."""
    return text.startswith(words) or (text[:1].isspace() and text[:400].lstrip().startswith(words))


def is_client_text(text: str) -> bool:
    """Did the client write this in the user's place?"""
    return begins_with(text, CLIENT_TEXTS)


def stand_in_parts(message: Message) -> list[Part] | None:
    """The parts of a turn that the client wrote in the model's place; None for other turns."""
    items = pieces(message.content)
    words = [item if isinstance(item, str) else item.text or "" for item in items]
    if "".join(words).strip() not in STAND_INS:
        return None
    thoughts = [not isinstance(item, str) and bool(item.thought) for item in items]
    return [
        Text(text=text, extra={**({"thought": True} if thought else {}), **signature(item)})
        for text, thought, item in zip(words, thoughts, items, strict=True)
        if text
    ]


def lacks_real_id(call: str | None) -> bool:
    """Does a call's id differ from that of its finished record? Histories have calls without an id, or another one."""
    return call is None or call.startswith("synth_")


def client_parts(message: Message) -> list[Part]:
    """The parts of a message that the client wrote: words, references to tool answers, a summary."""
    parts: list[Part] = []
    for item in pieces(message.content):
        text = text_of(item)
        if begins_with(text, SUMMARY):
            parts.append(SummaryPart(text=text))
        elif text:
            parts.append(Text(text=text, extra=signature(item)))
        else:
            parts.extend(other_part(item))
    texts = {part.text for part in parts if type(part) is Text}
    shown = map(text_of, pieces(message.displayContent))
    parts += [Context(source="display", text=text) for text in shown if text and text not in texts]
    return parts


def model_parts(message: Message, recorded: Container[str | None]) -> list[Part]:
    """A model's turn without its finished calls: thinking, words, and other parts.

    After a resume the thoughts and calls also stand in the content; they are not repeated.
    """
    thoughts = message.thoughts or ()
    parts: list[Part] = (
        [Thinking(text=t.description or "", subject=t.subject or None, at=t.timestamp, extra=t.extra) for t in thoughts]
        if thoughts
        else []
    )
    content = message.content
    if type(content) is str:
        if content:
            parts.append(Text(text=content))
        return parts
    known_thoughts = {_letters(f"{t.subject or ''}{t.description or ''}") for t in thoughts}
    call_counts = Counter(call.name for call in message.toolCalls or ())
    for item in pieces(content):
        if isinstance(item, Piece) and item.thought and item.text is not None:
            if _letters(item.text) not in known_thoughts:
                parts.append(_thought(item))
        elif text := text_of(item):
            parts.append(Text(text=text, extra=signature(item)))
        elif (
            isinstance(item, Piece)
            and (request := item.functionCall) is not None
            and _is_recorded(request, recorded, call_counts)
        ):
            continue
        else:
            parts.extend(other_part(item))
    return parts


def _is_recorded(call: FunctionCall, recorded: Container[str | None], call_counts: Counter[str | None]) -> bool:
    """Is a call recorded as finished? Without a usable id, another call of this name in the same turn counts as it."""
    if call.id in recorded:
        return True
    if not lacks_real_id(call.id) or not call_counts[call.name]:
        return False
    call_counts[call.name] -= 1
    return True


def _thought(piece: Piece) -> Thinking:
    """A thought inside the content: `**Subject** description`."""
    text = piece.text or ""
    match = re.match(r"\s*\*\*(.+?)\*\*\s*", text, re.DOTALL)
    if match is None:
        return Thinking(text=text, extra=signature(piece))
    return Thinking(text=text[match.end() :], subject=match.group(1).strip(), extra=signature(piece))


def _letters(text: str) -> str:
    return re.sub(r"[\s*]+", "", text)


def other_part(item: str | Piece) -> Iterator[Part]:
    """The part of a piece that is not plain text."""
    if isinstance(item, str):
        return
    if (file := attachment(item)) is not None:
        yield file
    elif item.functionResponse is not None:
        response = item.functionResponse
        yield ToolResult(
            call=response.id,
            name=response.name,
            output=answer(response)[0],
            attachments=tuple(attachments(response.parts or ())),
            extra=_rest(response, item),
        )
    elif (raw := as_plain(item)) not in ({}, {"text": ""}):
        yield Unknown(raw=raw)


def attachment(piece: Piece) -> Attachment | None:
    """The attachment of a piece: bytes, or a link to them."""
    blob, link = piece.inlineData, piece.fileData
    if blob is not None:
        extra = {**blob.extra, **({"displayName": blob.displayName} if blob.displayName else {}), **signature(piece)}
        return Attachment(media_type=blob.mimeType or "application/octet-stream", data=blob.data, extra=extra)
    if link is not None:
        extra = {**link.extra, **({"displayName": link.displayName} if link.displayName else {}), **signature(piece)}
        return Attachment(media_type=link.mimeType or "application/octet-stream", uri=link.fileUri, extra=extra)
    return None


def attachments(items: Iterable[str | Piece]) -> Iterator[Attachment]:
    """The attachments among some pieces."""
    for item in items:
        if isinstance(item, Piece) and (file := attachment(item)) is not None:
            yield file


def answer(response: FunctionResponse) -> tuple[str | None, bool]:
    """A tool's answer as text, and whether it was an error."""
    value = response.response
    if type(value) is dict and len(value) == 1:
        if type(text := value.get("output")) is str:
            return text, False
        if type(text := value.get("error")) is str:
            return text, True
    match value:
        case None:
            return None, False
        case str():
            return value, False
        case {"content": {"error": str(text)}}:
            return text, True
        case {"name": response.name, "content": str(text)} if len(value) == 2:
            return text, False
        case {"error": problem} if problem:
            return as_text(value), True
        case _:
            return as_text(value), False


def as_text(value: Any) -> str:
    """Any JSON value as readable text."""
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=1).decode()


def as_plain(piece: Piece) -> Any:
    """A piece as the plain object that it was; an item that is not a piece, as itself."""
    return piece.odd if piece.odd is not None else tidy(piece)


def signature(piece: str | Piece) -> dict[str, Any]:
    """What else a piece has: the signature of a thought, and unknown fields."""
    if isinstance(piece, str) or (piece.thoughtSignature is None and not piece.extra and piece.videoMetadata is None):
        return NOTHING
    known = {"thoughtSignature": piece.thoughtSignature, "videoMetadata": piece.videoMetadata}
    return {**{key: value for key, value in known.items() if value is not None}, **piece.extra}


def _rest(response: FunctionResponse, piece: Piece) -> dict[str, Any]:
    return {**response.extra, **signature(piece)}


def leftover_pieces(message: Message, calls: Callable[[], dict[str | None, Call]]) -> list[Any]:
    """What else pieces have whose words stand elsewhere, and calls that differ from their finished record."""
    leftovers: list[Any] = []
    for content in (message.content, message.displayContent):
        for piece in pieces(content) if content is not None and not isinstance(content, str) else ():
            if isinstance(piece, str):
                continue
            call = piece.functionCall
            if call is not None and (finished := calls().get(call.id)) is not None:
                if call.args != finished.args or call.name != finished.name or call.extra or signature(piece):
                    leftovers.append(as_plain(piece))
            elif call is not None and message.toolCalls and lacks_real_id(call.id):
                leftovers.append(as_plain(piece))
            elif piece.text is not None and (rest := signature(piece)):
                leftovers.append(rest)
    return leftovers
