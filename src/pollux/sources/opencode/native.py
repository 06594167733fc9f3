"""A conversation as `opencode export` prints a session: `opencode import` puts it into the database.

pollux writes to no database. What an import does not take over from the file is the folder: it takes the present one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from pollux.model import Role
from pollux.writers.json import encode, known
from pollux.writers.native.conversation import AnsweredCall, Conversation, Media, Piece, Turn, Words
from pollux.writers.native.writer import NativeWriter

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_FAILED = "[failed]\n"
"""Says that a call failed: OpenCode holds pictures only in the result of one that did not."""

_MODE = "build"
_UNKNOWN = "unknown"
_NO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_IDS_A_MS = 1 << 12
_BEFORE_MS = 60_000
"""The ids of records are made as if a minute before the hand-over: those that OpenCode adds are larger."""


class OpenCodeFormat:
    """Writes a conversation as OpenCode has since 1.2.16."""

    agent = "opencode"
    window = None

    def session_id(self, made: str, at: datetime) -> str:
        """`ses_`, the time in reverse, so that the newest is the first, and letters."""
        return f"ses_{_clock(~(_ms(at) * _IDS_A_MS))}{_letters(made)}"

    def holds(self, media_type: str, _role: Role) -> bool:
        """Prompts and results hold pictures."""
        return media_type in _PICTURES

    def added(self, turns: Sequence[Turn]) -> Iterator[str]:
        """A word before the results of calls that failed and gave a picture."""
        if any(isinstance(piece, AnsweredCall) and _is_marked(piece) for turn in turns for piece in turn.pieces):
            yield f"`{_FAILED.strip()}` before some results: OpenCode holds no pictures in that of a call that failed"

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file: the session's own record, then a message with its parts a line."""
        records = _Records(conversation)
        yield f'{{"info":{encode(_info(conversation))},"messages":[\n'
        first = conversation.turns[0].at if conversation.turns else conversation.at
        yield encode(records.prompt(first, [Words(text=conversation.note)])) + "\n"
        for turn in conversation.turns:
            made = records.prompt(turn.at, turn.pieces) if turn.role is Role.USER else records.reply(turn)
            yield f",{encode(made)}\n"
        yield "]}\n"


def _info(conversation: Conversation) -> dict[str, Any]:
    """The session's own record. Without a title, OpenCode names it by its next prompt."""
    first = conversation.turns[0].at if conversation.turns else conversation.at
    at = conversation.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return {
        "id": conversation.id,
        "slug": "handed-over",
        "version": "0.0.0",
        "projectID": "global",
        "directory": conversation.folder,
        "title": conversation.title or f"New session - {at}Z",
        "time": {"created": _ms(first), "updated": _ms(conversation.at)},
    }


class _Records:
    """Makes messages and their parts, with ids in their order."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        letters = _letters(conversation.id)
        start = (_ms(conversation.at) - _BEFORE_MS) * _IDS_A_MS
        self._ids = (f"{_clock(start + number)}{letters}" for number in count())
        provider, _, model = (conversation.provider or "").partition("/")
        self._model = {"providerID": provider or _UNKNOWN, "modelID": model or _UNKNOWN}
        self._prompt = ""

    def prompt(self, at: datetime, pieces: Sequence[Piece]) -> dict[str, Any]:
        """A message of the user."""
        self._prompt = id = f"msg_{next(self._ids)}"
        info = {"role": "user", "time": {"created": _ms(at)}, "agent": _MODE, "model": self._model}
        return self._message(id, info, [self._part(id, piece, at) for piece in pieces])

    def reply(self, turn: Turn) -> dict[str, Any]:
        """A message of the model, with its calls and their results."""
        id, at = f"msg_{next(self._ids)}", _ms(turn.at)
        info = {
            "role": "assistant",
            "time": {"created": at, "completed": at},
            "parentID": self._prompt,
            "modelID": turn.model or _UNKNOWN,
            "providerID": self._model["providerID"],
            "mode": _MODE,
            "agent": _MODE,
            "path": {"cwd": self._conversation.folder, "root": self._conversation.folder},
            "cost": 0,
            "tokens": _NO_TOKENS,
            "finish": "tool-calls" if isinstance(turn.pieces[-1], AnsweredCall) else "stop",
        }
        return self._message(id, info, [self._part(id, piece, turn.at) for piece in turn.pieces])

    def _message(self, id: str, info: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
        return {"info": {"id": id, "sessionID": self._conversation.id, **info}, "parts": parts}

    def _part(self, message: str, piece: Piece, at: datetime) -> dict[str, Any]:
        base = {"id": f"prt_{next(self._ids)}", "sessionID": self._conversation.id, "messageID": message}
        match piece:
            case Words():
                return {**base, "type": "text", "text": piece.text}
            case Media():
                url = f"data:{piece.media_type};base64,{piece.data}"
                return {**base, "type": "file", "mime": piece.media_type, "url": url}
            case AnsweredCall():
                state = self._state(message, piece, _ms(piece.at or at))
                return {**base, "type": "tool", "callID": piece.id, "tool": piece.name, "state": state}

    def _state(self, message: str, call: AnsweredCall, at: int) -> dict[str, Any]:
        """What became of a call."""
        time = {"start": at, "end": at}
        if call.failed and not call.media:
            return {"status": "error", "input": call.input, "error": call.output, "time": time}
        pictures = [self._part(message, one, self._conversation.at) for one in call.media]
        return known(
            {
                "status": "completed",
                "input": call.input,
                "output": (_FAILED if _is_marked(call) else "") + call.output,
                "title": call.name,
                "metadata": {},
                "time": time,
                "attachments": pictures or None,
            }
        )


def _is_marked(call: AnsweredCall) -> bool:
    return call.failed and bool(call.media)


def _ms(at: datetime) -> int:
    """A time as OpenCode writes it: none is before 1970."""
    return max(0, round(at.timestamp() * 1000))


def _clock(value: int) -> str:
    """The first part of an id: as much of a number as there is room for."""
    return f"{value % (1 << 48):012x}"


def _letters(name: str) -> str:
    """The second part of an id: the same for the same name."""
    number = int.from_bytes(hashlib.sha256(name.encode("utf-8", "backslashreplace")).digest())
    return "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(14))


FORMAT = OpenCodeFormat()
WRITER = NativeWriter(FORMAT, "OpenCode", suffix=".opencode.json")
