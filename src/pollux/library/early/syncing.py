"""Bringing the cache up to date beside a view that goes on answering: in another process, so as not to slow it down.

Where no other process can be started, a thread of this one does it: else nobody would, while the view is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pollux.errors import PolluxError
from pollux.library.early.apart import start_apart
from pollux.system.progress import Enough, Progress

if TYPE_CHECKING:
    from pollux.system.directories import Places


class Syncing(Protocol):
    """A sync that is under way. What it would say is dropped."""

    def poll(self) -> int | None:
        """Its status; None while it is under way."""

    def wait(self) -> int:
        """Wait for its end."""

    def terminate(self) -> None:
        """End it early. What it has stored is complete."""


def start_sync(places: Places) -> Syncing:
    """Begin to bring the cache up to date, the newest sessions first."""
    try:
        return start_apart(places, "sync", "--in-steps")
    except OSError:
        return _SyncInThread(places)


class _SyncInThread:
    """The same in this process."""

    def __init__(self, places: Places) -> None:
        from threading import Event, Thread

        self._places = places
        self._is_enough = Event()
        self._status = 0
        self._thread = Thread(target=self._sync, name="sync", daemon=True)
        self._thread.start()

    def poll(self) -> int | None:
        """0 at the end, 1 after a problem; None while it is under way."""
        return None if self._thread.is_alive() else self._status

    def wait(self) -> int:
        """Wait for its end."""
        self._thread.join()
        return self._status

    def terminate(self) -> None:
        """End it after the files that it is reading."""
        self._is_enough.set()

    def _sync(self) -> None:
        from pollux.library.library import Library

        try:
            with Library(self._places.environ, report=self._report) as library:
                library.index.catch_up(later=False)
        except (PolluxError, OSError):  # whoever asks the cache next hears of it
            self._status = 1

    def _report(self, _: Progress) -> None:
        if self._is_enough.is_set():
            raise Enough
