"""Asks a lake by SQL: DuckDB reads the files of the tables, and the views leave out what does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote
from weakref import finalize

from pollux.errors import RequestError, Unreadable, needs
from pollux.index.catalogue.conditions import ALWAYS_LISTED, is_project
from pollux.index.catalogue.rollups import micros
from pollux.index.catalogue.values import Filter
from pollux.lake.delta import Delta, quoted
from pollux.lake.store import RIGHTS
from pollux.lake.tables import TABLES, Table, Type
from pollux.lake.views import view_bodies

if TYPE_CHECKING:
    import duckdb

    from pollux.lake.store import Store

T = TypeVar("T")

_TYPES = {
    Type.TEXT: "VARCHAR",
    Type.TEXTS: "VARCHAR[]",
    Type.INTEGER: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TRUTH: "BOOLEAN",
    Type.TIME: "TIMESTAMPTZ",
}

BEGIN, MOMENT = "epoch_us(COALESCE(started, ended))", "epoch_us(COALESCE(ended, started))"
"""When a session began, and when it was last used, in microseconds."""


class Lake:
    """A lake that is asked, as it is at the first question. Only what one person or team pushed, if they are named."""

    def __init__(self, store: Store, person: str | None = None, team: str | None = None) -> None:
        self.store = store
        self._delta = Delta(store)
        self._whose = {name: value for name, value in (("person", person), ("team", team)) if value is not None}

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of our own statement, which gives no times but microseconds. Raises `Unreadable`."""
        import duckdb

        try:
            return self._now(lambda engine: engine.execute(statement, list(values)).fetchall())
        except duckdb.Error as error:
            # The engine looks for more files behind one that it cannot open, and may not.
            why, hint = _reason(error), "Try it again."
            if isinstance(error, duckdb.PermissionException):
                why, hint = "a file is gone, or the rights are missing", RIGHTS
            raise Unreadable(f"The tables of the lake {self.store.url} cannot be read: {why}.", hint) from error

    def query(self, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns and rows of somebody's statement. Raises `RequestError` where it is wrong, or no question."""
        import duckdb

        self.rows("SELECT 1")  # so that a lake that cannot be read is no fault of the statement
        try:
            statements = self._engine.extract_statements(statement)
            # EXPLAIN ANALYZE would do what it explains, and writing is something that can be explained.
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise RequestError("A lake answers one question at a time.", 'Try: "SELECT …"')
            answer: Any = self._now(lambda engine: _answer(engine, statement))
        except duckdb.Error as error:
            tables = ", ".join(TABLES)
            raise RequestError(
                f"The lake does not understand it: {_reason(error)}.",
                f'The tables are {tables}. A column is called "at".',
            ) from error
        there = answer.column_names
        names = [name if there.index(name) == place else f"{name}_{place}" for place, name in enumerate(there)]
        try:
            return names, list(zip(*(column.to_pylist() for column in answer.columns), strict=True))
        except (OverflowError, ValueError) as error:  # a time that no calendar has
            raise RequestError(f"The answer cannot be shown: {error}.", 'Try: "SELECT CAST(… AS VARCHAR)"') from error

    def where(self, criteria: Filter) -> tuple[str, list[Any]]:
        """The condition on a session that a filter states, but for its words and facts; and its values."""
        if criteria.marks:
            raise RequestError("A lake has no marks.", f"Leave out {criteria.marks[0][0]}:.")
        terms, values = ["counts"], list[Any]()
        for name, value in (*self._whose.items(), ("agent", criteria.agent)):
            if value is not None:
                terms.append(f"{name} = ?")
                values.append(value)
        if not criteria.everything:
            terms.append(f"kind IN ({', '.join('?' * len(ALWAYS_LISTED))})")
            values += [kind.value for kind in ALWAYS_LISTED]
        if criteria.since is not None:
            terms.append(f"{MOMENT} >= ?")
            values.append(micros(criteria.since))
        if criteria.until is not None:
            terms.append(f"{BEGIN} <= ?")
            values.append(micros(criteria.until))
        if criteria.project is not None:
            known = self.rows("SELECT DISTINCT project, project_hash FROM sessions")
            matching = [pair for pair in known if is_project(criteria.project, *pair)]
            same = "(project IS NOT DISTINCT FROM ? AND project_hash IS NOT DISTINCT FROM ?)"
            terms.append(f"({' OR '.join([same] * len(matching)) or 'FALSE'})")
            values += [value for pair in matching for value in pair]
        return " AND ".join(terms), values

    def _now(self, ask: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """What is asked, of the newest files where it fails: an erasure removes files that we have listed."""
        import duckdb

        try:
            return ask(self._engine)
        except duckdb.Error:
            self.__dict__.pop("_engine", None)
            return ask(self._engine)

    def agents_with_unread_files(self) -> set[str]:
        """None: what a machine could not read, it did not push."""
        return set()

    @cached_property
    def _engine(self) -> duckdb.DuckDBPyConnection:
        """An engine with the views. It opens no files but those of the tables, and loads nothing from elsewhere."""
        with needs("To ask a lake", "lake"):
            import duckdb
        # What does not fit into memory lies there for a moment, by default where the user happens to be.
        spilled = mkdtemp(prefix="pollux-")
        finalize(self, rmtree, spilled, ignore_errors=True)
        engine = duckdb.connect()
        if "://" in self.store.url:
            engine.register_filesystem(self.store.as_file_system())
        tables = {name: self._delta.open(name) for name in TABLES}
        name_of = str if "://" in self.store.url else unquote
        files = {name: [name_of(file) for file in table.file_uris()] for name, table in tables.items()}
        allowed = [file for some in files.values() for file in some]
        for setting, value in (
            ("TimeZone", "'UTC'"),
            ("temp_directory", quoted(spilled)),
            ("autoinstall_known_extensions", "false"),
            ("autoload_known_extensions", "false"),
            ("allowed_paths", _list(allowed)),
            ("enable_external_access", "false"),
            ("lock_configuration", "true"),
        ):
            engine.execute(f"SET {setting} = {value}")
        engine.execute("CREATE SCHEMA stored")
        for name, table in TABLES.items():
            engine.execute(f"CREATE VIEW stored.{table.stored} AS {_stored(table, files[name])}")
        for name, body in view_bodies(lambda table: f"stored.{table.stored}").items():
            engine.execute(f"CREATE VIEW {name} AS {body}")
        return engine


def _answer(engine: duckdb.DuckDBPyConnection, question: str) -> Any:
    """The answer to somebody's question. A view of it is made first, since that is refused to what would write.

    COPY may stand in a WITH clause, and would write over the files of the tables, which may be opened.
    """
    engine.execute(f"CREATE OR REPLACE TEMP VIEW question AS {question}")
    engine.execute("DROP VIEW question")
    return engine.sql(question).to_arrow_table()


def _reason(error: Exception) -> str:
    """The engine's own words, the first sentence of them."""
    return " ".join(str(error).split("\n\n")[0].split()).rstrip(".?!")


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def _stored(table: Table, files: Sequence[str]) -> str:
    """The rows of a table, in all its files; some may lack columns that came later."""
    columns = ", ".join(f'NULL::{_TYPES[column.type]} AS "{column.name}"' for column in table.columns)
    none = f"SELECT {columns} WHERE FALSE"
    if not files:
        return none
    options = "hive_partitioning = TRUE, hive_types = {'month': VARCHAR}, union_by_name = TRUE"
    return f"{none} UNION ALL BY NAME SELECT * FROM read_parquet({_list(files)}, {options})"
