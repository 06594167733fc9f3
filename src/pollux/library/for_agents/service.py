"""Sessions as agents may see them: nothing private, and without secrets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.errors import StoreError, UnknownName
from pollux.index.catalogue.private import Hidden, hidden
from pollux.index.catalogue.values import Filter, ListEntry
from pollux.library.fresh_index import FreshIndex
from pollux.library.reader import SessionReader
from pollux.marks.store import MarkStore
from pollux.model import Message, Session, ToolCall
from pollux.system.config import load
from pollux.system.directories import Places

if TYPE_CHECKING:
    from pollux.transforms.redact import Redactor


class ForAgents:
    """What agents may see. Everything that a person marked as private is unknown here, and is not counted either.

    Where it cannot be known what is private, nothing is answered: the questions raise `StoreError` or `RequestError`.
    """

    def __init__(self, places: Places, index: FreshIndex, reader: SessionReader, marks: MarkStore) -> None:
        self._places = places
        self._index = index
        self._reader = reader
        self._marks = marks

    @cached_property
    def redactor(self) -> Redactor:
        """Takes secrets out, by the user's settings: a secret has the same number in all answers."""
        from pollux.library.redaction import redactor

        return redactor(self._places.settings, self._places.home)

    def hidden(self, own: Collection[str] = ()) -> Hidden:
        """What agents must not see, and these sessions of the agent that asks."""
        projects = load(self._places.settings).private.projects
        found = self._index.ask(lambda current: hidden(current, projects, own))
        if self._marks.unreadable is not None:
            raise StoreError("Nothing is answered, because pollux cannot read which sessions are private.")
        return found

    def session(self, name: str) -> Session:
        """The session of a key or of a unique prefix of an id, without its private messages. A name is never a path.

        Its secrets are still there: see `redacted`. Raises `UnknownName` and `Ambiguous`.
        """
        private = self.hidden().keys
        for place in self._reader.find_by_id(name, private):
            for session in self._reader.at(place):
                return self._without_private(session, private)
        raise UnknownName("session", name)

    def _without_private(self, session: Session, private: Collection[str]) -> Session:
        marks = self._marks.state().of(session.key)
        marked = marks.by_message(session.messages) if marks is not None else {}
        left_out = {place for place, one in marked.items() if one.private}
        messages = [message for place, message in enumerate(session.messages) if place not in left_out]
        if private:
            messages = [_without_answers_of(message, private) for message in messages]
        return replace(session, messages=tuple(messages))

    def redacted(self, session: Session, messages: Iterable[Message] | None = None) -> Session:
        """A session without its secrets; with only these messages, if not all are wanted."""
        wanted = session.messages if messages is None else tuple(messages)
        return self.redactor(replace(session, messages=wanted, files=()))

    def keys(self, criteria: Filter, own: Collection[str] = ()) -> list[str]:
        """The keys of the wanted sessions, the newest first."""
        left_out = self.hidden(own).keys
        listed = self._index.ask(lambda current: current.listed_keys(criteria))
        return [one.key for one in listed if one.key not in left_out]

    def entries(self, keys: Iterable[str]) -> list[ListEntry]:
        """Summaries of a few sessions that `keys` gave. A session that is gone is left out."""
        return self._index.ask(lambda current: current.entries(keys))


def _without_answers_of(message: Message, private: Collection[str]) -> Message:
    """A message without the answers of private sub-agents."""
    if not any(isinstance(part, ToolCall) and part.child in private for part in message.parts):
        return message
    parts = [
        replace(part, output=None, attachments=()) if isinstance(part, ToolCall) and part.child in private else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))
