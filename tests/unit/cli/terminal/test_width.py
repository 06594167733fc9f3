from __future__ import annotations

import re

import pytest

from pollux.cli.app import run
from pollux.cli.terminal.table import Chart, Column, table
from pollux.cli.terminal.width import cut, cut_left, pad, short, width, wrap, wrap_facts


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


COMMANDS = {
    "list": "when agent project id title",
    "list --all": "when agent project id title",
    "projects": "project path sessions",
    "agents": "agent looked in found sessions",
    "writers": "format what for",
    "stats": "day input output tokens cost",
    "stats --by agent": "agent input output tokens cost by cost",
    "stats --by model": "model input output tokens cost",
    "stats --by project": "project input output tokens cost",
    "stats --by session": "session title tokens cost",
    "stats --by day,model": "day, model input output tokens cost",
    "stats --by project,session": "project, session tokens cost",
    "stats --by tool": "tool calls failed rate",
    "stats --by agent,tool": "agent, tool calls failed rate",
    "recover": "session from title",
    "audit": "agent requests tokens exact too low unsure",
    "timeline": "",
    "doctor": "",
    "doctor --all": "",
    "search tide --each 9": "",
    "stats 1ff9": "",
}


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 140])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_fits_and_keeps_what_matters(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["--sample", *command.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    paths = ("~/.", "claude:", "gemini:", "codex:")
    assert [line for line in lines if width(line) > columns and not line.lstrip("-≠ ").startswith(paths)] == []
    titles = sorted(re.split(r"\s{2,}", lines[0].strip()), key=len, reverse=True)
    wanted = COMMANDS[command]
    if columns >= 60 and wanted:
        for title in titles:
            wanted = wanted.replace(title, "")
        assert not wanted.strip(), lines[0]


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_long_and_wide_values_never_break_a_table(columns: int) -> None:
    name, path = Column("name"), Column("path", flexible=True, least=10, path=True)
    count, bars = Column("count", right=True), Chart("by count", most=16, least=8, sacrifice=1)
    for text, value in (("架构设计" * 40, 1), ("🌊" * 30, 2_000_000), ("word " * 50, 3), ("e\u0301" * 99, 0)):
        name.add(text)
        path.add(f"/{text}/{text}")
        count.add(f"{value:,}")
        bars.bar(value)
    lines = list(table(Wide(columns), [name, path, count, bars]))  # type: ignore[arg-type]
    assert len(lines) == 5
    assert all(width(line) <= columns for line in lines)
    assert "2,000,000" in lines[2]  # a figure is never cut


class Wide:
    """A screen of so many columns."""

    def __init__(self, columns: int) -> None:
        self.columns = columns

    def paint(self, text: str, style: str) -> str:  # noqa: ARG002
        return text
