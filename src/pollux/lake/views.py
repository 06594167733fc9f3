"""The views over the tables of a lake: what counts, and nothing twice. The same for every engine."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from pollux.lake.tables import CALLS, MESSAGES, PLACE, SESSIONS, TABLES, USAGE, Table

_SHOWN = " AND ".join(f"a.{name} = s.{name}" for name in PLACE)

_ONLY = {MESSAGES: "", CALLS: "", USAGE: " AND NOT a.inherited AND s.kind <> 'checkpoint'"}
"""What else must be true: usage that was inherited or copied counts where it was paid for."""

_WHOSE = ", ".join(PLACE[1:])
_NEW = f"({_WHOSE}) NOT IN (SELECT {_WHOSE} FROM words)"


def _joined(texts: str, lists: str = "") -> str:
    """Some columns as one text, for ClickHouse."""
    pieces = [f"ifNull({name}, '')" for name in texts.split()]
    pieces += [f"arrayStringConcat(arrayMap(one -> ifNull(one, ''), {name}), ' ')" for name in lists.split()]
    return f"concatWithSeparator(' ', {', '.join(pieces)})"


WORDS = [
    (
        "CREATE TABLE IF NOT EXISTS words (month String, person String, machine String, key String, batch String, "
        "number Int64, text String, "
        "INDEX by_word text TYPE text(tokenizer = 'splitByNonAlpha', preprocessor = lower(text))) "
        "ENGINE = MergeTree ORDER BY (key, number)"
    ),
    f"DELETE FROM words WHERE ({_WHOSE}) NOT IN (SELECT {_WHOSE} FROM sessions)",
    (
        f"INSERT INTO words SELECT month, {_WHOSE}, 0 AS number, ifNull(title, '') AS text FROM sessions WHERE {_NEW} "
        f"UNION ALL SELECT month, {_WHOSE}, number, "
        f"{_joined('text thinking summary context other', 'files attachments')} AS text FROM messages WHERE {_NEW} "
        f"UNION ALL SELECT month, {_WHOSE}, number, {_joined('name canonical input output')} AS text "
        f"FROM tool_calls WHERE {_NEW}"
    ),
]
"""An index of words for ClickHouse; the last two statements bring it up to date."""


class Engine(StrEnum):
    """An engine that reads the tables."""

    DUCKDB = "duckdb"
    SPARK = "spark"
    TRINO = "trino"
    CLICKHOUSE = "clickhouse"


def view_bodies(source: Callable[[Table], str]) -> dict[str, str]:
    """The views by their names. `source` says what an engine calls a table."""
    sessions = source(TABLES[SESSIONS])
    bodies = {SESSIONS: f"SELECT * FROM {sessions} AS s WHERE s.counts"}
    for name, only in _ONLY.items():
        bodies[name] = (
            f"SELECT a.*, s.team, s.agent, s.kind FROM {source(TABLES[name])} AS a "
            f"JOIN {sessions} AS s ON {_SHOWN} WHERE s.counts{only}"
        )
    return bodies


def statements(engine: Engine, lake: str) -> list[str]:
    """The statements that make the views in an engine, for the lake at an address."""

    def at(table: Table) -> str:
        return f"{lake}/tables/{table.stored}".replace("'", "''").replace("`", "``")

    make, before, after = "CREATE OR REPLACE VIEW ", list[str](), list[str]()
    match engine:
        case Engine.DUCKDB:
            before = ["INSTALL delta", "LOAD delta"]
            bodies = view_bodies(lambda table: f"delta_scan('{at(table)}')")
        case Engine.SPARK:
            make = "CREATE OR REPLACE TEMPORARY VIEW "
            bodies = view_bodies(lambda table: f"delta.`{at(table).replace('s3://', 's3a://', 1)}`")
        case Engine.TRINO:
            make = "CREATE OR REPLACE VIEW delta.lake."
            call = "CALL delta.system.register_table(schema_name => 'stored', "
            call += "table_name => '{}', table_location => '{}')"
            before = ["CREATE SCHEMA IF NOT EXISTS delta.stored", "CREATE SCHEMA IF NOT EXISTS delta.lake"]
            before += [call.format(table.stored, at(table)) for table in TABLES.values()]
            bodies = view_bodies(lambda table: f"delta.stored.{table.stored}")
        case _:
            function = "deltaLake" if "://" in lake else "deltaLakeLocal"
            bodies, after = view_bodies(lambda table: f"{function}('{at(table)}')"), WORDS
    return [*before, *(f"{make}{name} AS {body}" for name, body in bodies.items()), *after]
