"""Chat messages as OpenAI has them, which most programs that train models read: one session, one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import Attachment, Session
from pollux.writers.base import NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import WHY, Chat, Turn
from pollux.writers.json import encode
from pollux.writers.loss import FACTS, LossCounter


class OpenAI:
    """`{"messages": […]}` and a newline; a session in which nothing is said has no line."""

    name = "openai"
    suffix = ".openai.jsonl"
    purpose = "chat messages, one line a session, for training"
    supported_options = ("thinking", "ids")

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the conversation as the agent would resume it, turn by turn."""
        tally = LossCounter(WHY)
        tally.drop(FACTS)
        between = '{"messages":['
        for turn in Chat(session, options, tally, thinking=options.thinking, pictures=True).turns():
            tally.drop(FACTS)
            for message in _messages(turn):
                out(between + encode(message))
                between = ","
        out("]}\n" if between == "," else "")
        return tally.report()


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": turn.role, "content": turn.text or (None if turn.calls else "")}
    if turn.images:
        texts = [{"type": "text", "text": turn.text}] if turn.text else []
        message["content"] = [*texts, *map(_picture, turn.images)]
    if turn.thinking:
        message["reasoning_content"] = turn.thinking
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": encode(call.arguments)}}
            for call in turn.calls
        ]
    yield message
    for call in turn.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _picture(picture: Attachment) -> dict[str, Any]:
    inline = f"data:{picture.media_type};base64,{picture.data}"
    return {"type": "image_url", "image_url": {"url": inline if picture.data is not None else picture.uri}}


WRITER = OpenAI()
