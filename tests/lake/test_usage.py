"""What a lake says was used is what `pollux stats` says, over every home of the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.lake.ask import Lake
from pollux.lake.delta import Delta
from pollux.lake.load import Loader
from pollux.lake.store import Store, open_store
from pollux.lake.usage import usage_of
from pollux.system.directories import Places
from pollux.usage.service import Grouping, UsageService
from pollux.usage.stats import OF_LAKES
from tests.conformance.answers import Answers, answers
from tests.conformance.truth import AGENTS, homes
from tests.lake.making import push

DIMENSIONS = [by for by in Grouping if by is not Grouping.TOOL and by not in OF_LAKES]
EVERYTHING = Filter(everything=True)


def counted_alike(usage: UsageService, home: Answers) -> None:
    """Every row, figure, mark and trillionth of a dollar is the same."""
    moments = sorted(at for one in home.sessions.values() for at in (one.started, one.ended) if at is not None)
    later = Filter(everything=True, since=moments[len(moments) // 2]) if moments else EVERYTHING
    for by in DIMENSIONS:
        within = () if by is Grouping.MODEL else (Grouping.MODEL,)
        for criteria in (EVERYTHING, later):
            local = home.usage.stats(by, criteria, "Asia/Kolkata", within=within)
            assert usage.stats(by, criteria, "Asia/Kolkata", within=within) == local, (home.name, by)
    rows, total = usage.tools()
    local_rows, local_total = home.usage.tools()
    assert (sorted(rows, key=str), total) == (sorted(local_rows, key=str), local_total), home.name
    assert usage.bills(list(home.listed)) == home.bills


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
def test_a_lake_counts_every_home_of_the_corpus_as_it_is_counted_there(agent: str, tmp_path: Path) -> None:
    for name in homes(agent):
        home = answers(agent, name)
        store = open_store(str(tmp_path / name), create=True)
        Delta(store).create()
        push(store, home.sessions.values())
        assert not Loader(store).load().problems
        counted_alike(usage_of(Lake(store), Places(home.environ)), home)


@pytest.mark.slow
def test_prices_with_steps_of_their_own_are_paid_by_the_size_of_each_request(tmp_path: Path, store: Store) -> None:
    home = answers("claude", "2.1.325")
    models = {message.model for one in home.sessions.values() for message in one.messages if message.model}
    settings = "".join(
        f'[prices."{model}"]\ninput = 3\noutput = 15\ntiers = [{{above = 7777, input = 6, output = 20}}]\n'
        for model in models
    )
    environ = {**home.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / "pollux").mkdir()
    (tmp_path / "pollux" / "config.toml").write_text(settings)
    push(store, home.sessions.values())
    Loader(store).load()
    there = usage_of(Lake(store), Places(environ)).stats(Grouping.MODEL, EVERYTHING)
    with Library(environ, home.home) as library:
        assert there == library.usage.stats(Grouping.MODEL, EVERYTHING)
    assert there.total.cost_usd
