"""Sends documents to a lake: documents first, news last. Who is killed anywhere goes on the next time."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Self

import msgspec
from msgspec.structs import replace

from pollux.errors import PolluxError
from pollux.lake.documents import NewsEntry, Tombstone
from pollux.lake.erase import tombstones
from pollux.lake.journal import Journal
from pollux.lake.prepare import Prepared
from pollux.lake.store import RIGHTS, Store, lake_name, open_store
from pollux.lake.tell import IN_A_NEWS, tell

_AT_ONCE = 8


class PushOutcome(msgspec.Struct, kw_only=True):
    """What a push sent, and what was `held` back. `erased` sessions were not sent: who runs the lake erased them."""

    lake: str
    person: str
    machine: str
    sessions: int = 0
    bytes: int = 0
    secrets: int = 0
    erased: int = 0
    held: Mapping[str, int]
    unread: list[str] = []


class Sender:
    """Sends documents, several at once, and then the news of them."""

    def __init__(self, url: str, journal: Journal, outcome: PushOutcome) -> None:
        self._lake = lake_name(url)
        self._journal = journal
        self._outcome = outcome
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._waiting: list[tuple[Prepared, Future[bool]]] = []
        self._sent: list[Prepared] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._journal.close()

    @cached_property
    def _store(self) -> Store:
        """The store, opened when there is something to send."""
        return open_store(self._outcome.lake)

    @cached_property
    def _tombstones(self) -> list[Tombstone]:
        """What was erased of this person. Who may not read in the lake need not: whoever loads heeds them, too."""
        try:
            return tombstones(self._store, [self._outcome.person])
        except PolluxError as error:
            if error.hint != RIGHTS:
                raise
            return []

    def _is_erased(self, prepared: Prepared) -> bool:
        whose = self._outcome.person, self._outcome.machine
        return any(one.covers(*whose, prepared.planned.key_there) for one in self._tombstones)

    def send(self, prepared: Prepared) -> None:
        """Send a document; the journal knows of it before the lake does."""
        if self._is_erased(prepared):
            self._journal.write(self._lake, [replace(prepared.entry, told=True)])
            self._outcome.erased += 1
            return
        self._journal.write(self._lake, [replace(prepared.entry, told=False)])
        self._waiting.append(
            (prepared, self._pool.submit(self._store.put_if_absent, prepared.entry.path, prepared.data))
        )
        if len(self._waiting) >= 2 * _AT_ONCE:
            self._settle(_AT_ONCE)

    def _settle(self, most: int) -> None:
        """Wait until at most so many documents are on their way."""
        while len(self._waiting) > most:
            prepared, future = self._waiting.pop(0)
            future.result()
            self._sent.append(replace(prepared, data=b""))
            if len(self._sent) >= IN_A_NEWS:
                self._publish()

    def finish(self) -> None:
        """Wait for all documents, and write the last news."""
        self._settle(0)
        self._publish()

    def _publish(self) -> None:
        """Write the news of what was sent."""
        if not self._sent:
            return
        entries = [one.entry for one in self._sent]
        documents = [
            NewsEntry(key=one.planned.key_there, path=one.entry.path, seq=one.entry.seq, state=one.entry.state)
            for one in self._sent
        ]
        tell(self._store, self._outcome.person, self._outcome.machine, documents)
        self._journal.tell(self._lake, [one.key for one in entries])
        self._outcome.sessions += len(entries)
        self._outcome.bytes += sum(one.bytes for one in entries)
        self._outcome.secrets += sum(one.redactions or 0 for one in entries)
        self._sent = []
