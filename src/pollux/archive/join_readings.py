"""Joins several readings of one session. Each message comes from a reading that still has it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import count

import msgspec

from pollux.model import Message, Part, Session, Text, Thinking, ToolCall, Value


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
    ids, renamed_messages = (
        {message.id for message in live},
        _RenamedMessages(live, {message.id for message in messages}),
    )
    lost = sum(message.id not in ids and renamed_messages.take(message) is None for message in messages)
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
    renamed_messages = _RenamedMessages(later, {message.id for message in earlier})
    follow: dict[str | None, list[Message]] = {}
    before: str | None = None
    for message in earlier:
        same = best.get(message.id)
        if same is not None and covers(same, message):
            before = message.id
        elif same is not None and covers(message, same):
            before = message.id
            best[message.id] = message
        elif same is None and (other := renamed_messages.take(message)) is not None:
            before = other.id
        else:
            free = next(name for name in _names(message.id) if name not in best)
            follow.setdefault(before, []).append(msgspec.structs.replace(message, id=free))
    messages = list(follow.get(None, ()))
    for message in later:
        messages.append(best[message.id])
        messages += follow.pop(message.id, ())
    return messages


class _RenamedMessages:
    """Messages with new ids, each of which may be a known message under another id.

    Both have the same words and the same time, unless one of the times is unknown.
    """

    def __init__(self, messages: Iterable[Message], known: Collection[str]) -> None:
        self._found: dict[tuple[str, str, str], dict[datetime | None, deque[Message]]] = {}
        for message in messages:
            if message.id not in known:
                self._found.setdefault(_mark(message), {}).setdefault(message.at, deque()).append(message)

    def take(self, message: Message) -> Message | None:
        """The same message under a new id; each is returned once."""
        by_time = self._found.get(_mark(message), {})
        times = (message.at, None) if message.at is not None else by_time
        at = next((at for at in times if at in by_time), None)
        if at not in by_time:
            return None
        other = by_time[at].popleft()
        if not by_time[at]:
            del by_time[at]
        return other


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


def _mark(message: Message) -> tuple[str, str, str]:
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
