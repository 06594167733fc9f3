"""The table of sessions: one change of it shows the rows of a session and hides those of its earlier state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pollux.errors import StoreError
from pollux.lake.delta import Delta, as_rows, packed, quoted, rows_in
from pollux.lake.tables import SESSIONS, TABLES
from pollux.model import Kind
from pollux.writers.parquet import typed

if TYPE_CHECKING:
    from deltalake import DeltaTable

_SAME = "t.month = s.month AND t.person = s.person AND t.machine = s.machine AND t.key = s.key"
_FEW = 5000
"""Up to this number of sessions, a question names them."""

_FIRST = datetime.min.replace(tzinfo=UTC)


class Shown(NamedTuple):
    """What is known of a session that the table shows."""

    month: str
    person: str
    machine: str
    key: str
    batch: str
    seq: int
    counts: bool
    kind: str
    started: datetime | None
    ended: datetime | None
    messages: int

    @property
    def rank(self) -> tuple[Any, ...]:
        """The largest of a key counts: the one that was left last, then the longest; then the least machine's.

        At last the one that was pushed last, for somebody whose name has changed.
        """
        moment = self.ended or self.started or _FIRST
        return (self.kind != Kind.PROMPTS, moment, self.messages, [-ord(letter) for letter in self.machine], self.seq)

    @property
    def place(self) -> tuple[str, str, str]:
        """What a session is known by. A machine's number is no secret, so nobody else's replaces it."""
        return self.person, self.machine, self.key


def known(delta: Delta, keys: Collection[str] | None = None, month: str | None = None) -> list[Shown]:
    """What the table has of these keys, of a month, or of all."""
    return delta.change(SESSIONS, lambda table: _known(table, keys, month))


def _known(table: DeltaTable, keys: Collection[str] | None, month: str | None = None) -> list[Shown]:
    if keys is not None and not keys:
        return []
    where = f"month = {quoted(month)}" if month is not None else None
    if keys is not None and len(keys) <= _FEW:
        where = f"key IN ({', '.join(map(quoted, keys))})"
    found = (row for row in rows_in(table, Shown._fields, where) if keys is None or row["key"] in keys)
    sessions = [Shown(**row) for row in found]
    if any(None in (*one.place, one.month, one.batch, one.seq, one.counts) for one in sessions):
        raise StoreError(f"The table {SESSIONS} has rows that pollux did not write.", "Delete those without a key.")
    return sessions


def show(delta: Delta, rows: Sequence[dict[str, Any]], keys: Collection[str]) -> None:
    """Show sessions, each unless a later state is shown already, and settle which copy of a key counts.

    It is done when a look at the newest version finds nothing to change: others may change the same keys meanwhile.
    """
    wanted = {*keys, *(row["key"] for row in rows)}
    is_settled = not wanted
    while not is_settled:
        is_settled = not delta.change(SESSIONS, lambda table: _change(table, rows, wanted))


def settle(delta: Delta) -> None:
    """Settle which copy of each key counts, where a load was killed before it did so."""
    show(delta, [], delta.change(SESSIONS, _unsettled))


def _unsettled(table: DeltaTable) -> set[str]:
    """The keys of which there are several copies, or of which none counts."""
    from deltalake import QueryBuilder

    odd = "SELECT key FROM t GROUP BY key HAVING COUNT(*) > 1 OR NOT bool_and(counts)"
    return {row["key"] for row in as_rows(QueryBuilder().register("t", table).execute(odd))}


def _change(table: DeltaTable, rows: Sequence[dict[str, Any]], keys: Collection[str]) -> bool:
    """Change what must be changed. Was there something?"""
    import pyarrow as pa

    there = {one.place: one for one in _known(table, keys)}
    fresh = [row for row in rows if (old := there.get(_shown(row).place)) is None or old.seq < row["seq"]]
    coming = {one.place: one for one in map(_shown, fresh)}
    counting = _counting({**there, **coming}.values())
    stale = [one for place, one in there.items() if place not in coming and one.counts != (place in counting)]
    if not fresh and not stale:
        return False
    source = [{**row, "counts": _shown(row).place in counting} for row in fresh]
    source += [{**one._asdict(), "counts": not one.counts} for one in stale]
    schema = TABLES[SESSIONS].schema()
    data = typed(source, schema).append_column("fresh", pa.array([True] * len(fresh) + [False] * len(stale)))
    columns = {name: f"s.{name}" for name in schema.names}
    (
        table.merge(data, _SAME, source_alias="s", target_alias="t", merge_schema=True, writer_properties=packed())
        .when_matched_update(columns, "s.fresh AND s.seq > t.seq")
        .when_matched_update({"counts": "s.counts"}, "NOT s.fresh AND s.seq = t.seq")
        .when_not_matched_insert(columns, "s.fresh")
        .execute()
    )
    return True


def _shown(row: dict[str, Any]) -> Shown:
    return Shown(**{name: row.get(name) for name in Shown._fields})  # type: ignore[arg-type]


def _counting(sessions: Iterable[Shown]) -> set[tuple[str, str, str]]:
    """The copies that count: one of each key."""
    best: dict[str, Shown] = {}
    for one in sessions:
        if one.key not in best or one.rank > best[one.key].rank:
            best[one.key] = one
    return {one.place for one in best.values()}
