"""A conversation as the events of Copilot CLI: a chain in which each event names the one before it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from pollux.model import Role
from pollux.writers.json import encode, known, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Turn, Words
from pollux.writers.native.ids import record_ids
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_Event = tuple[datetime, str, dict[str, Any]]


class CopilotFormat:
    """Writes a conversation as Copilot CLI has since 1.0.11; pictures as 1.0.102 does."""

    agent = "copilot"
    window = 128_000

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures."""
        return media_type in _PICTURES

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
    known_assets: set[str] = set()
    for number, turn in enumerate(conversation.turns):
        for media in _pictures(turn):
            if (asset := _asset(media))["assetId"] not in known_assets:
                known_assets.add(asset["assetId"])
                yield turn.at, "session.binary_asset", {**asset, "data": media.data}
        yield from _prompt(turn) if turn.role is Role.USER else _reply(turn, f"{conversation.id}-{number}")


def _pictures(turn: Turn) -> Iterator[Media]:
    for piece in turn.pieces:
        if isinstance(piece, Media):
            yield piece
        elif isinstance(piece, AnsweredCall):
            yield from piece.media


def _asset(media: Media) -> dict[str, Any]:
    raw = b64decode(media.data)
    digest = f"sha256:{sha256(raw).hexdigest()}"
    return {"type": "image", "assetId": digest, "mimeType": media.media_type, "byteLength": len(raw)}


def _words(turn: Turn) -> str:
    return "\n".join(piece.text for piece in turn.pieces if isinstance(piece, Words))


def _prompt(turn: Turn) -> Iterator[_Event]:
    attached = [{**_asset(media), "type": "blob"} for media in _pictures(turn)]
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
    if call.failed and not call.media:
        return {"toolCallId": call.id, "success": False, "error": {"message": call.output}}
    pictures = [_asset(media) for media in call.media]
    result = known({"content": call.output, "binaryResultsForLlm": pictures or None})
    return {"toolCallId": call.id, "success": not call.failed, "result": result}


FORMAT = CopilotFormat()
WRITER = NativeWriter(FORMAT, "GitHub Copilot CLI")
