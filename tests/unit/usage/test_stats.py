from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pollux.errors import RequestError
from pollux.index.catalogue.values import Filter
from pollux.model import Session, Status, ToolCall, Usage
from pollux.usage.labels import tokens
from pollux.usage.service import Grouping, Measure
from pollux.usage.stats import with_unread_files
from tests.unit.usage.small_sessions import CODEX, NOON, OPUS, PRO, reply, session, token_usage, usage_of


def test_a_session_over_midnight_splits_by_message(tmp_path: Path) -> None:
    late = datetime(2026, 11, 10, 23, 50, tzinfo=UTC)
    talk = session(reply(token_usage(100, 10), at=late), reply(token_usage(200, 20), at=late + timedelta(minutes=20)))
    usage = usage_of(tmp_path, talk)
    told = {row.name: row.usage.total for row in usage.stats(Grouping.DAY, timezone="UTC").rows}
    assert told == {"2026-11-10": 110, "2026-11-11": 220}
    # In Berlin it is past midnight already, in New York long before it.
    assert [row.name for row in usage.stats(Grouping.DAY, timezone="Europe/Berlin").rows] == ["2026-11-11"]
    assert [row.name for row in usage.stats(Grouping.DAY, timezone="America/New_York").rows] == ["2026-11-10"]
    assert [row.sessions for row in usage.stats(Grouping.DAY, timezone="UTC").rows] == [1, 1]
    assert usage.stats(Grouping.DAY, timezone="UTC").total.sessions == 1


def test_no_sum_is_exact_that_something_unread_may_belong_to(tmp_path: Path) -> None:
    whole = session(reply(token_usage(100, 10)))
    found = usage_of(tmp_path, whole).stats(Grouping.AGENT, within=[Grouping.SESSION])
    other = with_unread_files(found, {"claude"})
    assert (found.total.usage.exact, found.total.open, found.total.at_least) == (True, False, False)
    assert (other.total.usage.exact, other.total.open, other.total.at_least) == (None, True, True)
    assert other.rows == found.rows
    (row,) = with_unread_files(found, {"gemini"}).rows
    assert (row.usage.exact, row.open) == (None, True)
    assert row.rows == found.rows[0].rows
    low = replace(found, total=replace(found.total, usage=replace(found.total.usage, exact=False)))
    assert with_unread_files(low, {"gemini"}).total.usage.exact is False


def test_models_of_one_session_are_priced_each_by_itself(tmp_path: Path) -> None:
    talk = session(reply(token_usage(1_000_000, 0), model=CODEX), reply(token_usage(0, 1_000_000), model=OPUS))
    found = usage_of(tmp_path, talk).stats(Grouping.MODEL)
    assert {row.name: row.cost_usd for row in found.rows} == {CODEX: 1.25, OPUS: 25}
    assert found.total.cost_usd == 26.25


def test_a_tier_is_by_request_not_by_session(tmp_path: Path) -> None:
    """Two prompts of 150,000 tokens are not one of 300,000."""
    small = session(reply(token_usage(150_000, 0)), reply(token_usage(150_000, 0)), id="small")
    large = session(reply(token_usage(300_000, 0)), id="large")
    told = session(
        reply(Usage(input=300_000, output=0, requests=2, each=(token_usage(150_000, 0),) * 2)), id="together"
    )
    usage = usage_of(tmp_path, small, large, told)
    bills = usage.bills(["gemini:small", "gemini:large", "gemini:together"])
    assert [bill.usd for bill in bills.values()] == [0.375, 0.75, 0.375]
    assert [usage.cost(each) for each in (small, large, told)] == [0.375, 0.75, 0.375]


def test_own_prices_take_effect_at_once_also_between_the_steps(tmp_path: Path) -> None:
    talk = session(reply(token_usage(1_000, 0), model="mine"), reply(token_usage(1_002, 0), model="mine"))
    silent = session(id="silent")
    usage = usage_of(tmp_path, talk, silent)
    assert usage.stats(Grouping.MODEL).total.cost_usd is None
    (tmp_path / "config.toml").write_text("[prices.mine]\ninput = 1\noutput = 1\ntiers = [{above = 1001, input = 2}]\n")
    del usage.__dict__["prices"]
    found = usage.stats(Grouping.AGENT)
    assert found.total.cost_usd == pytest.approx((1_000 + 2_004) / 1e6)
    assert found.total.sessions == 2
    assert usage.cost(talk) == found.total.cost_usd


def test_an_unknown_price_is_none_and_counted(tmp_path: Path) -> None:
    usage = usage_of(
        tmp_path, session(reply(token_usage(10, 1), model="strange-1"), reply(token_usage(1_000_000, 0), model=CODEX))
    )
    found = usage.stats(Grouping.MODEL)
    assert [(row.name, row.cost_usd, row.unpriced) for row in found.rows] == [(CODEX, 1.25, 0), ("strange-1", None, 1)]
    assert (found.total.cost_usd, found.total.unpriced, found.total.at_least) == (1.25, 1, True)
    assert found.unpriced_models == ("strange-1",)


def test_each_request_without_a_cost_has_its_cause(tmp_path: Path) -> None:
    """A missing figure is no missing price, and neither is a missing name."""
    talk = session(
        reply(token_usage(1_000_000, 0), model=CODEX),
        reply(token_usage(10, 1), model="strange-1"),
        reply(token_usage(10, 1), model=None),
        reply(token_usage(10, 1), model=None),
        reply(Usage(input=5, requests=1), model=CODEX),
        reply(Usage(output=5, requests=1), model=CODEX),
        reply(Usage(requests=1), model=CODEX),
    )
    silent = session(id="silent", exact=None)
    low, unsure = (session(reply(token_usage(1, 1)), id=str(exact), exact=exact) for exact in (False, None))
    usage = usage_of(tmp_path, talk, silent, low, unsure)
    total = usage.stats(Grouping.AGENT).total
    assert (total.unpriced_causes.price, total.unpriced_causes.model, total.unpriced_causes.figures) == (1, 2, 3)
    assert (total.unpriced, total.too_low, total.unsure, total.silent) == (6, 2, 1, 1)
    assert usage.stats(Grouping.AGENT).unpriced_models == ("strange-1",)
    assert usage.bill(talk) == usage.bills([talk.key])[talk.key]
    assert usage.bill(talk).unpriced == 6
    assert usage.profile(talk).turns[0].unpriced_requests == 6


def test_rows_within_rows_add_up(tmp_path: Path) -> None:
    usage = usage_of(
        tmp_path,
        session(reply(token_usage(100, 10)), reply(token_usage(7, 1), model=CODEX), id="two", agent="codex"),
        session(reply(token_usage(50, 5), model=OPUS, at=NOON + timedelta(days=1)), id="one"),
    )
    found = usage.stats(Grouping.DAY, timezone="UTC", within=(Grouping.MODEL, Grouping.SESSION))
    assert [(day.name, [row.name for row in day.rows]) for day in found.rows] == [
        ("2026-11-10", [PRO, CODEX]),
        ("2026-11-11", [OPUS]),
    ]
    assert [row.name for row in found.rows[0].rows[1].rows] == ["codex:two"]
    assert (found.rows[0].sessions, [row.sessions for row in found.rows[0].rows]) == (1, [1, 1])
    for row in (*found.rows, *(inner for day in found.rows for inner in day.rows)):
        assert row.usage.total == sum(inner.usage.total or 0 for inner in row.rows)
        assert row.cost_usd == pytest.approx(sum(inner.cost_usd or 0 for inner in row.rows))
    assert found.total == usage.stats(Grouping.DAY, timezone="UTC").total


def test_rows_are_sorted_by_what_the_bars_show(tmp_path: Path) -> None:
    talks = [
        session(reply(token_usage(10, 0), model=OPUS), id="dear"),
        session(reply(token_usage(20, 0), model=CODEX), id="long"),
    ]
    usage = usage_of(tmp_path, *talks)
    assert (usage.stats(Grouping.MODEL).of, usage.stats(Grouping.MODEL).rows[0].name) == (Measure.COST, OPUS)
    assert usage.stats(Grouping.MODEL, of=Measure.TOKENS).rows[0].name == CODEX
    partly = usage_of(tmp_path / "partly", *talks, session(reply(token_usage(1, 0), model="strange-1"), id="odd"))
    assert (partly.stats(Grouping.MODEL).of, partly.stats(Grouping.MODEL).rows[0].name) == (Measure.TOKENS, CODEX)


def test_what_is_inherited_counts_once(tmp_path: Path) -> None:
    first = session(reply(token_usage(100, 10)), id="first")
    fork = session(reply(token_usage(100, 10), inherited=True), reply(token_usage(7, 1)), id="fork")
    assert usage_of(tmp_path, first, fork).stats(Grouping.SESSION).total.usage.total == 118


def test_a_sub_agent_belongs_to_the_conversation_that_started_it(tmp_path: Path) -> None:
    usage = usage_of(
        tmp_path,
        session(reply(token_usage(100, 10)), id="main"),
        session(reply(token_usage(50, 5), model=CODEX), id="child", parent="gemini:main"),
        session(reply(token_usage(5, 5), model=CODEX), id="grandchild", parent="gemini:child"),
    )
    assert usage.stats(Grouping.MODEL).total.sessions == 1
    assert {row.name: row.sessions for row in usage.stats(Grouping.MODEL).rows} == {PRO: 1, CODEX: 1}
    family = usage.family(session(reply(token_usage(100, 10)), id="main"))
    assert family is not None
    assert family.total == 175


def test_a_sub_agent_whose_conversation_is_gone_is_no_session(tmp_path: Path) -> None:
    usage = usage_of(
        tmp_path,
        session(reply(token_usage(100, 10)), id="main"),
        session(reply(token_usage(50, 5)), id="orphan", parent="gemini:gone"),
        session(reply(token_usage(5, 5)), id="grandchild", parent="gemini:orphan"),
        session(reply(token_usage(1, 1)), id="circle", parent="gemini:circle", exact=False),
    )
    for by in (Grouping.AGENT, Grouping.MODEL, Grouping.PROJECT, Grouping.DAY, Grouping.SESSION):
        found = usage.stats(by, timezone="UTC")
        assert (found.total.sessions, found.total.lone_subagents, found.total.usage.total) == (1, 3, 177)
        assert sum(row.sessions for row in found.rows) == 1
        assert (found.total.too_low, found.total.unsure, found.total.silent) == (1, 0, 0)
    assert sum(usage.timeline(Measure.SESSIONS, timezone="UTC").values()) == 1


def test_a_session_counts_in_the_row_that_a_list_would_show_it_in(tmp_path: Path) -> None:
    """A sub-agent that worked elsewhere does not take its conversation along."""
    call = ToolCall(id="c", name="shell", canonical="shell", tool_kind="x", status=Status.OK)
    usage = usage_of(
        tmp_path,
        session(reply(token_usage(100, 10), call), id="main", project="/a"),
        session(reply(token_usage(50, 5), call), id="child", parent="gemini:main", project="/b"),
    )
    rows = usage.stats(Grouping.PROJECT, within=(Grouping.SESSION,)).rows
    assert [(row.name, row.sessions, row.lone_subagents) for row in rows] == [("/a", 1, 0), ("/b", 0, 1)]
    assert [(row.name, row.sessions) for row in usage.stats(Grouping.SESSION).rows] == [
        ("gemini:main", 1),
        ("gemini:child", 0),
    ]
    there = usage.stats(Grouping.MODEL, Filter(project="/b")).total
    assert (there.sessions, there.lone_subagents, there.usage.total) == (0, 1, 55)
    assert usage.stats(Grouping.MODEL).total.sessions == 1
    tools, every = usage.tools(by=(Grouping.PROJECT, Grouping.TOOL))
    assert ({row.name: row.sessions for row in tools}, every.sessions) == ({"/a": 1, "/b": 0}, 1)


def test_a_conversation_with_figures_is_not_silent_for_a_sub_agent_without(tmp_path: Path) -> None:
    child = session(id="child", parent="gemini:main", exact=None)
    total = usage_of(tmp_path, session(reply(token_usage(1, 1)), id="main"), child).stats(Grouping.AGENT).total
    assert (total.sessions, total.silent, total.unsure) == (1, 0, 1)


def test_figures_nobody_recorded_stay_unknown(tmp_path: Path) -> None:
    silent = session(reply(None), id="silent", exact=None)
    found = usage_of(tmp_path, silent).stats(Grouping.AGENT)
    assert found.total.sessions == 1
    assert found.total.usage == Usage()
    assert found.total.cost_usd is None
    assert found.total.unpriced == 0


@pytest.mark.parametrize(
    ("known", "together"), [((True, True), True), ((True, None), None), ((True, False), False), ((None, False), False)]
)
def test_a_sum_is_as_exact_as_the_least_exact(
    tmp_path: Path, known: tuple[bool | None, bool | None], together: bool | None
) -> None:
    talks = [session(reply(token_usage(1, 1)), id=str(n), exact=exact) for n, exact in enumerate(known)]
    assert usage_of(tmp_path, *talks).stats(Grouping.AGENT).total.usage.exact is together


def test_filters_choose_requests_by_their_own_time(tmp_path: Path) -> None:
    talk = session(
        reply(token_usage(1, 0)),
        reply(token_usage(10, 0), at=NOON + timedelta(days=2)),
        reply(token_usage(100, 0), at=None),
    )
    usage = usage_of(
        tmp_path, talk, session(reply(token_usage(1000, 0)), id="other", agent="codex", project="/code/seeds")
    )
    day = timedelta(days=1)

    def total(**asked: object) -> int | None:
        return usage.stats(Grouping.DAY, Filter(**asked)).total.usage.total  # type: ignore[arg-type]

    assert total() == 1111
    assert total(agent="gemini") == 111
    assert total(project="seeds") == 1000
    assert total(since=NOON + day) == 10
    assert total(until=NOON + day) == 1001
    assert total(since=NOON + 3 * day) is None
    assert [row.name for row in usage.stats(Grouping.DAY, timezone="UTC").rows] == ["2026-11-10", "2026-11-12", None]


def test_tools(tmp_path: Path) -> None:
    def call(name: str, status: Status, seconds: float | None = None) -> ToolCall:
        return ToolCall(id="c", name=name, canonical=name, tool_kind="x", status=status, seconds=seconds)

    talk = session(
        reply(None, call("shell", Status.OK, 1), call("shell", Status.ERROR, 3), call("shell", Status.OK, 2)),
        reply(None, call("read", Status.CANCELLED)),
        reply(None, call("shell", Status.OK, 100), inherited=True),
    )
    rows, total = usage_of(tmp_path, talk).tools()
    assert [(r.name, r.calls, r.failed, r.cancelled, r.seconds, r.timed) for r in rows] == [
        ("shell", 3, 1, 0, 2, 3),
        ("read", 1, 0, 1, None, 0),
    ]
    assert (total.calls, total.failed, total.sessions) == (4, 1, 1)
    days, whole = usage_of(tmp_path / "again", talk).tools(timezone="UTC", by=(Grouping.DAY, Grouping.TOOL))
    assert whole == total
    assert [(day.name, day.calls, [(row.name, row.calls) for row in day.rows]) for day in days] == [
        ("2026-11-10", 4, [("shell", 3), ("read", 1)])
    ]


@pytest.mark.parametrize("half", [Usage(input=5, requests=1), Usage(output=5, requests=1)])
def test_sum_of_which_a_figure_is_missing_is_too_low(tmp_path: Path, half: Usage) -> None:
    """Whatever agent wrote it, and also where several requests stand together."""
    whole = Usage(input=5, output=5, requests=2, exact=True, each=(token_usage(5, 5), half))
    for missing in (half, whole):
        talk = session(reply(token_usage(100, 10)), reply(missing), exact=True)
        assert talk.usage.exact is False
        assert usage_of(tmp_path, talk).stats(Grouping.AGENT).total.usage.exact is False
    inherited = session(reply(token_usage(100, 10)), reply(half, inherited=True), exact=True)
    assert inherited.usage.exact is True


def test_a_row_of_which_half_is_unknown_counts_with_the_other_half(tmp_path: Path) -> None:
    """Its total is unknown, and what is known of it is in every sum, in its place among the rows, and in charts."""
    half = session(reply(Usage(input=700, requests=1)), id="half", agent="claude")
    usage = usage_of(tmp_path, half, session(reply(token_usage(100, 10)), id="whole"))
    found = usage.stats(Grouping.AGENT, of=Measure.TOKENS)
    assert [(row.name, row.usage.total, row.usage.known, row.usage.exact) for row in found.rows] == [
        ("claude", None, 700, False),
        ("gemini", 110, 110, True),
    ]
    assert (found.total.usage.input, found.total.usage.output, found.total.usage.total) == (800, 10, 810)
    assert found.total.usage.exact is False
    assert sum(usage.timeline(Measure.TOKENS).values()) == 810
    stacks = usage.stacks(Grouping.AGENT, Measure.TOKENS, Grouping.MODEL)
    assert {name: sum(values.values()) for name, values in stacks.items()} == {"claude": 700, "gemini": 110}
    assert (tokens(found.rows[0].usage), tokens(found.total.usage), tokens(Usage())) == ("≥700", "≥810", "–")


def test_figures_that_no_machine_word_holds_are_not_kept(tmp_path: Path) -> None:
    huge = Usage(input=10**30, output=1 << 63, requests=1, exact=True)
    usage = usage_of(tmp_path, session(reply(huge), reply(token_usage(100, 10))))
    total = usage.stats(Grouping.SESSION).total.usage
    assert (total.input, total.output, total.requests, total.exact) == (100, 10, 2, False)


@pytest.mark.parametrize("talks", [[], [session(reply(token_usage(100, 10)))]], ids=["empty", "one session"])
@pytest.mark.parametrize("order", [[Grouping.TOOL], [Grouping.AGENT, Grouping.TOOL]], ids=["first", "within"])
def test_tokens_cannot_be_told_apart_by_tool(tmp_path: Path, talks: list[Session], order: list[Grouping]) -> None:
    first, *within = order
    with pytest.raises(RequestError, match="neither tokens nor a cost"):
        usage_of(tmp_path, *talks).stats(first, within=within)
