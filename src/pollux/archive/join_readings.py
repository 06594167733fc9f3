"""Joins several readings of one session. Each message comes from a reading that still has it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import count

import msgspec

from pollux.model import Message, Part, Session, Text, Thinking, ToolCall, Value

_Mark = tuple[str, str, str]
"""The role, the author and the words of a message."""


class FileShare(Value, frozen=True, kw_only=True):
    """A file, and how many messages of a joined session come from it."""

    file: str | None
    messages: int


class JoinedSession(Value, frozen=True, kw_only=True):
    """A joined session. `lost`: how many messages the agent's own files no longer hold."""

    session: Session
    lost: int
    shares: tuple[FileShare, ...]


def join_readings(now: Session | None, readings: Sequence[Session]) -> JoinedSession:
    """Join readings, the earliest first. `now` is the session as the agent's own files hold it.

    If several readings hold a message, the last one counts. Each message is as a reader gave it.
    """
    messages: list[Message] = []
    for reading in readings:
        messages = _joined(messages, reading.messages)
    last = readings[-1]
    live = now.messages if now is not None else ()
    lost = len(messages) - len(_counterparts(messages, live))
    counts = Counter(message.origin.file if message.origin is not None else None for message in messages)
    moments = [at for reading in readings for at in (reading.started, reading.ended) if at is not None]
    session = msgspec.structs.replace(
        last,
        kind=max((reading for reading in readings), key=lambda reading: len(reading.messages)).kind,
        title=next((reading.title for reading in reversed(readings) if reading.title), None),
        started=min(moments, default=None),
        ended=max(moments, default=None),
        messages=tuple(messages),
        links=tuple(dict.fromkeys(link for reading in readings for link in reading.links)),
        notices=tuple(dict.fromkeys(notice for reading in readings for notice in reading.notices)),
        files=tuple(dict.fromkeys(file for reading in readings for file in reading.files)),
        kept=lost > 0 or last.kept,
    )
    shares = tuple(FileShare(file=file, messages=often) for file, often in counts.most_common())
    return JoinedSession(session=session, lost=lost, shares=shares)


def _joined(earlier: Sequence[Message], later: Sequence[Message]) -> list[Message]:
    """The later messages and the earlier ones that they lack. Each of those follows its predecessor.

    If the words of a message changed, both versions are in the result.
    """
    best = {message.id: message for message in later}
    counterparts = _counterparts(earlier, later)
    names = set(best)
    follow: dict[str | None, list[Message]] = {}
    before: str | None = None
    for message in earlier:
        same = counterparts.get(message.id)
        if same is None:
            free = next(name for name in _names(message.id) if name not in names)
            names.add(free)
            follow.setdefault(before, []).append(msgspec.structs.replace(message, id=free))
            continue
        before = same.id
        if covers(message, same) and not covers(same, message):
            best[same.id] = msgspec.structs.replace(message, id=same.id)
    messages = list(follow.get(None, ()))
    for message in later:
        messages.append(best[message.id])
        messages += follow.pop(message.id, ())
    return messages


def _counterparts(earlier: Sequence[Message], later: Iterable[Message]) -> dict[str, Message]:
    """The later messages that are the earlier ones, by the ids of the earlier ones.

    Ids may be numbers of lines, which other lines have in another file. So what was said at the same time in the same
    words comes before what only has the same id.
    """
    rest = _Rest(later)
    pairs: dict[str, Message] = {}
    for rule in (rest.unchanged, rest.renamed, rest.namesake, rest.undated):
        for message in earlier:
            if message.id not in pairs and (other := rule(message)) is not None:
                pairs[message.id] = other
                rest.remove(other)
    return pairs


class _Rest:
    """Messages that are not yet known to be another one. Each method gives the one that a message may be."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self._by_id: dict[str, Message] = {}
        self._by_words: dict[_Mark, dict[datetime | None, deque[Message]]] = {}
        for message in messages:
            self._by_id[message.id] = message
            self._by_words.setdefault(_mark(message), {}).setdefault(message.at, deque()).append(message)

    def remove(self, message: Message) -> None:
        """Remove one that is known now."""
        del self._by_id[message.id]

    def unchanged(self, message: Message) -> Message | None:
        """The one with the same id, words and time."""
        other = self.namesake(message)
        return other if other is not None and other.at == message.at and _mark(other) == _mark(message) else None

    def namesake(self, message: Message) -> Message | None:
        """The one with the same id, where one of the two holds all that the other holds."""
        other = self._by_id.get(message.id)
        return other if other is not None and (covers(other, message) or covers(message, other)) else None

    def renamed(self, message: Message) -> Message | None:
        """One with the same words and time."""
        return self._first(message, message.at) if message.at is not None else None

    def undated(self, message: Message) -> Message | None:
        """One with the same words, where the time of one of the two is not known."""
        times = [None] if message.at is not None else list(self._by_words.get(_mark(message), ()))
        return next((other for at in times if (other := self._first(message, at)) is not None), None)

    def _first(self, message: Message, at: datetime | None) -> Message | None:
        by_time = self._by_words.get(_mark(message), {})
        same = by_time.get(at, deque())
        while same and same[0].id not in self._by_id:
            same.popleft()
        if not same:
            by_time.pop(at, None)
        return same[0] if same else None


def _names(id: str) -> Iterator[str]:
    yield id
    yield from (f"{id}@{number}" for number in count(1))


def covers(message: Message, other: Message) -> bool:
    """Does a message hold everything that another version of it holds?"""
    texts = [part.text for part in message.parts if isinstance(part, Text | Thinking)]
    calls = {_words(part): part.output for part in message.parts if isinstance(part, ToolCall)}
    rest = {_words(part) for part in message.parts}
    for part in other.parts:
        if isinstance(part, Text | Thinking):
            if not any(part.text in text for text in texts):
                return False
        elif isinstance(part, ToolCall):
            if _words(part) not in calls or part.output not in (None, calls[_words(part)]):
                return False
        elif _words(part) not in rest:
            return False
    return True


def _mark(message: Message) -> _Mark:
    """What identifies a message without its id."""
    return message.role, message.author, words_of(message)


def words_of(message: Message) -> str:
    """All words of a message."""
    return "\0".join(filter(None, map(_words, message.parts)))


def _words(part: Part) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall():
            return f"{part.id}\0{part.name}\0{part.input}"
        case _:
            return repr(part)
