"""Which message a name means: `gemini:6403bd4e#5a7c` is the message 5a7c of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pollux.errors import RequestError, UnknownName
from pollux.library.reader import path_of_name
from pollux.model import Message, Session
from pollux.text.suggest import closest

SIGN = "#"
"""It stands between the name of a session and that of a message."""


class Citation(NamedTuple):
    """A session, or one of its messages."""

    session: Session
    message: Message | None = None


def cited(name: str, session: Callable[[str], Session]) -> Citation:
    """The session or the message that a name means. An id or a path may have the sign, too."""
    key, sign, message = name.rpartition(SIGN)
    if not sign or not key or path_of_name(name) is not None:
        return Citation(session(name))
    try:
        found = session(key)
    except UnknownName:
        try:
            return Citation(session(name))
        except UnknownName:
            pass
        raise
    return Citation(found, found.messages[find_message(found.messages, message)])


def find_message(messages: Sequence[Message], name: str) -> int:
    """The place of the message whose id is this, or begins like this."""
    exact = [number for number, message in enumerate(messages) if message.id == name]
    numbers = exact or [number for number, message in enumerate(messages) if name and message.id.startswith(name)]
    if not numbers:
        close = closest(name, {message.id[: len(name)] for message in messages}, alike=0.8)
        hint = f"Did you mean: {close}?" if close else "pollux show KEY --raw tells the id of each message."
        raise UnknownName("message", name, hint=hint)
    if len({messages[number].id for number in numbers}) > 1:
        several = ", ".join(messages[number].id for number in numbers[:5]) + (", …" if len(numbers) > 5 else "")
        raise RequestError(f"{len(numbers)} messages start with {name!r}.", f"Type more of the id: {several}")
    return numbers[0]
