"""A conversation as the events of Copilot CLI: a chain in which each event names the one before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pollux.model import Role
from pollux.writers.json import encode, known, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Turn, Words
from pollux.writers.native.ids import record_ids
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_Event = tuple[datetime, str, dict[str, Any]]


class CopilotFormat:
    """Writes a conversation as Copilot CLI does, with nothing in it that 1.0.40 would refuse."""

    agent = "copilot"
    window = 128_000

    def holds(self, media_type: str, role: Role) -> bool:
        """Prompts hold pictures."""
        return media_type in _PICTURES and role is Role.USER

    def added(self, _turns: Sequence[Turn]) -> Iterator[str]:
        """Nothing."""
        return iter(())

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line."""
        ids = record_ids(conversation.id)
        parent: str | None = None
        for at, kind, data in _events(conversation):
            id = next(ids)
            yield encode({"type": kind, "data": data, "id": id, "timestamp": stamp(at), "parentId": parent}) + "\n"
            parent = id


def _events(conversation: Conversation) -> Iterator[_Event]:
    first = conversation.turns[0].at if conversation.turns else conversation.at
    start = {
        "sessionId": conversation.id,
        "version": 1,
        "producer": "pollux",
        "copilotVersion": "0.0.0",
        "startTime": stamp(first),
        "context": {"cwd": conversation.folder},
    }
    yield first, "session.start", start
    yield first, "user.message", {"content": conversation.note}
    for number, turn in enumerate(conversation.turns):
        yield from _prompt(turn) if turn.role is Role.USER else _reply(turn, f"{conversation.id}-{number}")


def _words(turn: Turn) -> str:
    return "\n".join(piece.text for piece in turn.pieces if isinstance(piece, Words))


def _prompt(turn: Turn) -> Iterator[_Event]:
    pictures = [piece for piece in turn.pieces if isinstance(piece, Media)]
    attached = [{"type": "blob", "data": one.data, "mimeType": one.media_type} for one in pictures]
    yield turn.at, "user.message", known({"content": _words(turn), "attachments": attached or None})


def _reply(turn: Turn, id: str) -> Iterator[_Event]:
    """A reply, and then the results of its calls."""
    calls = [piece for piece in turn.pieces if isinstance(piece, AnsweredCall)]
    asked = [{"toolCallId": c.id, "name": c.name, "arguments": c.input, "type": "function"} for c in calls]
    message = {"messageId": id, "model": turn.model, "content": _words(turn), "toolRequests": asked or None}
    yield turn.at, "assistant.message", known(message)
    for call in calls:
        given = {"toolCallId": call.id, "toolName": call.name, "arguments": call.input}
        yield turn.at, "tool.execution_start", given
    for call in calls:
        yield turn.at, "tool.execution_complete", _result(call)


def _result(call: AnsweredCall) -> dict[str, Any]:
    if call.failed:
        return {"toolCallId": call.id, "success": False, "error": {"message": call.output}}
    return {"toolCallId": call.id, "success": True, "result": {"content": call.output}}


FORMAT = CopilotFormat()
WRITER = NativeWriter(FORMAT, "GitHub Copilot CLI")
