"""However usage is told, it adds up to the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from pollux.index.catalogue.usage_queries import UsageQueries
from pollux.index.catalogue.values import Filter
from pollux.model import FIGURES, Message, Session, Usage
from pollux.usage.rates import dollars
from pollux.usage.service import Grouping, UsageService
from pollux.usage.stats import stats
from tests.unit.usage.small_sessions import CODEX, OPUS, PRO, questions, reply, session

DIMENSIONS = [by for by in Grouping if by is not Grouping.TOOL]
ZONES = st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"])
FOLDER = TemporaryDirectory(prefix="pollux-accounts-")
NOWHERE, PRICES = Path(FOLDER.name) / "config.toml", Path(FOLDER.name) / "prices.json"
START = datetime(2026, 3, 1, tzinfo=UTC)

tokens = st.one_of(st.none(), st.integers(0, 600_000))


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    """Any figures may be missing, but a part is no more than its whole."""
    given, output = draw(tokens), draw(tokens)

    def part(whole: int | None) -> int | None:
        return draw(st.one_of(st.none(), st.integers(0, (whole or 0) // 2)))

    written = part(given)
    return Usage(
        input=given,
        cached=part(given),
        cache_write=written,
        cache_write_long=part(written),
        output=output,
        reasoning=part(output),
        requests=draw(st.one_of(st.none(), st.integers(1, 3))),
    )


times = st.one_of(
    st.none(), st.sampled_from([0, 5, 14, 15, 300, 20_000]).map(lambda minutes: START + timedelta(minutes=minutes))
)
models = st.sampled_from([PRO, CODEX, OPUS, "strange-1", None])


@st.composite
def replies(draw: st.DrawFn) -> Message:
    usage = draw(st.one_of(st.none(), usages()))
    return reply(usage, at=draw(times), model=draw(models), inherited=draw(st.booleans()))


@st.composite
def sessions(draw: st.DrawFn, number: int) -> Session:
    return session(
        *draw(st.lists(replies(), max_size=4)),
        id=str(number),
        agent=draw(st.sampled_from(["gemini", "claude", "codex"])),
        project=draw(st.sampled_from(["/a", "/b", None])),
        parent=None if number == 0 or draw(st.booleans()) else f"gemini:{number - 1}",
        exact=draw(st.sampled_from([True, False, None])),
    )


@st.composite
def histories(draw: st.DrawFn) -> list[Session]:
    return [draw(sessions(number)) for number in range(draw(st.integers(1, 5)))]


@settings(max_examples=150)
@given(history=histories(), zone=ZONES)
def test_every_dimension_adds_up_to_the_total(history: list[Session], zone: str) -> None:
    current = questions(history)
    books = UsageService(lambda question: question(current), settings=NOWHERE, prices=PRICES)
    told = {by: books.stats(by, timezone=zone) for by in DIMENSIONS}
    total = told[Grouping.AGENT].total
    for found in told.values():
        assert found.total.usage == total.usage
        assert found.total.cost_usd == total.cost_usd
        for name in FIGURES:
            figures = [figure for row in found.rows if (figure := getattr(row.usage, name)) is not None]
            assert (sum(figures) if figures else None) == getattr(total.usage, name), (found.by, name)
        costs = [row.cost_usd for row in found.rows if row.cost_usd is not None]
        assert (sum(costs) if costs else None) == pytest.approx(total.cost_usd)
        assert sum(row.unpriced for row in found.rows) == total.unpriced
    for outer, inner in ((Grouping.DAY, Grouping.MODEL), (Grouping.PROJECT, Grouping.SESSION)):
        nested = books.stats(outer, timezone=zone, within=(inner,))
        assert nested.total == books.stats(outer, timezone=zone).total
        for row in nested.rows:
            for name in FIGURES:
                figures = [figure for one in row.rows if (figure := getattr(one.usage, name)) is not None]
                assert (sum(figures) if figures else None) == getattr(row.usage, name)
            assert sum(one.unpriced for one in row.rows) == row.unpriced
    for each in history:
        known = each.key in {row.name for row in told[Grouping.SESSION].rows}
        rolled = books.bills([each.key])[each.key]
        assert not known or (rolled.usd, rolled.unpriced > 0) == (
            pytest.approx(books.cost(each)) if rolled.usd is not None else books.cost(each),
            books.bill(each).unpriced > 0,
        )
    given = [each.usage.input for each in history if each.usage.input is not None]
    assert total.usage.input == (sum(given) if given else None)


@settings(max_examples=150)
@given(history=histories())
def test_roll_ups_and_single_requests_tell_the_same(history: list[Session]) -> None:
    current = questions(history)
    books = UsageService(lambda question: question(current), settings=NOWHERE, prices=PRICES)
    asked = UsageQueries(current, Filter())
    pricer = books._pricer(asked.models())
    rolled = stats(Grouping.SESSION, asked.sessions, asked.rollups(), pricer)
    single = stats(Grouping.SESSION, asked.sessions, asked.requests(), pricer)
    assert {row.name: (row.usage, row.cost_usd, row.sessions) for row in rolled.rows} == {
        row.name: (row.usage, row.cost_usd, row.sessions) for row in single.rows
    }
    for each in history:
        price = books._price_function(each)
        costs = [price(m) for m in each.messages if m.usage is not None and not m.inherited]
        known = [cost for cost in costs if cost is not None]
        row = next((row for row in single.rows if row.name == each.key), None)
        assert (row.cost_usd if row is not None else None) == (dollars(sum(known)) if known else None)
