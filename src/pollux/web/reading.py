"""Sessions that were read, kept by their size until their files change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from pollux.errors import NotFound
from pollux.library.file_stamps import FileStamp, file_stamps
from pollux.system.memory import give_back

if TYPE_CHECKING:
    from pollux.library.library import Library, ListEntry
    from pollux.model import Session

MOST = 32_000_000
"""So many bytes of memory the sessions that were read may take."""

_TIMES = 4
"""A session takes up to so many times as much memory as its files."""

_MUCH = 4_000_000
"""After so many bytes have been read, by the same measure, the system gets back what is not needed any more."""

Stamps = tuple[FileStamp | None, ...]


class _Kept(NamedTuple):
    session: Session
    stamps: Stamps
    size: int


class Reading:
    """Reads sessions by their whole keys. A key is never a path, nor the beginning of an id."""

    def __init__(self, library: Library, most: int = MOST) -> None:
        self._library = library
        self._most = most
        self._lock = threading.Lock()
        self._alone: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._since = 0

    @property
    def size(self) -> int:
        """How many bytes the sessions take that are kept."""
        with self._lock:
            return sum(kept.size for kept in self._kept.values())

    def entry(self, key: str) -> ListEntry:
        """What a list shows of a session. Raises `NotFound`."""
        for entry in self._library.index.entries([key]):
            return entry
        raise NotFound(
            "No session has this key. Perhaps its agent has deleted it since.",
            "Look for it among all sessions. `pollux archive on` keeps what agents delete.",
        )

    def has(self, key: str) -> bool:
        """Is there a session with this key?"""
        return any(True for _ in self._library.index.entries([key]))

    def file_size(self, entry: ListEntry) -> int:
        """How many bytes the files of a session have."""
        return _size(file_stamps(entry.summary.files))

    def is_kept(self, entry: ListEntry) -> bool:
        """Was the session read, and did its files not change since?"""
        with self._lock:
            kept = self._kept.get(entry.summary.key)
            return kept is not None and kept.stamps == file_stamps(entry.summary.files)

    def session(self, entry: ListEntry) -> Session:
        """The session itself. Raises `NotFound` where its files are gone meanwhile."""
        key, stamps = entry.summary.key, file_stamps(entry.summary.files)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.stamps == stamps:
                self._kept.move_to_end(key)
                return kept.session
            alone = self._alone.setdefault(key, threading.Lock())
        try:
            with alone:  # many tabs of one session are no reason to read it many times
                return self._read(key, stamps)
        finally:
            with self._lock:
                self._alone.pop(key, None)

    def _read(self, key: str, stamps: Stamps) -> Session:
        """Read a session, unless another thread has just done so."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.stamps == stamps:
                return kept.session
        session = self._library.session(key)
        size = _TIMES * _size(stamps)
        with self._lock:
            self._kept[key] = _Kept(session, stamps, size)
            total = sum(kept.size for kept in self._kept.values())
            while total > self._most and self._kept:
                total -= self._kept.popitem(last=False)[1].size
            self._since += size
        return session

    def tidy(self) -> None:
        """Give memory back if much was read since the last time. What was made of it should have been sent by now."""
        with self._lock:
            if self._since <= _MUCH:
                return
            self._since = 0
        give_back()


def _size(stamps: Stamps) -> int:
    return sum(one.size for one in stamps if one is not None)
