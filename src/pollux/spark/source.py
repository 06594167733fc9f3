"""The data source: tables as in the lake, a partition a home and agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.errors import RequestError, UnknownName, needs
from pollux.lake.rows import rows_of
from pollux.lake.tables import TABLES, Column, Table, Type
from pollux.spark.homes import Found, failed, homes_below, read_home
from pollux.writers.parquet import typed

with needs("pollux.spark", "spark"):
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

PROBLEMS = "problems"
_HOME = Column("home", Type.TEXT)
_OF_NOTICE = ("code", "severity", "text", "file", "line", "count")
_OF_PROBLEM = tuple(
    Column(name, Type.INTEGER if name in ("line", "count") else Type.TEXT) for name in ("agent", "key", *_OF_NOTICE)
)
COLUMNS = {name: (_HOME, *table.of_session()) for name, table in TABLES.items()} | {PROBLEMS: (_HOME, *_OF_PROBLEM)}
"""The columns of each table: those of the lake that a session alone has, and the home."""
_SPARK_TYPES = {
    Type.TEXT: "STRING",
    Type.TEXTS: "ARRAY<STRING>",
    Type.INTEGER: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TRUTH: "BOOLEAN",
    Type.TIME: "TIMESTAMP",
}
_ROWS = 1000
"""How many rows go to Spark at once."""


class Source(DataSource):  # type: ignore[misc] # pyspark need not be installed
    """Raw homes as tables. The option `table` names one; the path is a home, or a folder of homes."""

    @classmethod
    def name(cls) -> str:
        """The name for `spark.read.format`."""
        return "pollux"

    def schema(self) -> str:
        """All columns of the table."""
        return ", ".join(f"`{column.name}` {_SPARK_TYPES[column.type]}" for column in COLUMNS[self._table()])

    def reader(self, schema: StructType) -> Reader:
        """Reads the columns that were asked for: `spark.read.schema` may name some of them."""
        path = self.options.get("path")
        if not path:
            raise RequestError("No folder was named.", 'Try: spark.read.format("pollux").load("/corpus")')
        return Reader(Path(path), self._table(), schema.fieldNames())

    def _table(self) -> str:
        table = str(self.options.get("table", "sessions"))
        if table not in COLUMNS:
            raise UnknownName("table", table, COLUMNS)
        return table


class HomePart(InputPartition):  # type: ignore[misc] # pyspark need not be installed
    """What one agent left in one home; without an agent, a home that cannot be opened."""

    def __init__(self, home: str, agent: str | None) -> None:
        super().__init__((home, agent))


class Reader(DataSourceReader):  # type: ignore[misc] # pyspark need not be installed
    """Reads one table of some homes. Spark sends it to the workers."""

    def __init__(self, folder: Path, table: str, names: list[str]) -> None:
        known = {column.name: column for column in COLUMNS[table]}
        for name in names:
            if name not in known:
                raise UnknownName(f"column of {table}", name, known)
        self._folder = folder
        self._table = table
        self._columns = tuple(known[name] for name in names)

    def partitions(self) -> list[HomePart]:
        """One for each agent in each home."""
        homes = homes_below(self._folder)
        return [HomePart(str(home), agent) for home, agents in homes for agent in agents or (None,)]

    def read(self, partition: HomePart) -> Iterator[pa.RecordBatch]:
        """The rows of a home and agent. Memory is bounded by the largest session."""
        home, agent = partition.value
        schema = Table(self._table, self._table, self._columns, (), ()).schema()
        rows: list[dict[str, Any]] = []
        for found in read_home(Path(home), agent):
            rows += ({**row, "home": home} for row in self._rows(found, agent))
            if len(rows) >= _ROWS:
                yield from typed(rows, schema).to_batches(_ROWS)
                rows = []
        yield from typed(rows, schema).to_batches(_ROWS)

    def _rows(self, found: Found, agent: str | None) -> list[dict[str, Any]]:
        notices, rows = found.notices, dict[str, list[dict[str, Any]]]()
        if found.session is not None:
            try:
                rows = rows_of(found.session)
            except Exception as error:  # noqa: BLE001 (one session must not cost the job; it is reported)
                notices = (*notices, failed(next(iter(found.session.files), ""), error))
        rows[PROBLEMS] = [
            {"agent": agent, "key": found.key, **{name: getattr(notice, name) for name in _OF_NOTICE}}
            for notice in notices
        ]
        return rows.get(self._table, [])
