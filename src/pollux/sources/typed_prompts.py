"""Typed lines: a log of them outlives the sessions, and of some sessions nothing else is left."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pollux.model import Author, Fate, Kind, Message, Notice, Origin, Role, Session, Text, first_words
from pollux.sources.base import File

__all__ = [
    "MessageTexts",
    "command_title",
    "last_change",
    "normalize_space",
    "prompts_id",
    "typed_message",
    "typed_sessions",
]

# Members of an enumeration are slow to look up, so this happens once.
_HUMAN, _SYSTEM = Author.HUMAN, Role.SYSTEM


def prompts_id(seed: bytes) -> str:
    """An id for lines that do not name the session in which they were typed."""
    return f"{hashlib.sha256(seed).hexdigest()[:12]}-prompts"


def last_change(files: Iterable[File], typed: Iterable[datetime | None], *, only_typed: bool) -> int:
    """When a session last changed (nanoseconds): a line may be typed after its last file was written.

    If only lines are left, their log changes with every other session, and only their own times count.
    """
    line = max((int(at.timestamp() * 10**9) for at in typed if at is not None), default=0)
    return line if only_typed and line else max(line, *(file.mtime_ns for file in files), 0)


def typed_message(  # noqa: PLR0913
    id: str,
    text: str | None,
    at: datetime | None,
    origin: Origin,
    extra: Mapping[str, Any],
    *,
    command: bool,
    fate: Fate = Fate.LIVE,
) -> Message:
    """A typed line as a message. A command is for the client or the shell."""
    return Message(
        id=id,
        role=Role.SYSTEM if command else Role.USER,
        author=Author.HUMAN,
        at=at,
        parts=(Text(text=text),) if text is not None else (),
        fate=fate,
        origin=origin,
        extra=extra,
    )


def typed_sessions(
    agent: str, id: str, messages: Iterable[Message], files: Iterable[str], notices: tuple[Notice, ...], **facts: Any
) -> list[Session]:  # fmt: skip
    """The session of which only these typed lines are left; none if there are no lines.

    `facts` are its other fields: title, project.
    """
    lines = tuple(messages)
    times = [message.at for message in lines if message.at is not None]
    session = Session(
        agent=agent,
        id=id,
        kind=Kind.PROMPTS,
        started=min(times, default=None),
        ended=max(times, default=None),
        messages=lines,
        notices=notices,
        files=tuple(files),
        **facts,
    )
    return [session] if lines else []


def command_title(messages: Iterable[Message]) -> str | None:
    """The title of a session without prompts: its first command."""
    first: Message | None = None
    for message in messages:
        if message.author is _HUMAN:
            if message.role is not _SYSTEM:
                return None
            first = first or message
    return first_words(first.text) if first is not None else None


class MessageTexts:
    """The texts of all messages but the model's, for comparison with typed lines."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._texts = [_letters(message.text) for message in messages if message.role is not Role.ASSISTANT]

    def holds(self, text: str) -> bool:
        """Does a message hold this text, ignoring white space?"""
        letters = _letters(text)
        return any(letters in message for message in self._texts)


def normalize_space(text: str) -> str:
    """Text with single spaces only."""
    return re.sub(r"\s+", " ", text).strip()


def _letters(text: str) -> str:
    return "".join(text.split())
