"""Following sessions while they are being written.

A change in an agent's folder starts a sync, which reads only what changed. Sessions with new numbers in the catalogue
are then compared with what was seen of them before. So it does not matter which pollux synced a change.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import RequestError
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Cursor, Filter, SessionLocation
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.reader import SessionReader
from pollux.library.watch.ticks import Tick, Ticks
from pollux.model import Fate, Message, Part, Session, Summary, Text, Thinking, ToolCall, Value, summarize
from pollux.sources.base import fingerprint_of

RECENT = 16
"""So many sessions are read before anything changes: the next change is probably in one of them."""


class EventKind(StrEnum):
    """What happened."""

    SESSION = "session"
    MESSAGE = "message"
    MORE = "more"
    FATE = "fate"


class Event(Value, frozen=True, kw_only=True):
    """Something that an agent just wrote.

    `session`: a session appeared. `message`: a message was added. `more`: a message grew, or a tool answered it; its
    parts are only what is new. `fate`: a message was rewound, compressed or cancelled.
    """

    event: EventKind
    session: Summary
    short_id: str
    message: Message | None = None


class Watch:
    """Follows the chosen sessions from the moment it is made. Iterating waits for events, without end."""

    def __init__(
        self, homes: Homes, index: FreshIndex, reader: SessionReader, criteria: Filter, key: str | None = None
    ) -> None:
        self._homes = homes
        self._index = index
        self._reader = reader
        self._criteria = criteria
        self._key = reader.session(key).key if key is not None else None
        index.sync()
        self._cursor, self._keys = self._newest()
        # Numbers instead of ids, so that a large history takes little room.
        self._known: dict[str, array[int]] = {}
        for name, ids in index.ask(CatalogueQueries.message_ids, synced=False):
            self._known.setdefault(name, array("q")).extend(map(hash, ids))
        if self._key is not None and self._key not in self._keys:
            raise RequestError(f"{key} lies in no agent's folder, and only those are watched.")
        self._seen = {session.key: SeenSession(session) for session in self._recent()}

    def __iter__(self) -> Iterator[Event]:
        for _ in synced_ticks(self._index, self._folders):
            yield from self._news()

    def _folders(self) -> list[Path]:
        return [root.path for _, root in self._homes.roots()]

    def _newest(self) -> tuple[Cursor, set[str]]:
        """The present cursor of the cache, and the keys of all sessions."""
        return self._index.ask(CatalogueQueries.newest, synced=False)

    def _recent(self) -> Iterator[Session]:
        """The newest sessions, or the one that is watched."""

        def question(current: CatalogueQueries) -> list[SessionLocation]:
            newest = (
                [self._key] if self._key else [one.summary.key for one in current.list_sessions(self._criteria, RECENT)]
            )
            places = (place for one in newest for place in current.with_prefix(one.partition(":")[2]))
            return [place for place in places if place.key in newest]

        return self._reader.at(*self._index.ask(question, synced=False))

    def _newer(self, cursor: Cursor) -> Iterator[tuple[Session, str]]:
        """The sessions that were read after a cursor, each with the shortest prefix of its id that is unique."""

        def question(current: CatalogueQueries) -> list[tuple[SessionLocation, str]]:
            places = [place for place in current.newer(cursor, self._criteria) if self._key in (None, place.key)]
            return [(place, current.short(place.id)) for place in places]

        pairs = self._index.ask(question, synced=False)
        short = {place.key: prefix for place, prefix in pairs}
        for session in self._reader.at(*(place for place, _ in pairs)):
            yield session, short[session.key]

    def _news(self) -> Iterator[Event]:
        cursor, keys = self._newest()
        if cursor != self._cursor:
            before, self._cursor = self._cursor, cursor
            for session, short in self._newer(before):
                yield from self._compare(session, short)
        self._keys |= keys

    def _compare(self, session: Session, short: str) -> Iterator[Event]:
        is_known = session.key in self._keys
        summary = summarize(session)
        if not is_known:
            yield Event(event=EventKind.SESSION, session=summary, short_id=short)
        before = self._seen.get(session.key)
        if before is None:
            before = SeenSession(session, {*self._known.pop(session.key, ())}) if is_known else SeenSession()
        after = self._seen[session.key] = SeenSession(session)
        for event, message in before.news(session):
            yield Event(event=event, session=summary, short_id=short, message=message)
        after.keep(before)


class Changes:
    """The keys of the sessions that change from the moment it is made. Iterating waits until `stop` is set.

    Where nothing changed for some seconds it gives no keys, so that whoever iterates may end. If it `settles`, other
    questions take what it found and do not look themselves.
    """

    def __init__(
        self, homes: Homes, index: FreshIndex, stop: threading.Event | None = None, *, settles: bool = False
    ) -> None:
        self._stop = stop
        self._settles = settles
        self._homes = homes
        self._index = index
        self._cursor, self._keys = self._newest()

    def __iter__(self) -> Iterator[frozenset[str]]:
        for is_synced in synced_ticks(self._index, self._folders, self._stop, settles=self._settles):
            yield self._changed() if is_synced else frozenset()

    def _folders(self) -> list[Path]:
        return [root.path for _, root in self._homes.roots()]

    def _newest(self) -> tuple[Cursor, set[str]]:
        return self._index.ask(CatalogueQueries.newest, synced=False)

    def _changed(self) -> frozenset[str]:
        before, known = self._cursor, self._keys
        self._cursor, self._keys = self._newest()
        if self._cursor == before:
            return frozenset(known - self._keys)
        newer = self._index.ask(lambda current: current.newer(before, Filter(everything=True)), synced=False)
        return frozenset({place.key for place in newer} | (known - self._keys))


def synced_ticks(
    index: FreshIndex, folders: Callable[[], list[Path]], stop: threading.Event | None = None, *, settles: bool = False
) -> Iterator[bool]:
    """Syncs whenever something may have changed. Each tick says whether it did; those between let the caller end."""
    ticks = Ticks(folders, stop)
    for tick in ticks:
        if tick is not Tick.QUIET:
            outcome = index.sync(settles=settles)
            if tick is Tick.DUE and (outcome.changed or outcome.removed):
                ticks.missed()
        else:
            index.store.rest()
        yield tick is not Tick.QUIET


class Mark(msgspec.Struct, frozen=True):
    """Enough of a part that was seen to tell whether it grew."""

    kind: type
    length: int
    digest: str


class SeenSession:
    """What was seen of a session: marks instead of texts, so that many sessions take little memory.

    With `known`, only messages whose ids have these hashes: for a session that was not read before it changed.
    """

    def __init__(self, session: Session | None = None, known: Container[int] | None = None) -> None:
        self.messages: dict[str, tuple[Fate, list[Mark]]] = {}
        for message in session.messages if session is not None else ():
            if known is None or hash(message.id) in known:
                self.messages[message.id] = (message.fate, [_mark(part) for part in message.parts])

    def keep(self, before: SeenSession) -> None:
        """Keep messages that are missing now. One may be back later, and is not new then."""
        self.messages = before.messages | self.messages

    def news(self, session: Session) -> Iterator[tuple[EventKind, Message]]:
        """What was not seen before, except inherited messages: these were written in another session."""
        for message in session.messages:
            old = self.messages.get(message.id)
            if old is None:
                if not message.inherited:
                    yield EventKind.MESSAGE, message
                continue
            fate, marks = old
            if parts := tuple(_additions(marks, message.parts)):
                yield EventKind.MORE, msgspec.structs.replace(message, parts=parts)
            if fate is not message.fate:
                yield EventKind.FATE, message


def _content(part: Part) -> str:
    """The text or values of a part; if they change, the part is reported again."""
    if isinstance(part, Text | Thinking):
        return part.text
    value: Any = part
    if isinstance(part, ToolCall):
        value = (part.id, part.name, part.input, part.status, part.output, part.exit_code, part.child)
    return repr(value)


def _mark(part: Part, length: int | None = None) -> Mark:
    """The mark of a part, or of the prefix of its text."""
    content = _content(part)[:length]
    return Mark(type(part), len(content), fingerprint_of([content]))


def _additions(marks: Sequence[Mark], parts: Sequence[Part]) -> Iterator[Part]:
    """The parts that are new, and the added text of parts that grew."""
    for number, part in enumerate(parts):
        if _mark(part) in marks:
            continue
        old = marks[number] if number < len(marks) else None
        if isinstance(part, Text | Thinking) and old is not None and _mark(part, old.length) == old:
            yield msgspec.structs.replace(part, text=part.text[old.length :])
        else:
            yield part
