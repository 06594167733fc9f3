"""What a person noted about sessions and messages: stars, tags, notes, names."""

from __future__ import annotations

import hashlib
import re
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
        return cls(id=message.id, at=message.at, words=hash_words(message).hex())

    @property
    def key(self) -> str:
        """What no other message of the session ever has: the id, with all else if the id is only a place in a file."""
        if self.words is None or not _PLACE.fullmatch(self.id):
            return self.id
        return f"{self.id} {self.at.timestamp() if self.at is not None else None} {self.words}"

    def place(self, messages: Sequence[Anchor]) -> int | None:
        """Where the message stands among those with these anchors; None where it is not there.

        An id of its own is enough. If the id is only a place in a file, or is gone, the message has the same words: at
        the same time, if there is such a one, and otherwise with the same id or nowhere else. A message with other
        words may be the same that was completed later: then it has the same place, and alone the same time.
        """
        same_id = [number for number, one in enumerate(messages) if one.id == self.id]
        if same_id and (self.words is None or not _PLACE.fullmatch(self.id)):
            return max(same_id, key=lambda number: self._likeness(messages[number]))
        same_words = [number for number, one in enumerate(messages) if one.words == self.words]
        if same_time := [number for number in same_words if messages[number].at == self.at]:
            return min(same_time, key=lambda number: self._distance(messages[number]))
        if unmoved := [number for number in same_id if number in same_words]:
            return unmoved[0]
        if same_words:
            return same_words[0] if len(same_words) == 1 else None
        alone = self.at is not None and [one.at for one in messages].count(self.at) == 1
        return next((number for number in same_id if alone and messages[number].at == self.at), None)

    def _likeness(self, other: Anchor) -> tuple[bool, bool]:
        return other.words == self.words, other.at == self.at

    def _distance(self, other: Anchor) -> int:
        """How far the places of two ids are apart."""
        return abs(_number(other.id) - _number(self.id))


_PLACE = re.compile(r"(?:[a-z]+-)?\d+(?:-\d+)*")
"""An id that is only a place in a file, as `line-12`."""


def _number(id: str) -> int:
    digits = re.search(r"\d+", id)
    return int(digits[0]) if digits is not None else 0


def hash_words(message: Message) -> bytes:
    """A short hash of what a message says and does."""
    text: str = message.role
    for part in message.parts:
        if type(part) is Text:
            text += "\n" + part.text
        elif type(part) is ToolCall:
            text += "\n" + part.name
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class MessageMarks(Value, frozen=True, kw_only=True):
    """The marks of one message."""

    anchor: Anchor
    marks: Marks


class SessionMarks(Value, frozen=True, kw_only=True):
    """The marks of a session itself, and those of its messages by the keys of their anchors."""

    session: Marks = NO_MARKS
    messages: Mapping[str, MessageMarks] = NOTHING

    def by_message(self, messages: Sequence[Message]) -> dict[int, Marks]:
        """The marks of these messages by their places. A mark whose message is gone is left out."""
        if not self.messages:
            return {}
        places = self.places([Anchor.of(message) for message in messages])
        return {place: self.messages[key].marks for key, place in places.items()}

    def places(self, messages: Sequence[Anchor]) -> dict[str, int]:
        """The places of the marked messages among those with these anchors, by the keys of their own anchors."""
        places = {key: one.anchor.place(messages) for key, one in self.messages.items()}
        return {key: place for key, place in places.items() if place is not None}
