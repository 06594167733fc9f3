"""Texts that a spreadsheet would work out: they come as texts, and numbers stay numbers."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest

from pollux import registry
from pollux.answers.usage import table_of
from pollux.model import Text
from pollux.writers.base import Options
from pollux.writers.csv import APOSTROPHE, inert
from tests.unit.writers.kitchen_sink import SESSION

FORMULAS = ["=cmd|'/C calc'!A0", "@SUM(A1)", "-1+1", "+1", "\t=1", "\r=1", "'=1", "''-1", '=HYPERLINK("http://x")']
TEXTS = ["words", "", "1=1", " =1", "'words'", "a-b", "\n=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text: str) -> None:
    message = msgspec.structs.replace(SESSION.messages[0], parts=(Text(text=text),))
    session = msgspec.structs.replace(SESSION, title=text, messages=(message,))
    out: list[str] = []
    report = registry.writer("csv").write(session, out.append, Options())
    (row,) = csv.DictReader(io.StringIO("".join(out), newline=""))
    assert row["text"] == f"'{text}"
    assert [loss.what for loss in report.fabricated] == [APOSTROPHE]
    assert not any(cell[:1] in "=+-@\t\r" for cell in row.values() if cell)


@pytest.mark.parametrize("value", [*TEXTS, -1, -1.5, 0, None, True])
def test_other_cells_stay(value: object) -> None:
    assert inert(value) == value


def test_no_name_in_a_table_of_figures_is_a_formula() -> None:
    for text in FORMULAS:
        table = table_of(["name", "tokens"], [{"name": text, "tokens": -1}])
        assert list(csv.DictReader(io.StringIO(table, newline=""))) == [{"name": f"'{text}", "tokens": "-1"}]


def test_a_carriage_return_begins_no_row() -> None:
    table = table_of(["name"], [{"name": "a\r=1"}, {"name": "b\r\nc"}])
    assert [row["name"] for row in csv.DictReader(io.StringIO(table, newline=""))] == ["a\r=1", "b\r\nc"]
    assert table == 'name\n"a\r=1"\n"b\r\nc"\n'
