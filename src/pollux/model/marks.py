"""What a person noted about sessions and messages: stars, tags, notes, names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from pollux.model.base import NOTHING, Value
from pollux.model.parts import Text, ToolCall
from pollux.model.session import Message


class Marks(Value, frozen=True, kw_only=True):
    """The marks of a session or of a message. `private`: no program that reads sessions for others may see it."""

    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str | None = None
    name: str | None = None
    private: bool = False

    def __bool__(self) -> bool:
        return self != NO_MARKS


NO_MARKS = Marks()


class Anchor(Value, frozen=True, kw_only=True):
    """The message that a mark belongs to: its id, its time, and a hash of its words.

    Some agents give messages no id. Then the id is a line of a file, which may hold another message one day.
    """

    id: str
    at: datetime | None = None
    words: str | None = None

    @classmethod
    def of(cls, message: Message) -> Anchor:
        """The anchor of a message."""
        return cls(id=message.id, at=message.at, words=_hash(message))

    def place(self, messages: Sequence[Message]) -> int | None:
        """Where the message stands among these; None where it is not there.

        A message with this id is meant if its time or its words are the same. Otherwise another one with these words
        is meant, if there is one; and if not, a message with this id: an agent may complete a message later.
        """
        same_id = [number for number, message in enumerate(messages) if message.id == self.id]
        for number in same_id:
            if self._is_same(messages[number]):
                return number
        same_words = [
            n for n, message in enumerate(messages) if self.words is not None and _hash(message) == self.words
        ]
        same_time = [number for number in same_words if messages[number].at == self.at]
        if same_time:
            return same_time[0]
        if len(same_words) == 1:
            return same_words[0]
        return same_id[0] if same_id else None

    def _is_same(self, message: Message) -> bool:
        return (self.at is not None and message.at == self.at) or self.words in (None, _hash(message))


def _hash(message: Message) -> str:
    """A short hash of what a message says and does."""
    words = [
        part.text if isinstance(part, Text) else part.name
        for part in message.parts
        if isinstance(part, Text | ToolCall)
    ]
    text = "\n".join((message.role, *words))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class MessageMarks(Value, frozen=True, kw_only=True):
    """The marks of one message."""

    anchor: Anchor
    marks: Marks


class SessionMarks(Value, frozen=True, kw_only=True):
    """The marks of a session itself, and those of its messages by the ids that the messages had."""

    session: Marks = NO_MARKS
    messages: Mapping[str, MessageMarks] = NOTHING

    def by_message(self, messages: Sequence[Message]) -> dict[int, Marks]:
        """The marks of these messages by their places. A mark whose message is gone is left out."""
        places = [(one.anchor.place(messages), one.marks) for one in self.messages.values()]
        return {place: marks for place, marks in places if place is not None}
