"""One session from several readings of it: all that any of them holds, each message from where it still stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pollux.model import Message, Notice, Part, Session, Severity, Text, Thinking, ToolCall, Value


class Witness(Value, frozen=True, kw_only=True):
    """A file, and how many of a recovered session's messages come from it."""

    file: str | None
    messages: int


class Recovered(Value, frozen=True, kw_only=True):
    """A session put together again. `lost` messages are in no file of the agent's any more."""

    session: Session
    lost: int
    witnesses: tuple[Witness, ...]


def recovered(now: Session | None, readings: Sequence[Session]) -> Recovered:
    """Join readings, the earliest first; `now` is what the agent's own files still tell.

    Of a message that several readings hold, the last one counts. Nothing is made up: each is as a reader gave it.
    """
    messages: list[Message] = []
    for reading in readings:
        messages = _joined(messages, reading.messages)
    last = readings[-1]
    held = {_mark(message) for message in now.messages} if now is not None else set()
    ids = {message.id for message in now.messages} if now is not None else set()
    lost = sum(message.id not in ids and _mark(message) not in held for message in messages)
    counted = Counter(message.origin.file if message.origin is not None else None for message in messages)
    moments = [at for reading in readings for at in (reading.started, reading.ended) if at is not None]
    session = msgspec.structs.replace(
        last,
        kind=max((reading for reading in readings), key=lambda reading: len(reading.messages)).kind,
        title=next((reading.title for reading in reversed(readings) if reading.title), None),
        started=min(moments, default=None),
        ended=max(moments, default=None),
        messages=tuple(messages),
        links=tuple(dict.fromkeys(link for reading in readings for link in reading.links)),
        notices=tuple(dict.fromkeys(_notices(readings, lost))),
        files=tuple(dict.fromkeys(file for reading in readings for file in reading.files)),
        kept=lost > 0 or last.kept,
    )
    witnesses = tuple(Witness(file=file, messages=count) for file, count in counted.most_common())
    return Recovered(session=session, lost=lost, witnesses=witnesses)


def _notices(readings: Iterable[Session], lost: int) -> Iterator[Notice]:
    for reading in readings:
        yield from reading.notices
    if lost:
        text = f"{lost} of the messages are in none of the agent's own files any more."
        yield Notice(code="session.recovered", text=text, severity=Severity.INFO)


def _joined(earlier: Sequence[Message], later: Sequence[Message]) -> list[Message]:
    """The later messages, and those of the earlier ones that are missing among them, each behind its predecessor."""
    ids = {message.id for message in later}
    marks = Counter(_mark(message) for message in later if message.id not in {one.id for one in earlier})
    follow: dict[str | None, list[Message]] = {}
    before: str | None = None
    places = {_mark(message): message.id for message in later}
    for message in earlier:
        if message.id in ids:
            before = message.id
        elif marks[_mark(message)] > 0:  # the same words under another id
            marks[_mark(message)] -= 1
            before = places[_mark(message)]
        else:
            follow.setdefault(before, []).append(message)
    joined = list(follow.get(None, ()))
    for message in later:
        joined.append(message)
        joined += follow.pop(message.id, ())
    return joined


def _mark(message: Message) -> tuple[str, str, str]:
    """What tells a message apart where ids do not."""
    return message.role, message.author, "\0".join(filter(None, map(_words, message.parts)))


def _words(part: Part) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall():
            return f"{part.id}\0{part.name}\0{part.input}"
        case _:
            return repr(part)
