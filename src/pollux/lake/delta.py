"""The Delta tables of a lake: made, opened, appended to, and changed while others change them, too."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from pollux.errors import NotFound, OutputError, PolluxError, StoreError, Unreadable, needs
from pollux.lake.store import CLIENT, PATIENCE, RETRIES, TABLES as FOLDER, explained
from pollux.lake.tables import PLACE, SESSIONS, TABLES, Table
from pollux.model import Value
from pollux.system.decoders import json_decoder
from pollux.writers.parquet import typed

if TYPE_CHECKING:
    from deltalake import DeltaTable

    from pollux.lake.store import Store

T = TypeVar("T")

_RETRIES = 100
"""How often a commit is tried again where others only appended meanwhile."""

_ATTEMPTS = 200
"""How often a change is made again from a newer version, because others changed the same rows."""

_LONGEST_PAUSE = 2.0
_LOG_KEPT = "interval 2 days"
_ALWAYS = {SESSIONS: ("seq", "counts")}
"""What no column that came later can stand for."""
_ANEW = "Make a new lake, and push and load again: the documents have everything."


class _Removed(Value, frozen=True):
    """A file that was replaced."""

    path: str


class _Action(Value, frozen=True):
    """A line of a log."""

    remove: _Removed | None = None


_action = json_decoder(_Action).decode


class Delta:
    """The tables in a store. Nothing of the words in them gets into their logs."""

    def __init__(self, store: Store) -> None:
        with needs("The tables of a lake", "lake"):
            import deltalake  # noqa: F401
        self._store = store
        tries = {"max_retries": str(RETRIES), "retry_timeout": f"{PATIENCE}s"}
        plain = {"allow_http": "true"} if store.plain else {}
        self._options = {**CLIENT, **tries, **plain} if "://" in store.url else None

    def address(self, table: Table) -> str:
        """Where a table lies."""
        return f"{self._store.url}/{FOLDER}/{table.stored}"

    def create(self) -> bool:
        """Make the tables that are not there; False where all were. Raises `OutputError`."""
        from deltalake import DeltaTable

        if self._is_there(TABLES[SESSIONS]):
            for name in TABLES:
                self.open(name)
            return False
        # Who finds the sessions finds the other tables, too: they come last.
        for table in reversed(TABLES.values()):
            with self._explained():
                DeltaTable.create(
                    self._place(table),
                    table.schema(),
                    mode="ignore",
                    partition_by=["month"],
                    storage_options=self._options,
                    configuration={
                        # Statistics of other columns would hold the first letters of what was said.
                        "delta.dataSkippingStatsColumns": ",".join(table.indexed),
                        "delta.logRetentionDuration": _LOG_KEPT,
                    },
                )
        return True

    def open(self, name: str) -> DeltaTable:
        """The newest version of a table. Raises `NotFound` where there is none, `Unreadable`, and `StoreError`."""
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        table = TABLES[name]
        with self._explained(Unreadable):
            try:
                opened = DeltaTable(self._place(table), storage_options=self._options)
            except TableNotFoundError:
                self._look(table)
                if name != SESSIONS and self._is_there(TABLES[SESSIONS]):
                    raise StoreError(
                        f"The table {table.stored} of the lake {self._store.url} is gone.", _ANEW
                    ) from None
                raise NotFound(
                    f"There is no lake at {self._store.url}.", f"Try: pollux lake init {self._store.url}"
                ) from None
            self._check(table, opened)
        return opened

    def append(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        """Add rows."""
        from deltalake import CommitProperties, write_deltalake

        if not rows:
            return
        data = typed(list(rows), TABLES[name].schema())
        self.change(
            name,
            lambda table: write_deltalake(
                table,
                data,
                mode="append",
                schema_mode="merge",
                writer_properties=packed(),
                commit_properties=CommitProperties(max_commit_retries=_RETRIES),
            ),
            blind=True,
        )

    def change(self, name: str, make: Callable[[DeltaTable], T], *, blind: bool = False) -> T:
        """What `make` does with the newest version of a table; done again where others changed the table meanwhile.

        Their change may refuse ours, and remove files that we read. What is `blind` reads nothing: it is only done
        again where it was refused, since after any other fault it may have been done.
        """
        from deltalake.exceptions import CommitFailedError, DeltaError

        with self._explained():
            for attempt in range(_ATTEMPTS):
                table = self.open(name)
                version = table.version()
                try:
                    return make(table)
                except (DeltaError, OSError, ValueError) as error:
                    is_refused = isinstance(error, CommitFailedError)
                    if (blind and not is_refused) or self.open(name).version() == version:
                        raise
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.05 * 2**attempt)))  # noqa: S311 (no secret)
        raise StoreError(
            f"The table {TABLES[name].stored} of the lake {self._store.url} is changed by others all the time.",
            "Try it again with fewer loaders.",
        )

    def delete_rows(self, name: str, columns: Sequence[str], places: Collection[Sequence[str]]) -> int:
        """Delete the rows that have one of these places in some columns. Returns how many there were.

        The log does not say which: it would name what was erased.
        """
        import pyarrow as pa

        if not places:
            return 0
        source = pa.table({name: [place[number] for place in places] for number, name in enumerate(columns)})
        same = " AND ".join(f"t.{column} = s.{column}" for column in columns)

        def make(table: DeltaTable) -> int:
            merger = table.merge(source, same, source_alias="s", target_alias="t", writer_properties=packed())
            return int(merger.when_matched_delete().execute()["num_target_rows_deleted"])

        return self.change(name, make)

    def vacuum(self, name: str, hours: float) -> None:
        """Remove files that were replaced at least so many hours ago, and such that nobody knows of and are as old."""
        self.change(
            name,
            lambda table: table.vacuum(int(hours), dry_run=False, enforce_retention_duration=False, full=True),
        )

    def purge(self, name: str) -> None:
        """Remove all files that were replaced, whatever time it was by the clock of whoever replaced them.

        A file that a running load wrote is in no log yet, and spared.
        """
        place = f"{FOLDER}/{TABLES[name].stored}"
        with self._explained():
            replaced = set(self._replaced(f"{place}/_delta_log"))
            used = {file["path"] for file in as_rows(self.open(name).get_add_actions(flatten=True))}
        gone = {f"{place}/{unquote(path)}" for path in replaced - used}
        self._store.delete([one.path for one in self._store.paths(place) if one.path in gone])

    def _replaced(self, log: str) -> Iterator[str]:
        """The files of which a log says that they were replaced."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in [one.path for one in self._store.paths(log)]:
            with suppress(NotFound):  # others trim the log, too
                data = self._store.get(path)
                if path.endswith(".json"):
                    removed = [_action(line).remove for line in data.splitlines()]
                    yield from (one.path for one in removed if one is not None)
                elif path.endswith(".parquet"):
                    rows = pq.read_table(pa.BufferReader(data), columns=["remove"])["remove"].to_pylist()
                    yield from (row["path"] for row in rows if row is not None and row["path"] is not None)

    def trim_log(self, name: str) -> None:
        """Remove what is too old of a table's log."""
        with self._explained():
            table = self.open(name)
            table.create_checkpoint()
            table.cleanup_metadata()

    def _place(self, table: Table) -> str | Path:
        address = self.address(table)
        return address if self._options is not None else Path(address)

    def _look(self, table: Table) -> None:
        """Raise `PermissionError` where a table in a folder seems not to be there, because it may not be seen."""
        if self._options is None:
            with suppress(FileNotFoundError, NotADirectoryError):
                next(Path(self.address(table), "_delta_log").iterdir(), None)

    def _is_there(self, table: Table) -> bool:
        from deltalake import DeltaTable

        with self._explained():
            return DeltaTable.is_deltatable(self._place(table), self._options)

    def _check(self, table: Table, opened: DeltaTable) -> None:
        """Raise `StoreError` where somebody changed the table so that our rows do not fit."""
        import pyarrow as pa

        # Arrow has several forms of texts and lists.
        there = {field.name: _form(field.type) for field in pa.schema(opened.schema().to_arrow())}
        ours = {field.name: _form(field.type) for field in table.schema()}
        odd = [f"column {name}" for name in ours if there.get(name, ours[name]) != ours[name]]
        odd += [f"column {name}" for name in (*PLACE, *_ALWAYS.get(table.name, ())) if name not in there]
        odd += ["partition"] if opened.metadata().partition_columns != ["month"] else []
        if odd:
            raise StoreError(
                f"The {odd[0]} of the table {table.stored} is not as pollux made it: another program changed it.", _ANEW
            )

    def _explained(self, kind: type[PolluxError] = OutputError) -> AbstractContextManager[None]:
        from deltalake.exceptions import DeltaError

        return explained(f"The tables of the lake {self._store.url} cannot be used", kind, DeltaError)


def rows_in(table: DeltaTable, columns: Sequence[str], where: str | None = None) -> Iterator[dict[str, Any]]:
    """Some columns of the rows that meet a condition, in a version of a table."""
    return as_rows(table.scan(list(columns), where))


def as_rows(found: Any) -> Iterator[dict[str, Any]]:
    """The rows of what delta-rs gives. `pyarrow.table` would import pandas first, which takes a second where it is."""
    import pyarrow as pa

    for batch in pa.RecordBatchReader.from_stream(found):
        yield from batch.to_pylist()


def quoted(text: str) -> str:
    """A text as a statement has it."""
    return "'" + text.replace("'", "''") + "'"


def packed() -> Any:
    """How files are written."""
    from deltalake import WriterProperties

    return WriterProperties(compression="ZSTD", compression_level=3)


def _form(kind: Any) -> str:
    """A type without what does not matter of it."""
    return str(kind).replace("large_", "").replace("_view", "").replace("element: ", "item: ")
