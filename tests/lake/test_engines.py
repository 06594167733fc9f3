"""Other people's engines see through the views what the sessions hold: nothing twice, nothing hidden, nothing lost."""

from __future__ import annotations

import json
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
from pollux.lake.views import WORDS, Engine, statements, view_bodies
from pollux.model import Kind, Session, ToolCall, summarize
from pollux.spark.homes import homes_below, read_home
from tests.lake.engines import engine
from tests.lake.making import push

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
    """DuckDB reads the files that the log names."""
    connection = duckdb.connect()
    for table in TABLES.values():
        files = DeltaTable(lake / "tables" / table.stored).file_uris()
        read = connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
        read.create_view(f"stored {table.name}")
    for name, body in view_bodies(lambda table: f'"stored {table.name}"').items():
        connection.execute(f"CREATE VIEW {name} AS {body}")
    return answer(connection.execute(QUESTION).fetchall())


def by_polars(lake: Path) -> Answer:
    """Polars reads the tables itself."""
    polars = engine("polars")
    tables = {f"stored_{name}": polars.scan_delta(lake / "tables" / table.stored) for name, table in TABLES.items()}
    context = polars.SQLContext(tables)
    views = {name: context.execute(body) for name, body in view_bodies(lambda table: f"stored_{table.name}").items()}
    asked = polars.SQLContext(views)
    return answer([row for question in QUESTION.split("UNION ALL") for row in asked.execute(question).collect().rows()])


def by_clickhouse(lake: Path) -> Answer:
    """ClickHouse reads the tables itself, by the statements that pollux prints."""
    return answer(clickhouse(lake, QUESTION))


def clickhouse(lake: Path, question: str) -> list[tuple[Any, ...]]:
    """The answer of ClickHouse, in a process of its own: it only opens what lies in the folder it is started in."""
    engine("chdb")
    script = """if True:
        import json, sys
        from chdb.session import Session
        statements, question = json.load(sys.stdin)
        session = Session()
        for statement in statements:
            session.query(statement)
        print(session.query(question, "JSONCompact"))
    """
    asked = json.dumps([[*statements(Engine.CLICKHOUSE, str(lake)), *WORDS[1:]], question])
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, input=asked, cwd=lake, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows: list[tuple[Any, ...]] = json.loads(done.stdout)["data"]
    return rows


@pytest.mark.parametrize("ask", [by_duckdb, by_polars, by_clickhouse])
def test_an_engine_sees_what_the_sessions_hold(ask: Callable[[Path], Answer], lake: Path, truth: Answer) -> None:
    assert ask(lake) == truth


def test_an_index_of_words_holds_every_message_and_call_once(lake: Path, truth: Answer) -> None:
    question = """
        SELECT (SELECT COUNT(*) FROM words), (SELECT COUNT(*) FROM words WHERE hasAllTokens(text, ['the'])),
        (SELECT COUNT(*) FROM words WHERE match(lower(text), '(^|[^a-z0-9])the([^a-z0-9]|$)'))
    """
    ((count, found, expected),) = clickhouse(lake, question)
    assert int(count) == truth["messages"][0] + truth["tool_calls"][0]
    assert int(found) == int(expected) > 0


def test_a_raw_table_holds_more_than_counts(lake: Path, truth: Answer) -> None:
    assert DeltaTable(lake / "tables" / "usage_all").count() >= 2 * truth["usage"][0]
