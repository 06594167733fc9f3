"""The totals of a site, and its columns."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from pollux.model import Kind, Session, Summary, Usage, summarize
from pollux.writers.html.chart import charts, compact, totals

START = datetime(2026, 1, 31, 23, tzinfo=UTC)


def one(
    days: int,
    tokens: int | None = 100,
    cost: float | None = 0.5,
    *,
    agent: str = "a",
    kind: Kind = Kind.MAIN,
    exact: bool = True,
    unpriced: int | None = None,
) -> Summary:
    bare = summarize(Session(agent=agent, id=str(days), kind=kind, started=START + timedelta(days=days)))
    usage = Usage(input=tokens, output=None if tokens is None else 0, exact=exact)
    return msgspec.structs.replace(bare, usage=usage, cost_usd=cost, unpriced_requests=unpriced)


def test_totals_are_sums_and_unknown_is_not_nothing() -> None:
    sums = totals([one(0), one(3, None, None), one(5, 50, 1.0, kind=Kind.SUBAGENT)], 2)
    assert "<dd>2 and 1 of other kinds</dd>" in sums
    assert "<dd>2026-01-31 – 2026-02-05</dd>" in sums
    assert "<dt>Tokens</dt><dd>150</dd>" in sums
    assert "<dt>Cost</dt><dd>$1.50</dd>" in sums
    assert "Tokens" not in totals([one(0, None, None)], 1)
    assert "Cost" not in totals([one(0, None, None)], 1)


def test_totals_are_at_least_what_is_known() -> None:
    assert "<dt>Tokens</dt><dd>at least 200</dd>" in totals([one(0), one(1, exact=False)], 1)
    assert "<dt>Cost</dt><dd>at least $0.5000</dd>" in totals([one(0), one(1, cost=None)], 1)
    assert "<dt>Cost</dt><dd>at least $1.00</dd>" in totals([one(0), one(1, unpriced=3)], 1)
    assert "<dt>Cost</dt><dd>$1.00</dd>" in totals([one(0), one(1, unpriced=0)], 1)


def test_the_time_goes_on_until_the_last_session_ended() -> None:
    long = msgspec.structs.replace(one(0), ended=START + timedelta(days=40))
    assert "<dt>When (UTC)</dt><dd>2026-01-31 – 2026-03-12</dd>" in totals([long, one(3)], 1)


@pytest.mark.parametrize(("figure", "exact", "unpriced"), [("Tokens", False, 0), ("Cost", False, 0), ("Cost", True, 2)])
def test_columns_are_at_least_what_is_known(figure: str, exact: bool, unpriced: int) -> None:
    drawn = charts([one(0, agent="low", exact=exact, unpriced=unpriced), one(1, cost=1.5, agent="whole", unpriced=0)])
    assert drawn is not None
    (text,) = [piece for piece in drawn.split("<figure>") if piece.startswith(f"<figcaption><b>{figure} a day</b>")]
    assert "2026-01-31 · low: at least " in text
    assert re.search(r"2026-02-01 · whole: [$\d]", text)
    assert text.count("highest: at least ") == 2
    assert "Sessions a day</b> <span>highest: 1</span>" in drawn


def test_a_legend_names_each_agent_beside_its_colour() -> None:
    drawn = charts([one(0, agent="gemini"), one(1, agent="<b>odd</b>")])
    assert drawn is not None
    legend = re.findall(r'<p class="legend">(.*?)</p>', drawn)
    square = '<svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="{}"></rect></svg>'
    names = ["&lt;b&gt;odd&lt;/b&gt;", "gemini"]
    assert legend == ["".join(f"<span>{square.format(f'c{n}')} {name}</span>" for n, name in enumerate(names))]
    assert "Columns are stacked by agent. A session counts as a whole in the day in which it began, in UTC." in drawn
    alone = charts([one(0), one(1)])
    assert alone is not None
    assert "legend" not in alone
    assert "stacked" not in alone


@pytest.mark.parametrize(
    ("days", "step", "columns"),
    [(1, "day", 2), (30, "day", 31), (60, "week", 10), (400, "month", 15), (2000, "year", 6)],
)
def test_spans_of_time(days: int, step: str, columns: int) -> None:
    drawn = charts([one(0), one(days)])
    assert drawn is not None
    assert f"Tokens a {step}" in drawn
    widths = {int(word) // 10 for word in re.findall(r'viewBox="0 0 (\d+) 100"', drawn)}
    assert widths == {columns}


def test_every_value_is_drawn_and_told() -> None:
    drawn = charts([one(0, 1000, agent="gemini"), one(0, 3000, agent="codex"), one(1, 2000, agent="codex")])
    assert drawn is not None
    assert "2026-01-31 · gemini: 1.0k" in drawn
    assert "2026-01-31 · codex: 3.0k" in drawn
    assert "highest: 4.0k" in drawn
    heights = re.findall(r'height="([\d.]+)"', drawn.partition("</figure>")[0].partition("<figure>")[2])
    assert sorted(map(float, heights)) == [25.0, 50.0, 75.0]
    assert drawn.count("<figure>") == 3
    assert "style=" not in drawn


def test_what_cannot_be_drawn() -> None:
    assert charts([]) is None
    assert charts([one(0), one(0)]) is None
    output = charts([one(0, None, None), one(1, None, None)])
    assert output is not None
    assert "Tokens" not in output
    assert "Sessions a day" in output


@pytest.mark.parametrize(("value", "words"), [(0, "0"), (999, "999"), (1200, "1.2k"), (3.4e6, "3.4M"), (2e9, "2.0B")])
def test_compact(value: float, words: str) -> None:
    assert compact(value) == words
