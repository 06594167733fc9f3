"""A conversation as a transcript of Qwen Code: a record for each message and each result, in one chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pollux.model import Role
from pollux.writers.json import encode, known, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Piece, Turn, Words
from pollux.writers.native.ids import record_ids
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class QwenFormat:
    """Writes a conversation as Qwen Code has since 0.4."""

    agent = "qwen"
    window = 256_000

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures."""
        return media_type in _PICTURES

    def added(self, _turns: Sequence[Turn]) -> Iterator[str]:
        """Nothing."""
        return iter(())

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line."""
        ids = record_ids(conversation.id)
        base = {"sessionId": conversation.id, "cwd": conversation.folder}
        parent: str | None = None
        for at, record in _records(conversation):
            uuid = next(ids)
            yield encode({"uuid": uuid, "parentUuid": parent, **base, "timestamp": stamp(at), **record}) + "\n"
            parent = uuid


def _records(conversation: Conversation) -> Iterator[tuple[datetime, dict[str, Any]]]:
    first = conversation.turns[0].at if conversation.turns else conversation.at
    yield first, _user([{"text": conversation.note}])
    for turn in conversation.turns:
        if turn.role is Role.USER:
            yield turn.at, _user([_part(piece) for piece in turn.pieces])
        else:
            yield from _reply(turn)
    if conversation.title is not None:
        title = {"customTitle": conversation.title, "titleSource": "manual"}
        yield conversation.at, {"type": "system", "subtype": "custom_title", "systemPayload": title}


def _user(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "parts": parts}}


def _reply(turn: Turn) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """A reply, and then the results of its calls."""
    message = {"role": "model", "parts": [_part(piece) for piece in turn.pieces]}
    yield turn.at, known({"type": "assistant", "model": turn.model, "message": message})
    for piece in turn.pieces:
        if isinstance(piece, AnsweredCall):
            yield turn.at, _result(piece)


def _part(piece: Piece) -> dict[str, Any]:
    match piece:
        case Words():
            return {"text": piece.text}
        case Media():
            return {"inlineData": {"mimeType": piece.media_type, "data": piece.data}}
        case AnsweredCall():
            return {"functionCall": {"id": piece.id, "name": piece.name, "args": piece.input}}


def _result(call: AnsweredCall) -> dict[str, Any]:
    response: dict[str, Any] = {
        "id": call.id,
        "name": call.name,
        "response": {"error" if call.failed else "output": call.output},
    }
    if call.media:
        response["parts"] = [_part(one) for one in call.media]
    return {
        "type": "tool_result",
        "message": {"role": "user", "parts": [{"functionResponse": response}]},
        "toolCallResult": {"callId": call.id, "status": "error" if call.failed else "success"},
    }


FORMAT = QwenFormat()
WRITER = NativeWriter(FORMAT, "Qwen Code")
