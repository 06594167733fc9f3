"""Figures that are missing, or are none."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.usage.service import Grouping
from tests.unit.sources.codex.conftest import (
    ONE,
    TWO,
    Home,
    context,
    event,
    figures,
    meta,
    prompt,
    reply,
    tokens,
    usage_of,
    usage_record,
)


def test_a_part_that_no_figure_stands_for_is_unknown(home: Home) -> None:
    record = {"input_tokens": 100, "total_tokens": 100}
    home.rollout(meta(), *prompt("Go"), reply("1"), tokens(record, record))
    assert usage_of(home) == (100, None, None, None, 1)
    assert home.only().usage.exact is False


@pytest.mark.parametrize(
    ("odd", "field"),
    [({"cached": 10**7}, "cached"), ({"reasoning": 10**7}, "reasoning"), ({"cached": 101}, "cached")],
)
def test_a_part_larger_than_its_whole_is_unknown_and_sums_agree(home: Home, odd: Any, field: str) -> None:
    first, second = figures(100, **odd), figures(90, 80, 7, 2)
    home.rollout(meta(), context("gpt-5.1"), *prompt("Go"), reply("1"), tokens(first, first))
    home.rollout(meta(TWO), context("gpt-5.1"), *prompt("Go"), reply("1"), tokens(second, second), name=TWO)
    session = home.sessions()[ONE]
    assert getattr(session.usage, field) is None
    assert (session.usage.input, session.usage.output, session.usage.exact) == (100, 1, None)
    assert [(notice.code, notice.line) for notice in session.notices] == [("usage.odd", 6)]
    accounts = home.library().usage
    rows = accounts.stats(Grouping.SESSION).rows
    assert accounts.stats(Grouping.AGENT).total.cost_usd == pytest.approx(sum(row.cost_usd or 0 for row in rows))


BAD: tuple[Any, ...] = ("many", -5, 10**18, 1.5, None, [], True)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"])
def test_a_figure_that_is_none_is_not_nothing(home: Home, name: str, bad: Any) -> None:
    first, second, total = (
        figures(100, 10, 5, 2),
        {**figures(60, 6, 3, 1), name: bad},
        {**figures(160, 16, 8, 3), name: bad},
    )
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(total, second)
    )
    session = home.only()
    assert session.usage.exact is False
    assert [m.usage.exact for m in session.messages if m.usage is not None] == [True, False]
    assert usage_of(home)[4] == 2
    known = {"input_tokens": 100, "cached_input_tokens": 10, "output_tokens": 5, "reasoning_output_tokens": 2}[name]
    assert known in usage_of(home), "what the other response told stands alone"
    if bad is not None:
        assert any(notice.severity.value != "info" for notice in session.notices)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["input_tokens", "output_tokens"])
def test_what_one_of_the_two_tells_is_enough(home: Home, name: str, bad: Any) -> None:
    first, second, total = figures(100), figures(60), figures(160, out=2)
    start = (meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"))
    third = (*prompt("More"), reply("3"), tokens(figures(230, out=3), figures(70)))
    for broken in (tokens({**total, name: bad}, second), tokens(total, {**second, name: bad})):
        home.rollout(*start, broken, broken, *third)
        assert usage_of(home)[:3] == (230, 0, 3)
        assert home.only().usage.exact is True


@pytest.mark.parametrize("bad", ["many", 7, []])
def test_figures_of_which_nothing_can_be_read(home: Home, bad: Any) -> None:
    first, second = figures(100), figures(60)
    start = (meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"))
    home.rollout(*start, event("token_count", info=bad))
    assert (usage_of(home)[0], home.only().usage.exact) == (100, False)
    home.rollout(*start, event("token_count", info={"total_token_usage": bad, "last_token_usage": bad}))
    assert (usage_of(home)[0], home.only().usage.exact) == (100, False)
    one_of_two = event("token_count", info={"total_token_usage": bad, "last_token_usage": second})
    home.rollout(*start, one_of_two, one_of_two)
    assert (usage_of(home)[0], home.only().usage.exact) == (160, None), "it may be a repetition"


def test_a_total_that_no_program_counted(home: Home) -> None:
    first, wild = figures(100), figures(5 * 10**15)
    home.rollout(
        meta(), *prompt("Go"), reply("1"), tokens(first, first), *prompt("On"), reply("2"), tokens(wild, figures(60))
    )
    assert (usage_of(home)[0], home.only().usage.exact) == (160, None)


@pytest.mark.parametrize("bad", BAD)
def test_a_record_of_a_response_with_a_figure_that_is_none(home: Home, bad: Any) -> None:
    spoilt = usage_record("r2", 60)
    spoilt["payload"]["usage"]["output_tokens"] = bad
    home.rollout(meta(), *prompt("Go"), reply("1"), usage_record("r1", 100), *prompt("On"), reply("2"), spoilt)
    assert usage_of(home)[:3] == (160, 0, 1)
    assert home.only().usage.exact is False
    spoilt["payload"]["usage"] = bad
    home.rollout(meta(), *prompt("Go"), reply("1"), usage_record("r1", 100), *prompt("On"), reply("2"), spoilt)
    assert (usage_of(home)[0], home.only().usage.exact) == (100, False)
    home.rollout(
        meta(),
        *prompt("Go"),
        reply("1"),
        usage_record("r1", 100),
        tokens(figures(100), figures(100)),
        *prompt("On"),
        reply("2"),
        spoilt,
        tokens(figures(160, out=2), figures(60)),
    )
    assert (usage_of(home)[0], home.only().usage.exact) == (160, True), "the event beside it tells"
