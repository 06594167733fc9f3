"""Finds the sessions of files with damaged heads, wherever they lie: other files hold the same messages."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pollux.sources.base import File, SourceContext
from pollux.sources.gemini_sessions.format.message_ids import MessageIds, message_ids_of
from pollux.sources.gemini_sessions.identity import Identity, stem
from pollux.sources.gemini_sessions.projects.projects import Folder


class FileIdentity(NamedTuple):
    """A file, its folder, and its identity."""

    folder: Folder
    file: File
    own: Identity


class Owner(NamedTuple):
    """The session of a damaged file: a file that names it.

    `elsewhere` are the messages in the damaged file that only another session wrote, as hashes of their ids.
    """

    named: FileIdentity
    elsewhere: frozenset[int] = frozenset()


def owners_of_damaged(
    files: Iterable[FileIdentity],
    others: Iterable[FileIdentity],
    context: SourceContext,
    has_name: Callable[[FileIdentity], bool],
) -> dict[str, Owner]:
    """The sessions of files with damaged heads, by path. If all heads are healthy, nothing else is read.

    The session that shares most messages with a file owns it. A file that still names its session belongs to no other:
    `--session-file` copies messages into another session. Of files without an id, one names the others; `has_name` says
    whether the files around one give it an id. `others` only name sessions.
    """
    own = list(files)
    damaged = [item for item in own if item.own.is_damaged]
    if not damaged:
        return {}
    members = [*own, *(item for item in others if item.own.is_whole)]
    ids = {item.file.path: context.peek(item.file, MessageIds, message_ids_of) for item in members}
    sessions = _Sessions(ids, damaged)
    for item in sorted((item for item in members if item.own.is_whole), key=_age):
        sessions.add(item)
    for item in sorted((item for item in damaged if item.own.id is not None), key=_age):
        if not sessions.place(item):
            sessions.begin(item)
    nameless = [item for item in damaged if item.own.id is None]
    sessions.place_all(nameless)
    for item in sorted(nameless, key=lambda item: (not has_name(item), *_by_name(item))):
        if sessions.begin(item):
            sessions.place_all(sessions.peers(item))
    return {item.file.path: sessions.owner(item) for item in damaged}


class _Sessions:
    """The sessions so far, by the messages that they share with damaged files."""

    def __init__(self, ids: dict[str, MessageIds], damaged: Iterable[FileIdentity]) -> None:
        self._ids = ids
        self._named: list[FileIdentity] = []
        self._by_id: dict[tuple[str | None, str | None], int] = {}
        self._by_path: dict[str, int] = {}
        self._holders: dict[int, set[int]] = {}
        self._writers: dict[int, set[int]] = {}
        self._damaged: dict[int, list[FileIdentity]] = {}
        for item in damaged:
            for number in self._own(item):
                self._damaged.setdefault(number, []).append(item)
                self._holders[number], self._writers[number] = set(), set()

    def _own(self, item: FileIdentity) -> set[int]:
        return self._ids[item.file.path].own_numbers()

    def add(self, item: FileIdentity) -> None:
        """Add a file with a healthy head."""
        session = self._by_id.setdefault((item.own.id, item.own.project), len(self._named))
        self._named[session:] = self._named[session:] or [item]
        self._write(item, session)

    def begin(self, item: FileIdentity) -> bool:
        """Begin a session with a damaged file, unless the file already has one."""
        if item.file.path in self._by_path:
            return False
        session = len(self._named)
        self._named.append(item)
        self._by_path[item.file.path] = session
        self._write(item, session)
        return True

    def _write(self, item: FileIdentity, session: int) -> None:
        for number in self._own(item) & self._writers.keys():
            self._writers[number].add(session)
        self._hold(item, session)

    def _hold(self, item: FileIdentity, session: int) -> None:
        for number in self._ids[item.file.path].all_numbers() & self._holders.keys():
            self._holders[number].add(session)

    def place_all(self, items: Iterable[FileIdentity]) -> None:
        """Place files without an id. Each that is placed may show where others belong."""
        waiting = deque(items)
        while waiting:
            item = waiting.popleft()
            if item.file.path not in self._by_path and self.place(item):
                waiting.extend(self.peers(item))

    def place(self, item: FileIdentity) -> bool:
        """Place a damaged file in the session with which it shares most messages, if there is one."""
        own = self._own(item)
        shared = Counter(session for number in own for session in self._holders[number])
        written = Counter(session for number in own for session in self._writers[number])
        possible = (session for session in shared if item.own.id in (None, self._named[session].own.id))
        session = max(possible, key=lambda session: (shared[session], written[session], -session), default=None)
        if session is None:
            return False
        self._by_path[item.file.path] = session
        self._hold(item, session)
        return True

    def peers(self, item: FileIdentity) -> list[FileIdentity]:
        """The damaged files that share messages with this one; each message is asked for once."""
        return [other for number in self._own(item) for other in self._damaged.pop(number, ())]

    def owner(self, item: FileIdentity) -> Owner:
        """The session of a damaged file."""
        session = self._by_path[item.file.path]
        elsewhere = (n for n in self._own(item) if self._writers[n] and session not in self._writers[n])
        return Owner(self._named[session], frozenset(elsewhere))


def _age(item: FileIdentity) -> tuple[float, str]:
    """Older sessions first: a later one may have taken messages over."""
    started = item.own.started
    return started.timestamp() if started is not None else float("inf"), item.file.path


def _by_name(item: FileIdentity) -> tuple[int, str]:
    """Shorter names first: copies get additions to their names."""
    name = stem(item.file.path)
    return len(name), item.file.path
