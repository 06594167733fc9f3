"""Hands a session over to an agent, lets the agent go on with it, and compares what the model is sent."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pollux.model import Author, Fate, Role, Session
from pollux.writers.native.account import Account
from pollux.writers.native.conversation import (
    AnsweredCall,
    Conversation,
    Media,
    NativeFormat,
    Piece,
    Turn,
    Words,
    id_for,
)
from pollux.writers.native.draft import draft
from pollux.writers.native.options import AS_IT_WAS, DraftOptions
from tests.unit.writers.native.read_back import place

PROMPT = "And then, what came of it?"
ANSWER = "Understood."
ADDED = (
    "No response requested.",
    "Continue from where you left off.",
    "[The previous response was interrupted before it completed.]",
)
"""What Claude Code and Gemini CLI add themselves where a session ends with a prompt, or with a result."""
_PICTURE = re.compile(r"<[0-9a-f]{64}>")
LIMIT = 10_000
"""Codex sends of a longer result only the beginning and the end."""


def native(agent: str) -> NativeFormat:
    """The format of an agent."""
    target: NativeFormat = import_module(f"pollux.sources.{agent}.native").FORMAT
    return target


def is_suitable(session: Session) -> bool:
    """Is there a prompt that an agent would go on from?"""
    return any(
        message.fate is Fate.LIVE and message.role is Role.USER and message.author is Author.HUMAN
        for message in session.messages
    )


class HandedOver:
    """A session in a new home of another agent."""

    def __init__(self, session: Session, agent: str, folder: Path, options: DraftOptions = AS_IT_WAS) -> None:
        self.agent = agent
        self.home, self.project, self.kept = folder / "home", folder / "project", folder / "kept"
        self.project.mkdir(parents=True)
        self.conversation: Conversation
        self.account: Account
        at = datetime.now(UTC)
        self.conversation, self.account = draft(
            session,
            options,
            native(agent),
            id=id_for(native(agent), str(uuid.uuid4()), at),
            folder=str(self.project),
            at=at,
            agent_title="Another agent",
        )
        self.file = place(native(agent), self.conversation, self.home)

    def resume(self, harness: ModuleType, clis: str, release: str) -> Any:
        """What the agent sends to the model when it goes on with the session."""
        return self._resume(harness, clis, release, self.home, self.kept)

    def resume_again(self, harness: ModuleType, clis: str, release: str) -> Any:
        """What it sends when it goes on once more, with what it wrote itself."""
        return self._resume(harness, clis, release, self.kept, None)

    def _resume(self, harness: ModuleType, clis: str, release: str, home: Path, keep: Path | None) -> Any:
        id = self.conversation.id
        with harness.Room(self.agent, release, home, str(self.project), clis, session=id, keep=keep) as room:
            if self.agent == "opencode" and home == self.home:
                status, told, problem = room.run(["import", str(self.file)], 60)
                assert (status, id in told) == (0, True), told + problem
            return harness.resume(room, PROMPT, 120)

    @property
    def grown(self) -> bool:
        """Did the agent add to the file, or in its database, and change nothing that was there?"""
        if self.agent == "opencode":
            return self._rows_grown()
        after = self.kept / self.file.relative_to(self.home)
        return (
            len(rest := after.read_bytes().removeprefix(self.file.read_bytes())) < after.stat().st_size and rest != b""
        )

    def _rows_grown(self) -> bool:
        """Has the database the parts of the file, and others besides?"""
        parts = {
            part["id"]: part for message in json.loads(self.file.read_bytes())["messages"] for part in message["parts"]
        }
        with closing(sqlite3.connect(self.kept / ".local" / "share" / "opencode" / "opencode.db")) as connection:
            rows = dict(connection.execute("SELECT id, data FROM part WHERE session_id=?", [self.conversation.id]))
        ids = ("id", "sessionID", "messageID")
        same = (json.loads(rows[id]) == {k: v for k, v in part.items() if k not in ids} for id, part in parts.items())
        return parts.keys() < rows.keys() and all(same)


def expected(conversation: Conversation) -> Iterator[str]:
    """What the model must be sent, in order: the calls of a turn stand before its results."""
    yield conversation.note
    for turn in conversation.turns:
        yield from (_sent(piece) for piece in turn.pieces)
        yield from _results(turn)


def _sent(piece: Piece) -> str:
    match piece:
        case Words():
            return piece.text
        case Media():
            return _picture(sha256(_bytes(piece)).hexdigest())
        case AnsweredCall():
            return _call(piece.name, piece.input)


def _results(turn: Turn) -> Iterator[str]:
    for piece in turn.pieces:
        if isinstance(piece, AnsweredCall):
            yield piece.output
            yield from (_sent(one) for one in piece.media)


def arrived(report: Any) -> list[str]:
    """What the model was sent, apart from the agent's own context and the new prompt."""
    words = []
    for item in report["conversation"]:
        if not item.get("context") and not item.get("new"):
            match item["kind"]:
                case "tool_call":
                    words.append(_call(item["name"], item["args"]))
                case "media":
                    words.append(_picture(item["sha256"]))
                case _:
                    words.append(item["text"])
    return words


def difference(wanted: list[str], got: list[str], agent: str) -> tuple[str, str] | None:
    """The first place where something else arrived, apart from white space and the marks that a target needs."""
    if agent == "codex":
        wanted = [text for text in wanted if len(text) < LIMIT]
        got = [text for text in got if len(text) < LIMIT and "truncated" not in text]
    if agent == "copilot":  # it sends the pictures of a prompt after its words
        pictures = [sorted(text for text in texts if _PICTURE.fullmatch(text)) for texts in (wanted, got)]
        if pictures[0] != pictures[1]:
            return str(pictures[0]), str(pictures[1])
        wanted, got = ([text for text in texts if not _PICTURE.fullmatch(text)] for texts in (wanted, got))
    if agent == "claude":
        wanted, got = ([_renamed(text) for text in texts] for texts in (wanted, got))
    while got[-1:] != wanted[-1:] and got and got[-1] in ADDED:
        got = got[:-1]
    left, right = _plain(wanted), _plain(got)
    if left == right:
        return None
    length = min(len(left), len(right))
    at = next((number for number in range(length) if left[number] != right[number]), length)
    return left[max(0, at - 80) : at + 80], right[max(0, at - 80) : at + 80]


def _renamed(text: str) -> str:
    """A call of a tool under its present name: Claude Code itself calls its own tools so, whatever the file says."""
    return re.sub(r"\A<Task ", "<Agent ", text)


def _plain(words: list[str]) -> str:
    return re.sub(r"\s+", "", "".join(words).replace("[failed]\n", "").replace("Prompt: ", ""))


def _call(name: str, arguments: Any) -> str:
    return f"<{name} {json.dumps(arguments, sort_keys=True)}>"


def _picture(digest: str) -> str:
    return f"<{digest}>"


def _bytes(media: Media) -> bytes:
    from base64 import b64decode

    return b64decode(media.data)
