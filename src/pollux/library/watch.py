"""Following sessions while they are being written.

Whoever writes to an agent's folder wakes us; the store is brought up to date, which reads what changed and nothing
else; the sessions with new numbers in the catalogue are compared with what was seen of them before. So it makes no
difference which pollux took a change in.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import RequestError
from pollux.index.catalog.queries import CatalogQueries, Cursor, Filter, SessionLocation
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.reader import SessionReader
from pollux.model import Fate, Message, Part, Session, Summary, Text, Thinking, ToolCall, Value, summarize
from pollux.sources.base import fingerprint_of
from pollux.wire import folder_at

RECENT = 16
"""So many sessions are looked at before anything changes: one of them will be written to next."""

PATIENCE = 5.0
"""Some file systems tell of no change, and none tells of a folder that was not there: so we look anyway."""

PAUSE = 1.0
_IDLE_SHARE = 10


class Happening(StrEnum):
    """What happened."""

    SESSION = "session"
    MESSAGE = "message"
    MORE = "more"
    FATE = "fate"


class Event(Value, frozen=True, kw_only=True):
    """Something that was just written down.

    `session`: a session appeared. `message`: somebody said something. `more`: a message grew, or a tool it called
    answered; its parts are only what is new. `fate`: a message was rewound, compressed away, cancelled.
    """

    event: Happening
    session: Summary
    short_id: str
    message: Message | None = None


class Watch:
    """Follows the sessions that are wanted, from the moment it is made. Iterating waits for what comes, for ever."""

    def __init__(
        self, homes: Homes, index: FreshIndex, reader: SessionReader, wanted: Filter, key: str | None = None
    ) -> None:
        self._homes = homes
        self._index = index
        self._reader = reader
        self._wanted = wanted
        self._key = reader.session(key).key if key is not None else None
        index.sync()
        self._point, self._keys = self._newest()
        # Numbers instead of ids, so that a large history takes little room.
        self._known: dict[str, array[int]] = {}
        for name, ids in index.ask(CatalogQueries.message_ids, synced=False):
            self._known.setdefault(name, array("q")).extend(map(hash, ids))
        if self._key is not None and self._key not in self._keys:
            raise RequestError(f"{key} lies in no agent's folder, and only those are watched.")
        self._seen = {session.key: Seen(session) for session in self._recent()}

    def __iter__(self) -> Iterator[Event]:
        for _ in ticks(self._folders):
            self._index.sync()
            yield from self._news()

    def _folders(self) -> list[Path]:
        return [root.path for _, root in self._homes.roots()]

    def _newest(self) -> tuple[Cursor, set[str]]:
        """How far the cache is, and the keys of all sessions."""
        return self._index.ask(CatalogQueries.newest, synced=False)

    def _recent(self) -> Iterator[Session]:
        """The sessions that were left last, or the one that is watched."""

        def question(current: CatalogQueries) -> list[SessionLocation]:
            newest = (
                [self._key] if self._key else [one.summary.key for one in current.list_sessions(self._wanted, RECENT)]
            )
            places = (place for one in newest for place in current.with_prefix(one.partition(":")[2]))
            return [place for place in places if place.key in newest]

        return self._reader.at(*self._index.ask(question, synced=False))

    def _newer(self, point: Cursor) -> Iterator[tuple[Session, str]]:
        """The sessions that were read since the cache was so far, each with the beginning that suffices to name it."""

        def question(current: CatalogQueries) -> list[tuple[SessionLocation, str]]:
            found = [place for place in current.newer(point, self._wanted) if self._key in (None, place.key)]
            return [(place, current.short(place.id)) for place in found]

        named = self._index.ask(question, synced=False)
        short = {place.key: beginning for place, beginning in named}
        for session in self._reader.at(*(place for place, _ in named)):
            yield session, short[session.key]

    def _news(self) -> Iterator[Event]:
        point, keys = self._newest()
        if point != self._point:
            before, self._point = self._point, point
            for session, short in self._newer(before):
                yield from self._compare(session, short)
        self._keys |= keys

    def _compare(self, session: Session, short: str) -> Iterator[Event]:
        known = session.key in self._keys
        told = summarize(session)
        if not known:
            yield Event(event=Happening.SESSION, session=told, short_id=short)
        before = self._seen.get(session.key)
        if before is None:
            before = Seen(session, {*self._known.pop(session.key, ())}) if known else Seen()
        after = self._seen[session.key] = Seen(session)
        for event, message in before.news(session):
            yield Event(event=event, session=told, short_id=short, message=message)
        after.keep(before)


class Mark(msgspec.Struct, frozen=True):
    """What is kept of a part that was seen: enough to tell whether it grew."""

    kind: type
    length: int
    digest: str


class Seen:
    """What was seen of a session: marks instead of texts, so that following many costs little.

    With `known`, only the messages whose ids have these hashes: for a session that nobody looked at before it changed.
    """

    def __init__(self, session: Session | None = None, known: Container[int] | None = None) -> None:
        self.messages: dict[str, tuple[Fate, list[Mark]]] = {}
        for message in session.messages if session is not None else ():
            if known is None or hash(message.id) in known:
                self.messages[message.id] = (message.fate, [_mark(part) for part in message.parts])

    def keep(self, before: Seen) -> None:
        """A message that is missing for a moment, as in a file that is being written, is not new when it is back."""
        self.messages = before.messages | self.messages

    def news(self, session: Session) -> Iterator[tuple[Happening, Message]]:
        """What a session says that was not seen. What it inherited was said elsewhere."""
        for message in session.messages:
            old = self.messages.get(message.id)
            if old is None:
                if not message.inherited:
                    yield Happening.MESSAGE, message
                continue
            fate, marks = old
            if parts := tuple(_grown(marks, message.parts)):
                yield Happening.MORE, msgspec.structs.replace(message, parts=parts)
            if fate is not message.fate:
                yield Happening.FATE, message


def _essence(part: Part) -> str:
    """What of a part is worth telling again when it changes."""
    if isinstance(part, Text | Thinking):
        return part.text
    told: Any = part
    if isinstance(part, ToolCall):
        told = (part.id, part.name, part.input, part.status, part.output, part.exit_code, part.child)
    return repr(told)


def _mark(part: Part, length: int | None = None) -> Mark:
    """The mark of a part, or of the beginning of its text."""
    essence = _essence(part)[:length]
    return Mark(type(part), len(essence), fingerprint_of([essence]))


def _grown(marks: Sequence[Mark], parts: Sequence[Part]) -> Iterator[Part]:
    """The parts that were not there, and of texts that grew what was added."""
    for number, part in enumerate(parts):
        if _mark(part) in marks:
            continue
        old = marks[number] if number < len(marks) else None
        if isinstance(part, Text | Thinking) and old is not None and _mark(part, old.length) == old:
            yield msgspec.structs.replace(part, text=part.text[old.length :])
        else:
            yield part


def ticks(folders: Callable[[], list[Path]]) -> Iterator[None]:
    """A tick whenever something under these folders may have changed, and one to begin with."""
    yield
    while True:
        there = [folder for folder in folders() if folder_at(folder)]
        yield from _events(there, folders) if there else ()
        began = time.monotonic()
        yield
        # Looking at a large history takes a while, and should not be all that this machine does.
        time.sleep(max(PAUSE, _IDLE_SHARE * (time.monotonic() - began)))


def _events(there: list[Path], folders: Callable[[], list[Path]]) -> Iterator[None]:
    """Ticks by the file system's own word, as long as it can be had."""
    try:
        from watchfiles import watch
    except ImportError:
        return
    try:
        for changes in watch(
            *there,
            watch_filter=None,
            debounce=400,
            step=50,
            rust_timeout=int(PATIENCE * 1000),
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            yield
            if not changes and [folder for folder in folders() if folder_at(folder)] != there:
                return
    except (OSError, RuntimeError):
        return  # the system has no more watches to give, or a folder is gone
