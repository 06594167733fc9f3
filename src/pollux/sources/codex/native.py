"""A conversation as a rollout of Codex CLI: what the model is sent, and beside it what is shown and listed.

Both streams are needed: a thread without the one is empty, and without the other nobody finds it. It names a provider:
in a terminal, 0.166 refuses a thread without one if it had none in its database before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pollux.model import Role
from pollux.sources.codex.resume_command import DEFAULT_PROVIDER
from pollux.writers.json import encode, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Turn, Words
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_FAILED = "[failed]\n"
"""Says that a call failed: a rollout has no other place for it."""


class CodexFormat:
    """Writes a conversation as Codex CLI did before it numbered its lines, which all later releases read."""

    agent = "codex"
    window = 272_000

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures."""
        return media_type in _PICTURES

    def added(self, turns: Sequence[Turn]) -> Iterator[str]:
        """A word before the results of calls that failed."""
        if any(isinstance(piece, AnsweredCall) and piece.failed for turn in turns for piece in turn.pieces):
            yield f"`{_FAILED.strip()}` before some results: a rollout has no other place to say that a call failed"

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line."""
        first = conversation.turns[0].at if conversation.turns else conversation.at
        meta = {
            "id": conversation.id,
            "timestamp": stamp(conversation.at),
            "cwd": conversation.folder,
            "originator": "pollux",
            "cli_version": "0.0.0",
            "model_provider": conversation.provider or DEFAULT_PROVIDER,
        }
        yield _line(conversation.at, "session_meta", meta)
        yield _item(first, _message("user", [{"type": "input_text", "text": conversation.note}]))
        for turn in conversation.turns:
            yield from _prompt(turn) if turn.role is Role.USER else _reply(turn)


def _line(at: datetime, type: str, payload: dict[str, Any]) -> str:  # noqa: A002
    return encode({"timestamp": stamp(at), "type": type, "payload": payload}) + "\n"


def _item(at: datetime, payload: dict[str, Any]) -> str:
    return _line(at, "response_item", payload)


def _message(role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


def _picture(media: Media) -> dict[str, Any]:
    return {"type": "input_image", "image_url": f"data:{media.media_type};base64,{media.data}"}


def _prompt(turn: Turn) -> Iterator[str]:
    content: list[dict[str, Any]] = []
    for piece in turn.pieces:
        if isinstance(piece, Words):
            content.append({"type": "input_text", "text": piece.text})
        elif isinstance(piece, Media):
            content.append(_picture(piece))
    yield _item(turn.at, _message("user", content))
    words = "\n".join(piece.text for piece in turn.pieces if isinstance(piece, Words))
    yield _line(turn.at, "event_msg", {"type": "user_message", "message": words})


def _reply(turn: Turn) -> Iterator[str]:
    for piece in turn.pieces:
        if isinstance(piece, Words):
            yield _item(turn.at, _message("assistant", [{"type": "output_text", "text": piece.text}]))
            yield _line(turn.at, "event_msg", {"type": "agent_message", "message": piece.text})
    calls = [piece for piece in turn.pieces if isinstance(piece, AnsweredCall)]
    for call in calls:
        given = {"name": call.name, "arguments": encode(call.input), "call_id": call.id}
        yield _item(turn.at, {"type": "function_call", **given})
    for call in calls:
        result = {"call_id": call.id, "output": _output(call)}
        yield _item(_end(call, turn), {"type": "function_call_output", **result})


def _end(call: AnsweredCall, turn: Turn) -> datetime:
    return max(call.at, turn.at) if call.at is not None else turn.at


def _output(call: AnsweredCall) -> Any:
    text = (_FAILED if call.failed else "") + call.output
    if not call.media:
        return text
    words = [{"type": "input_text", "text": text}] if text.strip() else []
    return [*words, *map(_picture, call.media)]


FORMAT = CodexFormat()
WRITER = NativeWriter(FORMAT, "Codex CLI")
