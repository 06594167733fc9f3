"""Joins several readings of one session. Each message comes from a reading that still has it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import count

import msgspec

from pollux.model import Message, Part, Session, Text, Thinking, ToolCall, Value


class FileShare(Value, frozen=True, kw_only=True):
    """A file, and how many of a recovered session's messages come from it."""

    file: str | None
    messages: int


class JoinedSession(Value, frozen=True, kw_only=True):
    """A session that was joined again. The agent's own files hold `lost` of its messages no longer."""

    session: Session
    lost: int
    shares: tuple[FileShare, ...]


def join_readings(now: Session | None, readings: Sequence[Session]) -> JoinedSession:
    """Join readings, the earliest first. `now` is the session as the agent's own files hold it.

    Of a message that several readings hold, the last one counts. Nothing is made up: each is as a reader gave it.
    """
    messages: list[Message] = []
    for reading in readings:
        messages = _joined(messages, reading.messages)
    last = readings[-1]
    live = now.messages if now is not None else ()
    ids, renamed = {message.id for message in live}, _RenamedMessages(live, {message.id for message in messages})
    lost = sum(message.id not in ids and renamed.take(message) is None for message in messages)
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
    """The later messages, with the earlier ones that they lack. Each of those follows its predecessor.

    A message that said something else before is there in both forms.
    """
    best = {message.id: message for message in later}
    renamed = _RenamedMessages(later, {message.id for message in earlier})
    follow: dict[str | None, list[Message]] = {}
    before: str | None = None
    for message in earlier:
        same = best.get(message.id)
        if same is not None and covers(same, message):
            before = message.id
        elif same is not None and covers(message, same):
            before = message.id
            best[message.id] = message
        elif same is None and (other := renamed.take(message)) is not None:
            before = other.id
        else:
            free = next(name for name in _names(message.id) if name not in best)
            follow.setdefault(before, []).append(msgspec.structs.replace(message, id=free))
    joined = list(follow.get(None, ()))
    for message in later:
        joined.append(best[message.id])
        joined += follow.pop(message.id, ())
    return joined


class _RenamedMessages:
    """Messages under ids that are new among them, each of which may stand for one that had another id.

    That one says the same, and was said at the same time, unless the time of one of them is not known.
    """

    def __init__(self, messages: Iterable[Message], known: Collection[str]) -> None:
        self._found: dict[tuple[str, str, str], dict[datetime | None, deque[Message]]] = {}
        for message in messages:
            if message.id not in known:
                self._found.setdefault(_mark(message), {}).setdefault(message.at, deque()).append(message)

    def take(self, message: Message) -> Message | None:
        """The message that stands for this one. It is given once."""
        by_time = self._found.get(_mark(message), {})
        wanted = (message.at, None) if message.at is not None else by_time
        at = next((at for at in wanted if at in by_time), None)
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
    """Does a message hold all that another form of it holds?"""
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
    """All that a message says."""
    return "\0".join(filter(None, map(_words, message.parts)))


def _words(part: Part) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall():
            return f"{part.id}\0{part.name}\0{part.input}"
        case _:
            return repr(part)
