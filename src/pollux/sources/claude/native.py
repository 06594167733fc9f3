"""A conversation as a transcript of Claude Code: a line for each block, and the line before it is its parent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from pollux.model import Role
from pollux.writers.json import encode, known, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Piece, Turn, Words
from pollux.writers.native.ids import record_ids
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_DOCUMENT = "application/pdf"
_MODELS = "claude-"


class ClaudeFormat:
    """Writes a conversation as Claude Code would."""

    agent = "claude"
    window = 200_000

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures and PDF files."""
        return media_type in _PICTURES or media_type == _DOCUMENT

    def added(self, _turns: Sequence[Turn]) -> Iterator[str]:
        """Nothing."""
        return iter(())

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line."""
        ids = record_ids(conversation.id)
        parent: str | None = None
        for record in _records(conversation):
            uuid = next(ids)
            yield _line({"parentUuid": parent, "isSidechain": False, "uuid": uuid, **record})
            parent = uuid
        if conversation.title is not None:
            title = {"type": "custom-title", "customTitle": conversation.title, "sessionId": conversation.id}
            yield _line(title)


def _line(record: dict[str, Any]) -> str:
    return encode(record) + "\n"


def _records(conversation: Conversation) -> Iterator[dict[str, Any]]:
    first = conversation.turns[0].at if conversation.turns else conversation.at
    base = {"userType": "external", "cwd": conversation.folder, "sessionId": conversation.id}
    yield {**base, "isMeta": True, "timestamp": stamp(first), **_user(conversation.note)}
    for number, turn in zip(count(1), conversation.turns):
        records = _prompt(turn) if turn.role is Role.USER else _reply(turn, f"msg_{conversation.id}_{number}")
        for record in records:
            yield {**base, "timestamp": stamp(turn.at), **record}


def _user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def _prompt(turn: Turn) -> Iterator[dict[str, Any]]:
    words = [piece for piece in turn.pieces if isinstance(piece, Words)]
    if len(words) == len(turn.pieces) == 1:
        yield _user(words[0].text)
    else:
        yield _user([block for piece in turn.pieces for block in _blocks(piece)])


def _blocks(piece: Piece) -> Iterator[dict[str, Any]]:
    match piece:
        case Words():
            yield {"type": "text", "text": piece.text}
        case Media():
            source = {"type": "base64", "media_type": piece.media_type, "data": piece.data}
            yield {"type": "document" if piece.media_type == _DOCUMENT else "image", "source": source}
        case AnsweredCall():
            yield {"type": "tool_use", "id": piece.id, "name": piece.name, "input": piece.input}


def _reply(turn: Turn, id: str) -> Iterator[dict[str, Any]]:
    """The blocks of a reply, which share its id, and then the results of its calls."""
    head = known({"id": id, "type": "message", "role": "assistant", "model": _model(turn)})
    for piece in turn.pieces:
        for block in _blocks(piece):
            yield {"type": "assistant", "message": {**head, "content": [block]}}
    for piece in turn.pieces:
        if isinstance(piece, AnsweredCall):
            yield _user([_result(piece)])


def _model(turn: Turn) -> str | None:
    """The model, if it is one of Claude Code's: it tries to go on with the last one, and complains about another."""
    return turn.model if turn.model is not None and turn.model.startswith(_MODELS) else None


def _result(call: AnsweredCall) -> dict[str, Any]:
    content: Any = call.output
    if call.media:
        texts = [{"type": "text", "text": call.output}] if call.output.strip() else []
        content = [*texts, *(block for one in call.media for block in _blocks(one))]
    return known({"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": call.failed or None})


FORMAT = ClaudeFormat()
WRITER = NativeWriter(FORMAT, "Claude Code")
