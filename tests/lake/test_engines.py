"""Other people's engines see through the views what the sessions hold: nothing twice, nothing hidden, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable

from pollux.lake.delta import Delta
from pollux.lake.load import Loader
from pollux.lake.store import open_store
from pollux.lake.tables import TABLES
from pollux.lake.views import WORDS, view_bodies
from pollux.model import Kind, Session, ToolCall, summarize
from pollux.spark.homes import homes_below, read_home
from tests.lake.engines import apart, engine, java
from tests.lake.making import push
from tests.program import LANG, run

CORPUS = Path(__file__).parents[1] / "corpus"
HOMES = ["claude/2.1.325", "codex/0.166.0", "copilot/1.0.102", "gemini/0.61.0", "opencode/1.18.33", "qwen/0.24.4"]
QUESTION = """
SELECT 'sessions', COUNT(*), SUM(prompts), SUM(calls) FROM sessions UNION ALL
SELECT 'messages', COUNT(*), SUM(number), SUM(LENGTH(model)) FROM messages UNION ALL
SELECT 'tool_calls', COUNT(*), SUM(number), SUM(exit_code) FROM tool_calls UNION ALL
SELECT 'usage', COUNT(*), SUM(input), SUM(output) FROM usage
"""
Answer = dict[str, tuple[int, ...]]


def answer(rows: list[tuple[Any, ...]]) -> Answer:
    return {name: tuple(int(figure or 0) for figure in figures) for name, *figures in rows}


@pytest.fixture(scope="module")
def sessions() -> dict[str, list[Session]]:
    """The sessions of each home."""
    return {
        name: [found.session for found in read_home(home, agents[0]) if found.session is not None]
        for name in HOMES
        for home, agents in homes_below(CORPUS / name)
    }


@pytest.fixture(scope="module")
def lake(sessions: dict[str, list[Session]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake in which each session was loaded in two states, and a machine has copies of another's."""
    folder = tmp_path_factory.mktemp("lake") / "lake"
    store = open_store(str(folder), create=True)
    Delta(store).create()
    for state in (1, 2):
        for number, name in enumerate(HOMES):
            push(store, sessions[name], f"p{number}", f"m{number}", state)
        Loader(store).load()
    push(store, sessions[HOMES[0]], "somebody", "another", 3)
    Loader(store).load()
    for name in TABLES:
        Delta(store).vacuum(name, 0)  # so that those who cannot read the log see the same files
    return folder


@pytest.fixture(scope="module")
def truth(sessions: dict[str, list[Session]]) -> Answer:
    """What the views must say, from the sessions themselves."""
    sums: dict[str, Counter[int]] = {name: Counter() for name in TABLES}
    for session in (session for some in sessions.values() for session in some):
        add(sums, session)
    return {name: tuple(found[place] for place in range(3)) for name, found in sums.items()}


def add(sums: dict[str, Counter[int]], session: Session) -> None:
    counts = summarize(session).counts
    sums["sessions"].update({0: 1, 1: counts.prompts, 2: counts.tool_calls})
    for number, message in enumerate(session.messages, 1):
        sums["messages"].update({0: 1, 1: number, 2: len(message.model or "")})
        for call in message.parts:
            if type(call) is ToolCall:
                sums["tool_calls"].update({0: 1, 1: number, 2: call.exit_code or 0})
        if message.usage is not None and not message.inherited and session.kind is not Kind.CHECKPOINT:
            for request in message.usage.each or (message.usage,):
                sums["usage"].update({0: 1, 1: request.input or 0, 2: request.output or 0})


def by_duckdb(lake: Path) -> Answer:
    """DuckDB with its reader of Delta tables, by the statements that pollux prints."""
    folder = apart("duckdb")
    script = """if True:
        import duckdb, json, os, sys
        from pathlib import Path
        extensions, *statements, question = json.load(sys.stdin)
        platform = duckdb.execute("PRAGMA platform").fetchone()[0]
        place = Path(f"extensions/v{duckdb.__version__}/{platform}")
        place.mkdir(parents=True)
        (place / "delta.duckdb_extension").symlink_to(next(Path(extensions).rglob("delta.duckdb_extension")))
        connection = duckdb.connect(config={"extension_directory": "extensions"})
        for statement in statements:
            connection.execute(statement)
        print(json.dumps(connection.execute(question).fetchall(), default=int))
    """
    asked = [str(folder), *printed(lake, "duckdb"), QUESTION]
    return answer(_asked(script, asked, lake.parent, PYTHONPATH=str(folder)))


def by_polars(lake: Path) -> Answer:
    """Polars reads the tables itself."""
    polars = engine("polars")
    tables = {f"stored_{name}": polars.scan_delta(lake / "tables" / table.stored) for name, table in TABLES.items()}
    context = polars.SQLContext(tables)
    views = {name: context.execute(body) for name, body in view_bodies(lambda table: f"stored_{table.name}").items()}
    asked = polars.SQLContext(views)
    return answer([row for question in QUESTION.split("UNION ALL") for row in asked.execute(question).collect().rows()])


def by_spark(lake: Path) -> Answer:
    """Spark, by the statements that pollux prints. It reads the files itself: its reader of Delta is a jar of Maven."""
    engine("pyspark")
    java()
    script = """if True:
        import json, sys
        from pyspark.sql import SparkSession
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
        *statements, question = json.load(sys.stdin)
        for statement in statements:
            spark.sql(statement)
        print(json.dumps([list(row) for row in spark.sql(question).collect()]))
    """
    made = [statement.replace("delta.`", "parquet.`") for statement in printed(lake, "spark")]
    return answer(_asked(script, [*made, QUESTION], lake))


def by_sail(lake: Path) -> Answer:
    """Sail, which understands what Spark does and reads Delta tables, by the statements that pollux prints."""
    script = """if True:
        import json, sys
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession
        server = SparkConnectServer()
        server.start(background=True)
        spark = SparkSession.builder.remote("sc://127.0.0.1:%s" % server.listening_address[1]).getOrCreate()
        *statements, question = json.load(sys.stdin)
        for statement in statements:
            spark.sql(statement)
        print(json.dumps([list(row) for row in spark.sql(question).collect()]))
    """
    return answer(_asked(script, [*printed(lake, "spark"), QUESTION], lake, PYTHONPATH=str(apart("sail"))))


def by_trino(lake: Path) -> Answer:
    """The dialect of Trino, as sqlglot knows it, in DuckDB. Statements that only Trino has are left out."""
    sqlglot = engine("sqlglot")
    connection = duckdb.connect()
    connection.execute("ATTACH ':memory:' AS delta")
    tables = list(TABLES.values())
    for statement in printed(lake, "trino"):
        if statement.startswith("CALL"):
            table = tables.pop(0)
            assert f"table_name => '{table.stored}', table_location => '{lake}/tables/{table.stored}')" in statement
            files = f"{lake}/tables/{table.stored}/*/*.parquet"
            connection.read_parquet(files, hive_partitioning=True).create(f"delta.stored.{table.stored}")
        else:
            connection.execute(sqlglot.transpile(statement, read="trino", write="duckdb")[0])
    connection.execute("USE delta.lake")
    return answer(connection.execute(QUESTION).fetchall())


def by_clickhouse(lake: Path) -> Answer:
    """ClickHouse reads the tables itself, by the statements that pollux prints."""
    return answer(clickhouse(lake, QUESTION))


def clickhouse(lake: Path, question: str, *between: str) -> list[tuple[Any, ...]]:
    """The answer of ClickHouse, in a process of its own: it only opens what lies in the folder it is started in.

    Other statements may come before the index is brought up to date.
    """
    engine("chdb")
    script = """if True:
        import json, sys
        from chdb.session import Session
        *statements, question = json.load(sys.stdin)
        session = Session()
        for statement in statements:
            session.query(statement)
        print(json.dumps(json.loads(str(session.query(question, "JSONCompact")))["data"]))
    """
    return _asked(script, [*printed(lake, "clickhouse"), *between, *WORDS[1:], question], lake)


def printed(lake: Path, engine: str) -> list[str]:
    """The statements that `pollux lake views` prints."""
    done = run("lake", "views", str(lake), "--for", engine, env={"HOME": str(lake), "LANG": LANG}, cwd=lake)
    assert done.returncode == 0, done.stderr
    return [statement for line in done.stdout.splitlines() if (statement := line.removesuffix(";"))]


def _asked(script: str, statements: list[str], lake: Path, **more: str) -> list[tuple[Any, ...]]:
    command = [sys.executable, "-c", script]
    environ = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **more}
    asked = json.dumps(statements)
    done = subprocess.run(command, input=asked, cwd=lake, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows: list[tuple[Any, ...]] = json.loads(done.stdout)
    return rows


@pytest.mark.parametrize("ask", [by_duckdb, by_polars, by_clickhouse, by_spark, by_sail, by_trino])
def test_an_engine_sees_what_the_sessions_hold(ask: Callable[[Path], Answer], lake: Path, truth: Answer) -> None:
    assert ask(lake) == truth


def test_an_index_of_words_holds_every_title_message_and_call_once(lake: Path, truth: Answer) -> None:
    question = """
        SELECT (SELECT COUNT(*) FROM words), (SELECT COUNT(*) FROM words WHERE hasAllTokens(text, ['the'])),
        (SELECT COUNT(*) FROM words WHERE match(lower(text), '(^|[^a-z0-9])the([^a-z0-9]|$)'))
    """
    ((count, found, expected),) = clickhouse(lake, question)
    assert int(count) == sum(truth[name][0] for name in ("sessions", "messages", "tool_calls"))
    assert int(found) == int(expected) > 0


def test_an_index_of_words_forgets_whose_copy_counts_no_more(lake: Path) -> None:
    """Two people may have pushed a session from one machine, and both were loaded together."""
    hers = "INSERT INTO words SELECT month, 'eve', machine, key, batch, number, text FROM words"
    ((count,),) = clickhouse(lake, "SELECT COUNT(*) FROM words WHERE person = 'eve'", hers)
    assert int(count) == 0


def test_a_raw_table_holds_more_than_counts(lake: Path, truth: Answer) -> None:
    assert DeltaTable(lake / "tables" / "usage_all").count() >= 2 * truth["usage"][0]
