"""Finds the messages that several files of one session share, even if a file has lost what shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from pollux.model import Message

# A message without an id is called after its place, which differs between damaged copies.
_PLACE = re.compile(r"(?:line|item)-(?:\d+|None)(?:-\d+)?\Z")
_Key = tuple[Any, ...]


def with_common_ids(files: Sequence[list[Message]]) -> list[list[Message]]:
    """The messages of each file, so that the same message has the same id in all of them."""
    return _without_moved_usage(_named(_without_later_copies(files)))


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
    """Give messages that lost their id the id of the same message in another file."""
    if not any(_PLACE.match(message.id) for messages in files for message in messages):
        return files
    known: dict[_Key, str] = {}
    for message in (message for messages in files for message in messages if not _PLACE.match(message.id)):
        for key in _keys(message):
            known.setdefault(key, message.id)
    names = set(known.values())
    result: list[list[Message]] = []
    for place, messages in enumerate(files):
        own: list[Message] = []
        for message in messages:
            final = message
            if _PLACE.match(message.id):
                name = next((known[key] for key in _keys(message) if key in known), message.id)
                final = replace(message, id=f"{name}-{place}" if name == message.id and name in names else name)
            own.append(final)
        for message in own:
            for key in _keys(message):
                known.setdefault(key, message.id)
        names.update(message.id for message in own)
        result.append(own)
    return result


def _keys(message: Message) -> Iterator[_Key]:
    """What shows that two messages are the same: two of time, words and figures, or all of them."""
    figures = repr(message.usage.native) if message.usage is not None else None
    if message.at is not None:
        yield message.role, message.at, message.text
        if figures is not None:
            yield message.role, message.at, figures
    elif message.text and figures is not None:
        yield message.role, message.text, figures
    else:
        yield message.role, repr(message.parts)


def _without_moved_usage(files: list[list[Message]]) -> list[list[Message]]:
    """Figures that one file shows to belong to the next message count there."""
    moved = {
        (calls.id, repr(reply.usage.native))
        for messages in files
        for calls, reply in pairwise(messages)
        if calls.usage is None and not calls.text and reply.usage is not None
    }
    return [
        [
            replace(message, usage=None)
            if message.usage is not None and not message.text and (message.id, repr(message.usage.native)) in moved
            else message
            for message in messages
        ]
        for messages in files
    ]
