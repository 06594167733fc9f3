"""What was said and done, as the GenAI conventions write messages: a role, and parts by type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import Attachment, Message, Part, Role, Thinking, ToolCall, ToolResult, Unknown
from pollux.writers.chat import words

MODALITIES = ("image", "audio", "video")


def messages(message: Message, ids: dict[int, str]) -> Iterator[dict[str, Any]]:
    """A message, and one of the role `tool` for the answers to its calls. `ids` are those of the calls, by place."""
    parts = [piece for place, part in enumerate(message.parts) for piece in _parts(part, ids.get(place))]
    if parts or not message.parts:
        yield {"role": str(message.role), "parts": parts}
    answers = [answer for place, part in enumerate(message.parts) for answer in _answers(part, ids.get(place))]
    if answers:
        yield {"role": "tool", "parts": answers}


def spoken(message: Message, ids: dict[int, str]) -> list[dict[str, Any]]:
    """What the model itself said in a message; the conventions want to know why it stopped."""
    called = any(type(part) is ToolCall for part in message.parts)
    own = [one for one in messages(message, ids) if one["role"] != "tool"]
    return [{**one, "role": str(Role.ASSISTANT), "finish_reason": "tool_call" if called else "stop"} for one in own]


def answered(message: Message, ids: dict[int, str]) -> list[dict[str, Any]]:
    """The answers of tools to its calls."""
    return [one for one in messages(message, ids) if one["role"] == "tool"]


def _parts(part: Part, id: str | None) -> Iterator[dict[str, Any]]:
    match part:
        case Thinking():
            yield {"type": "reasoning", "content": "\n".join(filter(None, (part.subject, part.text)))}
        case ToolCall():
            yield {"type": "tool_call", "id": id, "name": part.name, "arguments": part.input}
        case Attachment():
            yield from _attachment(part)
        case Unknown():
            yield {"type": "unknown", "raw": part.raw}
        case ToolResult():
            yield from (piece for one in part.attachments for piece in _attachment(one))
        case _:
            yield {"type": "text", "content": words(part) or ""}
            yield from (piece for one in getattr(part, "attachments", ()) for piece in _attachment(one))


def _answers(part: Part, id: str | None) -> Iterator[dict[str, Any]]:
    if type(part) is ToolCall:
        if part.output is not None:
            yield {"type": "tool_call_response", "id": id, "response": part.output}
        yield from (piece for one in part.attachments for piece in _attachment(one))
    elif type(part) is ToolResult and part.output is not None:
        yield {"type": "tool_call_response", "id": part.call, "response": part.output, "name": part.name}


def _attachment(part: Attachment) -> Iterator[dict[str, Any]]:
    head = part.media_type.partition("/")[0]
    known = {"modality": head if head in MODALITIES else "document", "mime_type": part.media_type}
    if part.data is not None:
        yield {"type": "blob", **known, "content": part.data}
    if part.uri is not None or part.data is None:
        yield {"type": "uri", **known, "uri": part.uri or ""}
