"""Keeps a lake small and quick, and makes erasure complete."""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from pollux.lake.delta import Delta, packed
from pollux.lake.documents import SESSIONS as DOCUMENTS, session_part
from pollux.lake.erase import documents_of, erase_rows, tombstones
from pollux.lake.load import LOADS
from pollux.lake.shown import Shown, known, show
from pollux.lake.tables import SESSIONS, TABLES
from pollux.system.clock import now, since_epoch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deltalake import DeltaTable

    from pollux.lake.store import Store

GRACE = timedelta(hours=24)
"""No load takes longer. What one left that is older was killed."""

_SMALL = 128 << 20
_JOINING = "joining/now"
_PLACE = ("month", "person", "machine", "key", "batch")
"""What every row has, and the first fields of `Shown`."""


class Tidied(msgspec.Struct):
    """What was removed: sessions that were too old, documents of earlier states, rows that nothing shows.

    And how many files were joined.
    """

    sessions: int = 0
    documents: int = 0
    rows: int = 0
    joined: int = 0


def tidy(store: Store, older_than: datetime | None = None, grace: timedelta = GRACE) -> Tidied:
    """Remove what is old, erased, superseded or left by loads that were killed, and join small files.

    `grace` is how old something must be that a load left: less than a day is safe only while nobody loads.
    """
    delta, result = Delta(store), Tidied()
    graves = tombstones(store)
    for grave in graves:
        store.delete(list(documents_of(store, grave)))
    erase_rows(delta, graves)
    if older_than is not None:
        result.sessions = _retire(store, delta, older_than)
    result.documents = _remove_superseded(store, delta)
    result.rows = _remove_hidden(store, delta, grace)
    show(delta, [], {one.key for one in known(delta.open(SESSIONS))})
    if _may_join(store, grace):
        for name, table in TABLES.items():
            result.joined += delta.change(name, partial(_join, order=table.order))
        store.delete([_JOINING])
    for name in TABLES:
        delta.vacuum(name, grace.total_seconds() / 3600, full=True)
        delta.trim_log(name)
    store.remove_drafts(grace)
    return result


def _retire(store: Store, delta: Delta, limit: datetime) -> int:
    """Remove sessions that nobody used since then, with their documents."""
    old = [one for one in known(delta.open(SESSIONS)) if _last_used(one) < limit]
    for one in old:
        store.delete([stored.path for stored in store.paths(_documents(one))])
    for name in (SESSIONS, *(name for name in TABLES if name != SESSIONS)):
        delta.delete_rows(name, _PLACE[:4], [one[:4] for one in old])
    return len(old)


def _remove_superseded(store: Store, delta: Delta) -> int:
    """Remove documents of earlier states: they may hold what was to be seen no more when the later one was pushed."""
    shown = {_documents(one): one for one in known(delta.open(SESSIONS))}
    old = []
    for stored in store.paths(DOCUMENTS):
        place, _, name = stored.path.rpartition("/")
        seq = name.partition("-")[0]
        if place in shown and seq.isdecimal() and int(seq) < shown[place].seq:
            old.append(stored.path)
    store.delete(old)
    return len(old)


def _documents(one: Shown) -> str:
    """Where the documents of a session lie."""
    return f"{DOCUMENTS}/{one.person}/{one.machine}/{session_part(one.key)}"


def _last_used(one: Shown) -> datetime:
    """When a session ended, or began, or at least when it was pushed."""
    return one.ended or one.started or since_epoch(one.seq, 1_000_000) or now()


def _remove_hidden(store: Store, delta: Delta, grace: timedelta) -> int:
    """Remove rows that nothing shows, unless a load that may be running is about to show them.

    The rows are looked at before the list of loads, and what is shown after it: a load names its batch before it
    appends, and forgets it when it has shown it. The ages of loads are told by the store's clock alone.
    """
    rows = {name: _batches(delta.open(name)) for name in TABLES if name != SESSIONS}
    running = _running(store, grace)
    shown = {one[:5] for one in known(delta.open(SESSIONS))}
    removed = 0
    for name, places in rows.items():
        hidden = [place for place in places if place not in shown and place[4] not in running]
        removed += delta.delete_rows(name, _PLACE, hidden)
    return removed


def _batches(table: DeltaTable) -> list[tuple[str, ...]]:
    """The batches of every session."""
    import pyarrow as pa
    from deltalake import QueryBuilder

    rows = QueryBuilder().register("t", table).execute(f"SELECT DISTINCT {', '.join(_PLACE)} FROM t")
    return [tuple(row[name] for name in _PLACE) for row in pa.table(rows).to_pylist()]


def _running(store: Store, grace: timedelta) -> set[str]:
    """The batches of loads that may be running. What older ones left is forgotten."""
    own = f"{LOADS}/tidy-{secrets.token_hex(8)}"
    store.put_if_absent(own, b"")
    loads = {one.path: one.modified for one in store.paths(LOADS)}
    dead = {path for path, begun in loads.items() if path == own or loads[own] - begun >= grace}
    store.delete(dead)
    return {path.rpartition("/")[2] for path in loads.keys() - dead}


def _may_join(store: Store, grace: timedelta) -> bool:
    """Does nobody else join files now? Of two who join the same ones, both are let in, and rows are there twice.

    Who was killed meanwhile is waited for as long as for a load.
    """
    if any(now() - one.modified >= grace for one in store.paths(_JOINING.partition("/")[0])):
        store.delete([_JOINING])
    return store.put_if_absent(_JOINING, b"")


def _join(table: DeltaTable, order: Sequence[str]) -> int:
    """Join the small files of each month, its rows in an order in which questions skip most of them."""
    import pyarrow as pa

    files = pa.table(table.get_add_actions(flatten=True)).select(["partition.month", "size_bytes"]).to_pylist()
    small = Counter(file["partition.month"] for file in files if file["size_bytes"] < _SMALL)
    joined = 0
    for month in (month for month, count in small.items() if count > 1):
        done = table.optimize.z_order(order, [("month", "=", month)], _SMALL, writer_properties=packed())
        joined += int(done["numFilesRemoved"])
    return joined
