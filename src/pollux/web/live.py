"""What changes, told to the browsers that listen. While nobody listens, nothing is looked for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING

from pollux.errors import PolluxError
from pollux.system.memory import give_back
from pollux.writers.json import encode

if TYPE_CHECKING:
    from pollux.library.library import Library

HEARTBEAT = 20.0
"""Seconds between signs of life: so it is noticed when a browser has gone."""

REST = 2.0
"""Seconds in which pages that are loaded look for changes only once. A look that takes long is made less often."""

_SHARE = 10
"""Looks of pages take at most one part of so many of the time."""

UNREPORTED = 30.0
"""Seconds after which a page that is loaded looks by itself, though changes are reported: not all may be."""

LINGER = 60.0
"""Seconds after the last page for which changes are still watched for."""

PATIENCE = 0.03
"""Seconds that a page waits for changes to be read: in a small history all are read by then."""


class Hub:
    """Tells the listeners which sessions changed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._listeners: set[asyncio.Queue[str | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._watching = False
        self._syncing: threading.Event | None = None
        self._synced = 0.0
        self._seconds = 0.0
        self._loaded = 0.0
        self._closed = False
        self._stop = threading.Event()

    # ------------------------------------------------------------------ listening

    async def listen(self) -> AsyncIterator[str]:
        """Events as a browser takes them, until it leaves."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._listeners.add(queue)
        self._watch()
        try:
            yield "retry: 2000\n\n"
            while not self._closed:
                try:
                    event = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if event is None:
                    return
                yield f"data: {event}\n\n"
        finally:
            self._listeners.discard(queue)

    def tell(self, keys: Iterable[str]) -> None:
        """Tell all listeners which sessions changed. From any thread."""
        changed = sorted(keys)
        if self._loop is not None and changed:
            event = encode({"keys": changed})
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._put, event)

    def close(self) -> None:
        """End all streams, so that the server can end."""
        self._closed = True
        self._stop.set()
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._put, None)

    def _put(self, event: str | None) -> None:
        for queue in self._listeners:
            queue.put_nowait(event)

    # ------------------------------------------------------------------ looking

    def _watch(self) -> None:
        """Look for changes in a thread, as long as somebody listens."""
        with self._lock:
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._look_on, daemon=True).start()

    def _look_on(self) -> None:
        try:
            for keys in self._library.index.changes(self._stop, settles=True):
                if keys:
                    self.tell(keys)
                    give_back()  # adding words takes tens of megabytes for a moment
                with self._lock:
                    if self._closed or not self._is_wanted():
                        self._watching = False
                        return
        except PolluxError:  # the cache cannot be used: pages say so
            with self._lock:
                self._watching = False

    def _is_wanted(self) -> bool:
        return bool(self._listeners) or time.monotonic() - self._loaded < LINGER

    def look_once(self) -> None:
        """Look for changes, unless that was done just now. Waits only a moment for them."""
        with self._lock:
            now = time.monotonic()
            rest = UNREPORTED if self._watching else REST
            self._loaded = now
            if self._closed or now - self._synced < max(rest, _SHARE * self._seconds):
                return
            done = self._syncing
            if done is None:
                done = self._syncing = threading.Event()
                threading.Thread(target=self._sync, args=(done,), daemon=True).start()
        done.wait(PATIENCE)

    def _sync(self, done: threading.Event) -> None:
        began = time.monotonic()
        with contextlib.suppress(PolluxError):
            before = self._library.index.state()
            self._library.index.settle()
            if self._library.index.state() != before:
                self.tell(["*"])
                give_back()
        with self._lock:
            self._synced, self._syncing = time.monotonic(), None
            self._seconds = self._synced - began
        done.set()
        self._watch()
