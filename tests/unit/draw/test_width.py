from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from pollux.draw.canvas import Canvas
from pollux.draw.table import Chart, Column, table
from pollux.draw.width import cut, cut_left, fold, pad, short, width, wrap, wrap_facts


def test_wide_characters_count_twice() -> None:
    assert width("abc") == 3
    assert width("架构") == 4


def test_cut_keeps_to_the_columns() -> None:
    assert cut("short", 10) == "short"
    assert cut("状态架构设计", 7) == "状态架…"
    for columns in range(12):
        assert width(cut("状态架构设计", columns)) <= columns
        assert width(cut_left("/home/ada/天气", columns)) <= columns


def test_a_table_has_no_letter_whose_width_terminals_disagree_about() -> None:
    column = Column("title")
    column.add("🌦️ showers 1️⃣")
    assert column.cells == ["🌦 showers 1⃣"]


def test_the_end_of_a_path_says_most() -> None:
    assert cut_left("/home/ada/code/weather", 10) == "…e/weather"


def test_pad() -> None:
    assert pad("架", 4) == "架  "
    assert pad("1", 3, right=True) == "  1"


def test_short_says_how_much_was_cut() -> None:
    assert short("a few words", 40) == "a few words"
    assert short("word " * 100, 40) == "word word word word wo… (500 characters)"


@pytest.mark.parametrize("columns", [20, 33, 80])
def test_wrap_loses_nothing_and_fits(columns: int) -> None:
    line = "- The converter reads 状态架构设计状态架构设计状态架构设计 and then some more words, one after the other."
    lines = list(wrap(line, columns))
    assert all(width(piece) <= columns for piece in lines)
    assert "".join(lines).replace(" ", "") == line.replace(" ", "")
    assert all(piece.startswith("  ") for piece in lines[1:])


def test_an_address_is_never_broken() -> None:
    address = "https://example.org/" + "a" * 60
    assert list(wrap(f"See {address} for more.", 30)) == ["See", address, "for more."]


def test_facts_break_between_facts() -> None:
    assert list(wrap_facts(["one fact", "another", "third"], 20)) == ["one fact · another", "third"]


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_long_and_wide_values_never_break_a_table(columns: int) -> None:
    name, path = Column("name"), Column("path", flexible=True, least=10, path=True)
    count, bars = Column("count", right=True), Chart("by count", most=16, least=8, sacrifice=1)
    for text, value in (("架构设计" * 40, 1), ("🌊" * 30, 2_000_000), ("word " * 50, 3), ("e\u0301" * 99, 0)):
        name.add(text)
        path.add(f"/{text}/{text}")
        count.add(f"{value:,}")
        bars.bar(value)
    lines = list(table(Canvas(columns), [name, path, count, bars]))
    assert len(lines) == 5
    assert all(width(line) <= columns for line in lines)
    assert "2,000,000" in lines[2]  # a figure is never cut


@given(st.text(), st.integers(2, 20))
def test_what_is_folded_is_the_same_text_in_full_lines(text: str, columns: int) -> None:
    lines = list(fold(text, columns))
    assert "".join(lines) == text
    assert all(width(line) <= columns for line in lines)
    assert all(width(line + following[0]) > columns for line, following in pairwise(lines))
    assert list(fold(text, None)) == [text]
