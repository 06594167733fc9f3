"""A conversation as every agent can hold it: turns of words, pictures and answered tool calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from pollux.model import Role, Value


class Words(Value, frozen=True, kw_only=True):
    """Something said."""

    text: str


class Media(Value, frozen=True, kw_only=True):
    """A picture or a document; `data` is base64."""

    media_type: str
    data: str


class AnsweredCall(Value, frozen=True, kw_only=True):
    """A tool call with its result. Id and name are such as every vendor's service takes."""

    id: str
    name: str
    input: dict[str, Any]
    output: str
    failed: bool
    media: tuple[Media, ...] = ()
    at: datetime | None = None


Piece = Words | Media | AnsweredCall


class Turn(Value, frozen=True, kw_only=True):
    """What one message of the source became. `role` is the user or the assistant; only the assistant calls tools."""

    role: Role
    at: datetime
    pieces: tuple[Piece, ...]
    model: str | None = None


class Conversation(Value, frozen=True, kw_only=True):
    """A conversation to be written as a new session of an agent.

    `note` says where it comes from; it stands first, as a message of the user. `at` is when it was handed over: all
    turns are older or as old, and all that the agent adds is newer. `folder` is where the agent goes on, `provider` who
    serves its models there: None if nobody knows.
    """

    id: str
    title: str | None
    folder: str
    at: datetime
    note: str
    turns: tuple[Turn, ...]
    provider: str | None = None


class NativeFormat(Protocol):
    """Writes a conversation as the file of an agent."""

    @property
    def agent(self) -> str:
        """The agent's name."""

    @property
    def window(self) -> int | None:
        """How many tokens its models usually take; None if nobody knows."""

    def holds(self, media_type: str, role: Role) -> bool:
        """Can it hold such a picture or document in what the user said, or in the result of a call of the assistant?"""

    def added(self, turns: Sequence[Turn]) -> Iterator[str]:
        """The words that it adds to what was said, each with the reason after a colon."""

    def lines(self, conversation: Conversation) -> Iterator[str]:
        """The file, line by line, each with its newline."""


@runtime_checkable
class NamesSessions(Protocol):
    """A format whose agent takes only ids of its own form."""

    def session_id(self, made: str, at: datetime) -> str:
        """The id of a session that begins at a time, made from an id of ours."""


def id_for(target: NativeFormat, made: str, at: datetime) -> str:
    """An id of ours in the form that an agent takes."""
    return target.session_id(made, at) if isinstance(target, NamesSessions) else made
