"""The data source without a cluster: what it says to wrong options, and the batches that Spark gets of it."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import RequestError, UnknownName
from pollux.lake.tables import TABLES
from tests.lake.engines import engine

HOME = Path(__file__).parents[2] / "corpus" / "gemini" / "0.61.0" / "home"


@pytest.fixture
def source() -> Any:
    """Makes a source with options, and Spark's types of its columns."""
    types = engine("pyspark.sql.types")
    from pollux.spark import Source

    def make(*columns: str, **options: str) -> tuple[Any, Any]:
        return Source(options), types.StructType([types.StructField(name, types.StringType()) for name in columns])

    return make


def rows(reader: Any) -> list[dict[str, Any]]:
    parts = [pickle.loads(pickle.dumps(part)) for part in reader.partitions()]  # noqa: S301 (our own)
    copy = pickle.loads(pickle.dumps(reader))  # noqa: S301 (our own)
    return [row for part in parts for batch in copy.read(part) for row in batch.to_pylist()]


def test_wrong_options_get_a_sentence(source: Any) -> None:
    with pytest.raises(UnknownName, match="No table is called 'session'") as told:
        source(table="session")[0].schema()
    assert told.value.hint == "Did you mean: sessions?"
    wrong, columns = source("titel", path=str(HOME))
    with pytest.raises(UnknownName, match="No column of sessions is called 'titel'"):
        wrong.reader(columns)
    nowhere, columns = source("title")
    with pytest.raises(RequestError, match="No folder was named"):
        nowhere.reader(columns)


def test_every_table_has_the_columns_of_the_lake(source: Any) -> None:
    for name, table in TABLES.items():
        declared = [column.split()[0].strip("`") for column in source(table=name)[0].schema().split(", ")]
        assert declared == ["home", *(column.name for column in table.of_session())]


def test_only_the_columns_that_are_asked_for_are_made(source: Any) -> None:
    made, columns = source("key", "title", path=str(HOME))
    found = rows(made.reader(columns))
    assert found
    assert {tuple(row) for row in found} == {("key", "title")}


def test_a_damaged_file_is_a_row_of_problems(source: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(HOME, home)
    victim = min(home.rglob("session-*.json*"))
    victim.write_bytes(b"\0\1 no session")
    made, columns = source("home", "agent", "code", "file", table="problems", path=str(tmp_path))
    assert (str(home), "gemini", "file.damaged", str(victim)) in [
        tuple(row.values()) for row in rows(made.reader(columns))
    ]


def test_rows_that_cannot_be_made_are_a_row_of_problems(source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pollux.spark.source.rows_of", failing)
    made, columns = source("key", path=str(HOME))
    assert rows(made.reader(columns)) == []
    made, columns = source("key", "code", table="problems", path=str(HOME))
    assert {row["code"] for row in rows(made.reader(columns))} >= {"reader.failed"}
