"""A conversation as a file of Gemini CLI: a header, one line for each message, and a last line with the title.

0.40 and later read such files. Calls are parts of the model's message, and their results of a message after it. The CLI
itself writes calls in another place, with their results, and the results once more: when a session is resumed for the
second time, it sends both, which the service refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pollux.model import Role
from pollux.model.project_hash import project_hash
from pollux.writers.json import encode, known, stamp
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Piece, Turn, Words
from pollux.writers.native.ids import record_ids
from pollux.writers.native.writer import NativeWriter

_HELD = ("image/", "audio/", "video/", "application/pdf")
_UNSENT = ("/", "?", "<session_context>", "<hook_context>")
"""Prompts that begin like this are shown and never sent."""
_PROMPT = "Prompt: "


class GeminiFormat:
    """Writes a conversation as Gemini CLI would."""

    agent = "gemini"
    window = 1_048_576

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures, sound and PDF files."""
        return media_type.startswith(_HELD)

    def added(self, turns: Sequence[Turn]) -> Iterator[str]:
        """A word before prompts that begin like a command."""
        if any(_is_unsent(turn) for turn in turns if turn.role is Role.USER):
            yield f"`{_PROMPT.strip()}` before some prompts: they begin like a command, and would not be sent"

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line."""
        ids = record_ids(conversation.id)
        at = stamp(conversation.at)
        first = conversation.turns[0].at if conversation.turns else conversation.at
        yield _line(
            {
                "sessionId": conversation.id,
                "projectHash": project_hash(conversation.folder),
                "startTime": stamp(first),
                "lastUpdated": at,
                "kind": "main",
            }
        )
        note = Turn(role=Role.USER, at=first, pieces=(Words(text=conversation.note),))
        for turn in (note, *conversation.turns):
            for message in _prompt(turn) if turn.role is Role.USER else _replies(turn):
                yield _line({"id": next(ids), "timestamp": stamp(turn.at), **message})
        yield _line({"$set": known({"lastUpdated": at, "summary": conversation.title})})


def _line(record: dict[str, Any]) -> str:
    return encode(record) + "\n"


def _prompt(turn: Turn) -> Iterator[dict[str, Any]]:
    """A message of the user. What begins like a command gets a word before it, so that it is sent."""
    content = [part for piece in turn.pieces for part in _content(piece)]
    if _is_unsent(turn):
        content.insert(0, {"text": _PROMPT})
    yield {"type": "user", "content": content}


def _is_unsent(turn: Turn) -> bool:
    """Would Gemini CLI take a prompt for a command?"""
    said = "".join(piece.text if isinstance(piece, Words) else "[" for piece in turn.pieces)
    return said.lstrip().startswith(_UNSENT)


def _content(piece: Piece) -> Iterator[dict[str, Any]]:
    match piece:
        case Words():
            yield {"text": piece.text}
        case Media():
            yield {"inlineData": {"mimeType": piece.media_type, "data": piece.data}}
        case AnsweredCall():
            yield {"functionCall": {"id": piece.id, "name": piece.name, "args": piece.input}}


def _replies(turn: Turn) -> Iterator[dict[str, Any]]:
    """A message of the model, and one of the user with the results of its calls."""
    content = [part for piece in turn.pieces for part in _content(piece)]
    yield known({"type": "gemini", "content": content, "model": turn.model})
    results = [part for piece in turn.pieces if isinstance(piece, AnsweredCall) for part in _result(piece)]
    if results:
        yield {"type": "user", "content": results}


def _result(call: AnsweredCall) -> Iterator[dict[str, Any]]:
    response = {"error" if call.failed else "output": call.output}
    yield {"functionResponse": {"id": call.id, "name": call.name, "response": response}}
    yield from (part for one in call.media for part in _content(one))


FORMAT = GeminiFormat()
WRITER = NativeWriter(FORMAT, "Gemini CLI")
