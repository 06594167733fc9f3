"""Session traces as the Hugging Face Hub shows them: a line about the session, then a line a message."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from pollux.model import Session
from pollux.writers.base import NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import WHY, Chat, Turn
from pollux.writers.json import encode
from pollux.writers.loss import FACTS, LossCounter

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class HuggingFace:
    """JSON Lines in the Session Trace Simple Format."""

    name = "hf"
    suffix = ".hf.jsonl"
    purpose = "a session trace, for the Hugging Face Hub"
    supported_options = ("ids",)

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the conversation as the agent would resume it, turn by turn."""
        tally = LossCounter(WHY)
        tally.drop(FACTS)
        head = {"type": "session", "harness": session.agent, "id": session.id}
        out(encode(head | ({"name": session.title} if session.title is not None else {})) + "\n")
        for turn in Chat(session, options, tally, thinking=True, pictures=False).turns():
            for message in _messages(turn):
                out(encode({"type": "message", "message": message}) + "\n")
        return tally.report()


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": turn.role, "content": turn.text}
    if turn.thinking:
        message["reasoningContent"] = turn.thinking
    if turn.calls:
        message["toolCalls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": encode(call.arguments)}} for call in turn.calls
        ]
    if (at := turn.message.at) is not None:
        message["timestamp"] = (at.replace(tzinfo=at.tzinfo or UTC) - EPOCH) // timedelta(milliseconds=1)
    if turn.message.model is not None:
        message["model"] = turn.message.model
    yield message
    for call in turn.calls:
        yield {"role": "tool", "content": call.answer, "toolCallId": call.id}


WRITER = HuggingFace()
