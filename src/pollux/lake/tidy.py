"""Keeps a lake small and quick, and makes erasure complete."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from pollux.errors import PolluxError
from pollux.lake.delta import Delta, as_rows, packed, quoted
from pollux.lake.documents import SESSIONS as DOCUMENTS, seq_of, session_folder
from pollux.lake.erase import documents_of, erase_rows, tombstones
from pollux.lake.load import LOADS
from pollux.lake.shown import Shown, known, settle
from pollux.lake.store import sparing_others
from pollux.lake.tables import PLACE, ROWS, TABLES, Table
from pollux.system.clock import now, since_epoch

if TYPE_CHECKING:
    from deltalake import DeltaTable

    from pollux.lake.store import Store

GRACE = timedelta(hours=24)
"""No load takes longer. What one left that is older was killed."""

_SMALL = 32 << 20
"""Smaller files are joined."""

_JOINED, _SORTED = 128 << 20, 512 << 20
"""How large files become that are joined as they are; how large those that are sorted would be without packing."""


class Tidied(msgspec.Struct):
    """What was removed: sessions that were too old, documents of earlier states, rows that nothing shows.

    And how many files were joined. `problems` are about people whose documents it could not look for.
    """

    sessions: int = 0
    documents: int = 0
    rows: int = 0
    joined_files: int = 0
    problems: list[PolluxError] = []


def tidy(store: Store, older_than: datetime | None = None, grace: timedelta = GRACE) -> Tidied:
    """Remove what is old, erased, superseded or left by loads that were killed, and join small files.

    `grace` is how old something must be that a load left: less than a day is safe only while nobody loads.
    """
    delta, result = Delta(store), Tidied()
    graves = tombstones(store)
    for grave in graves:
        with sparing_others(grave.person, result.problems):
            store.delete(documents_of(store, grave))
    erase_rows(delta, graves)
    months = sorted({month for name in TABLES for month in delta.change(name, _sizes)})
    if older_than is not None:
        result.sessions = sum(_retire(store, delta, older_than, month) for month in months)
    result.documents = _remove_superseded(store, delta, months, result.problems)
    result.rows = sum(_remove_hidden(store, delta, grace, month) for month in months)
    settle(delta)
    at_once = not grace
    _, ahead = _running(store, grace)
    grace = max(grace + ahead, timedelta(0))
    for name, table in TABLES.items():
        result.joined_files += _join(delta, table)
        if at_once:
            delta.purge(name)
        delta.vacuum(name, grace.total_seconds() / 3600)
        delta.trim_log(name)
    store.remove_drafts(grace)
    return result


def _retire(store: Store, delta: Delta, limit: datetime, month: str) -> int:
    """Remove sessions that nobody used since then, with their documents. What is not loaded yet replaces them."""
    sessions = known(delta, month=month)
    old = [one for one in sessions if (one.ended or one.started or since_epoch(one.seq, 1_000_000) or now()) < limit]
    for one in old:
        store.delete([stored.path for stored in store.paths(_folder(one)) if _is_before(stored.path, one.seq + 1)])
    for name in TABLES:
        delta.delete_rows(name, PLACE, [_place(one) for one in old])
    return len(old)


def _remove_superseded(store: Store, delta: Delta, months: Iterable[str], problems: list[PolluxError]) -> int:
    """Remove documents of earlier states: they may hold what was to be seen no more when the later one was pushed."""
    folders = groupby(
        (one.path for one in store.of_everybody(DOCUMENTS, problems)), lambda path: path.rpartition("/")[0]
    )
    several = {folder: paths for folder, some in folders if len(paths := list(some)) > 1}
    shown = (one for month in months for one in known(delta, month=month)) if several else ()
    old = [path for one in shown for path in several.get(_folder(one), ()) if _is_before(path, one.seq)]
    store.delete(old)
    return len(old)


def _place(one: Shown) -> tuple[str, ...]:
    return one.month, one.person, one.machine, one.key, one.batch


def _folder(one: Shown) -> str:
    return session_folder(one.person, one.machine, one.key)


def _is_before(document: str, seq: int) -> bool:
    """Has the document at a path a lower number?"""
    number = seq_of(document)
    return number is not None and number < seq


def _batches(table: DeltaTable, month: str) -> list[tuple[str, ...]]:
    """The batches of every session of a month."""
    from deltalake import QueryBuilder

    asked = f"SELECT DISTINCT {', '.join(PLACE)} FROM t WHERE month = {quoted(month)}"
    return [tuple(row[name] for name in PLACE) for row in as_rows(QueryBuilder().register("t", table).execute(asked))]


def _running(store: Store, grace: timedelta) -> tuple[set[str], timedelta]:
    """The batches of loads that may be running, and how far our clock is ahead of the store's, which tells their age.

    What older ones left is forgotten.
    """
    own = f"{LOADS}/tidy-{secrets.token_hex(8)}"
    store.put_if_absent(own, b"")
    loads = {one.path: one.modified for one in store.paths(LOADS)}
    dead = {path for path, begun in loads.items() if path == own or loads[own] - begun >= grace}
    store.delete(dead)
    return {path.rpartition("/")[2] for path in loads.keys() - dead}, datetime.now(UTC) - loads[own]


def _remove_hidden(store: Store, delta: Delta, grace: timedelta, month: str) -> int:
    """Remove rows of a month that nothing shows, unless a load that may be running is about to show them.

    A load names its batch before it appends, and forgets it when it has shown it: so rows are looked at first.
    """
    rows = {name: delta.change(name, partial(_batches, month=month)) for name in ROWS}
    running, _ = _running(store, grace)
    shown = {_place(one) for one in known(delta, month=month)}
    removed = 0
    for name, places in rows.items():
        hidden = [place for place in places if place not in shown and place[-1] not in running]
        removed += delta.delete_rows(name, PLACE, hidden)
    return removed


# ----------------------------------------------------------------------------------------------------- joining files


def _join(delta: Delta, table: Table) -> int:
    """Join the small files of a table; how many there were.

    Of two who join the same files at once delta-rs refuses neither, and all rows would be there twice. So each first
    says in the table that it is its turn now, and nobody else's: this refuses whoever is at it.
    """
    months = delta.change(table.name, _months_to_join)
    if not months:
        return 0
    turn = secrets.token_hex(8)
    delta.change(table.name, lambda there: there.alter.set_table_description(turn))
    return sum(delta.change(table.name, partial(_join_month, table, turn, month)) for month in months)


def _join_month(table: Table, turn: str, month: str, there: DeltaTable) -> int:
    """Join the small files of a month; none where it is somebody else's turn now."""
    sizes = _sizes(there).get(month, [])
    if there.metadata().description != turn or not sizes:
        return 0
    only = [("month", "=", month)]
    # Questions skip most rows if these are sorted; that rewrites all of a month, which pays where much is new.
    if 2 * sum(size for size in sizes if size < _SMALL) >= sum(sizes):
        done = there.optimize.z_order(table.order, only, _SORTED, writer_properties=packed())
    else:
        done = there.optimize.compact(only, _JOINED, writer_properties=packed())
    return int(done["numFilesRemoved"])


def _months_to_join(table: DeltaTable) -> list[str]:
    """The months with small files that can be joined."""
    return [month for month, sizes in _sizes(table).items() if sum(size < _SMALL for size in sizes) > 1]


def _sizes(table: DeltaTable) -> dict[str, list[int]]:
    """The sizes of the files of each month."""
    sizes: dict[str, list[int]] = {}
    for file in as_rows(table.get_add_actions(flatten=True)):
        sizes.setdefault(file["partition.month"], []).append(file["size_bytes"])
    return sizes
