"""Sessions as agents may see them: nothing private, and without secrets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from pollux import registry
from pollux.errors import StoreError, UnknownName
from pollux.index.catalogue.private import Hidden, copies_of, hidden
from pollux.index.catalogue.states import known_states, state_of
from pollux.index.catalogue.values import Filter, ListEntry
from pollux.library.for_agents.caller import caller_project
from pollux.library.fresh_index import FreshIndex
from pollux.library.reader import SessionReader
from pollux.marks.store import MarkStore
from pollux.model import Anchor, Message, Session, ToolCall
from pollux.sources.capabilities import own_session_of
from pollux.system.config import load
from pollux.system.directories import Places

if TYPE_CHECKING:
    from pollux.library.for_agents.search import AgentHits, AgentRequest
    from pollux.transforms.redact import Redactor


class ReadSession(NamedTuple):
    """A session as agents may see it, the short key that names it, and its state."""

    session: Session
    short_key: str
    state: str


class ForAgents:
    """What agents may see. Everything that a person marked as private is unknown here, and is not counted either.

    Where it cannot be known what is private, nothing is answered: the questions raise `StoreError` or `RequestError`.
    """

    def __init__(
        self,
        places: Places,
        index: FreshIndex,
        reader: SessionReader,
        marks: MarkStore,
        *,
        may_index_later: Callable[[], bool],
    ) -> None:
        self._may_index_later = may_index_later
        self._places = places
        self._index = index
        self._reader = reader
        self._marks = marks

    @cached_property
    def _redactor(self) -> Redactor:
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
        return self.read(name).session

    def read(self, name: str) -> ReadSession:
        """The same, with its state and its short key."""
        private = self.hidden()
        for place in self._reader.find_by_id(name, private.keys):
            for session in self._reader.at(place):
                short = self._index.ask(lambda current, id=session.id: current.short(id))  # type: ignore[misc]
                visible = self._without_private(session, private)
                return ReadSession(visible, f"{session.agent}:{short}", state_of(session))
        raise UnknownName("session", name)

    def _without_private(self, session: Session, private: Hidden) -> Session:
        marks = self._marks.state().of(session.key)
        marked = marks.by_message(session.messages) if marks is not None else {}
        left_out = {place for place, one in marked.items() if one.private}
        if copied := private.copied.get(session.key):
            left_out |= copies_of(copied, [Anchor.of(message) for message in session.messages])
        messages = [message for place, message in enumerate(session.messages) if place not in left_out]
        if private.keys:
            messages = [_without_answers_of(message, private.keys) for message in messages]
        title = None if left_out else session.title  # it may come from what is private
        return replace(session, messages=tuple(messages), title=title)

    def session_key(self, name: str) -> str:
        """The key of the session that a name means, as for `session`; its files are not read. Raises `UnknownName`."""
        return self._reader.find_by_id(name, self.hidden().keys)[0].key

    def redactor(self) -> Redactor:
        """What takes secrets out: the same secret has the same number in all answers."""
        return self._redactor

    def redacted_text(self, text: str) -> str:
        """A text by itself without its secrets."""
        return self._redactor.text(text)

    def redacted(self, session: Session, messages: Iterable[Message] | None = None) -> Session:
        """A session without its secrets; with only these messages, if not all are wanted."""
        wanted = session.messages if messages is None else tuple(messages)
        return self._redactor(replace(session, messages=wanted, files=()))

    def search(self, request: AgentRequest, own: Collection[str] = (), *, redact: bool = True) -> AgentHits:
        """What matches a query. Raises `BadQuery`."""
        from pollux.library.for_agents.search import AgentSearch

        redactor = self._redactor if redact else None
        wanted = request._replace(waits=not self._may_index_later())
        return AgentSearch(self._index, self.hidden(own), wanted, redactor, self.session).find()

    def project_at(self, directory: Path) -> str | None:
        """The project that somebody works on in a directory; None in the user's home or above it."""
        known = self._index.ask(lambda current: current.project_paths())
        return caller_project(known, str(directory), str(self._places.home))

    def own_sessions(self, meta: Mapping[str, Any]) -> set[str]:
        """The keys of the sessions that the agent which started this program is writing, as far as it says so.

        `meta` is what a call says of itself.
        """
        ids = {
            name: own_session_of(registry.source(name), self._places.environ, meta) for name in registry.source_names()
        }
        return {f"{name}:{id}" for name, id in ids.items() if id is not None}

    def look_again(self) -> None:
        """Let the next question look for what changed since the last one."""
        self._index.look_again()

    def states(self, keys: Iterable[str]) -> dict[str, str]:
        """The states of some sessions."""
        return self._index.ask(lambda current: known_states(current, keys))

    def keys(self, criteria: Filter, own: Collection[str] = (), limit: int | None = None) -> list[str]:
        """The keys of the wanted sessions, the newest first."""
        left_out = self._left_out(criteria, own)
        most = None if limit is None else limit + len(left_out)
        listed = self._index.ask(lambda current: current.listed_keys(criteria, most))
        return [one.key for one in listed if one.key not in left_out][:limit]

    def count(self, criteria: Filter, own: Collection[str] = ()) -> int:
        """How many sessions are wanted."""
        left_out = self._left_out(criteria, own)
        return self._index.ask(lambda current: current.count(criteria) - current.count(criteria, left_out))

    def _left_out(self, criteria: Filter, own: Collection[str]) -> frozenset[str]:
        """The sessions that a list must not have. One with a private message is not found by words."""
        private = self.hidden(own)
        by_words = criteria.words or any(name == "name" for name, _ in criteria.marks)
        return private.keys | private.partly.keys() if by_words else private.keys

    def entries(self, keys: Iterable[str]) -> list[ListEntry]:
        """Summaries of a few sessions that `keys` gave. A session that is gone is left out."""
        partly = self.hidden().partly
        return [
            replace(entry, summary=replace(entry.summary, title=None)) if entry.summary.key in partly else entry
            for entry in self._index.ask(lambda current: current.entries(keys))
        ]

    def without_private(self, session: Session) -> Session:
        """A session without its private messages, and without the answers of private sub-agents."""
        return self._without_private(session, self.hidden())


def _without_answers_of(message: Message, private: Collection[str]) -> Message:
    """A message without the answers and the keys of private sub-agents."""
    if not any(isinstance(part, ToolCall) and part.child in private for part in message.parts):
        return message
    parts = [
        replace(part, output=None, attachments=(), child=None)
        if isinstance(part, ToolCall) and part.child in private
        else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))
