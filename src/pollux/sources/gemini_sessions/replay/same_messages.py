"""Finds the messages that several files of one session share, even if a file has lost what shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from pollux.model import Message, ToolCall

# A message without an id is called after its place, which differs between damaged copies.
_PLACE = re.compile(r"(?:line|item)-(?:\d+|None)(?:-\d+)?\Z")
_LONG = 8
_Key = tuple[Any, ...]


def with_common_ids(files: Sequence[list[Message]]) -> list[list[Message]]:
    """The messages of each file, so that the same message has the same id in all of them."""
    return _with_own_usage(_named(_without_later_copies(files)))


def _without_later_copies(files: Sequence[list[Message]]) -> list[list[Message]]:
    """Leave out messages that another file shows to be later copies: the lines before them are lost here."""
    ids = [{message.id for message in messages} for messages in files]
    originals = [_originals(messages) for messages in files]
    repeated: set[str] = set()
    result: list[list[Message]] = []
    for place, messages in enumerate(files):
        others = [(ids[n], originals[n]) for n in range(len(files)) if n != place]
        for message in messages:
            name = message.id
            targets = {known[name] for own, known in others if name in known and name not in own}
            if message.usage is None and targets - repeated:
                repeated.add(name)
        result.append([message for message in messages if message.id not in repeated])
    return result


def _originals(messages: list[Message]) -> dict[str, str]:
    """The ids of the copies that a file holds of its messages, with the id of the message."""
    copies = ((copy["id"], message.id) for message in messages for copy in message.extra.get("copies", ()))
    return {name: original for name, original in copies if name is not None and name != original}


def _named(files: list[list[Message]]) -> list[list[Message]]:
    """Give messages that lost their id the id of the same message in another file.

    A piece of a damaged document may also look like a message: a call has an id, too.
    """
    calls = {
        part.id: message.id
        for messages in files
        for message in messages
        for part in message.parts
        if type(part) is ToolCall and part.id is not None
    }
    if not any(_lacks_id(message) or message.id in calls for messages in files for message in messages):
        return files
    known = _Known()
    for messages in files:
        known.add(message for message in messages if not _lacks_id(message) and message.id not in calls)
    result: list[list[Message]] = []
    for place, messages in enumerate(files):
        own = [_with_id(message, calls.get(message.id), known, place) for message in messages]
        known.add(own)
        result.append(own)
    return result


def _lacks_id(message: Message) -> bool:
    """Has a message lost its id, or a part of it?"""
    return _PLACE.match(message.id) is not None or "\n" in message.id


def _with_id(message: Message, name: str | None, known: _Known, place: int) -> Message:
    """A message under its common id. `name` is the id of the message that holds it, if it is a call."""
    if name is None and _lacks_id(message):
        name = known.find(message) or (f"{message.id}-{place}" if message.id in known.names else None)
    return replace(message, id=name) if name is not None else message


class _Known:
    """The messages so far, by what shows that another one is the same."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._by_key: dict[_Key, str] = {}

    def add(self, messages: Iterable[Message]) -> None:
        """Add the messages of a file."""
        for message in messages:
            self.names.add(message.id)
            for key in _keys(message):
                self._by_key.setdefault(key, message.id)

    def find(self, message: Message) -> str | None:
        """The id of the same message: by the beginning of its id that is left, or by its content."""
        beginning, is_cut, _ = message.id.partition("\n")
        if is_cut and len(beginning) >= _LONG:
            names = [name for name in self.names if name.startswith(beginning) and "\n" not in name]
            shortest = min(names, key=len, default="")
            # The id of a tool's answer is that of the message with an addition.
            return shortest if names and all(name.startswith(shortest) for name in names) else None
        return next((self._by_key[key] for key in _keys(message) if key in self._by_key), None)


def _keys(message: Message) -> Iterator[_Key]:
    """What shows that two messages are the same: two of time, words and figures, or all content."""
    figures = repr(message.usage.native) if message.usage is not None else None
    if message.at is not None:
        yield message.role, message.at, message.text
        if figures is not None:
            yield message.role, message.at, figures
    elif message.text and figures is not None:
        yield message.role, message.text, figures
    else:
        yield message.role, repr(message.parts)


def _with_own_usage(files: list[list[Message]]) -> list[list[Message]]:
    """Correct figures that one file gives to the next message, and another does not.

    Up to 0.31 a message with calls may have the figures of the answer after it. A damaged file may hide this, or show
    it where it is not so: the answer lost its own figures.
    """
    moves = {
        (calls.id, reply.id, repr(reply.usage.native))
        for messages in files
        for calls, reply in pairwise(messages)
        if calls.usage is None and not calls.text and reply.usage is not None
    }
    if not moves:
        return files
    denied = {
        (calls.id, reply.id, repr(calls.usage.native))
        for messages in files
        for calls, reply in pairwise(messages)
        if calls.usage is not None and reply.usage is not None
    } & moves
    taken = {(calls, figures) for calls, _, figures in moves - denied}
    given = {(reply, figures) for _, reply, figures in denied}
    return [[_without_usage(message, taken | given) for message in messages] for messages in files]


def _without_usage(message: Message, moved: set[tuple[str, str]]) -> Message:
    if message.usage is None or (message.id, repr(message.usage.native)) not in moved:
        return message
    return replace(message, usage=None)
