"""What the library says about every session of the corpus is the truth."""

from __future__ import annotations

import pytest

from tests.conformance import compare
from tests.conformance.answers import answers
from tests.conformance.truth import AGENTS, Truth, homes, truths

HOMES = [(agent, home) for agent in AGENTS for home in homes(agent)]


@pytest.mark.parametrize("truth", [truth for agent in AGENTS for truth in truths(agent)], ids=str)
def test_session(truth: Truth) -> None:
    home = answers(truth.agent, truth.home)
    keys = home.of(truth)
    assert len(keys) == 1, f"listed {len(keys)} times"
    session, summary = home.sessions[keys[0]], home.listed[keys[0]].summary
    assert [
        *compare.facts(truth, summary, home.parent_key(truth), home.inner(summary)),
        *compare.texts(truth, session),
        *compare.thinking(truth, session),
        *compare.tools(truth, session),
        *compare.usage(truth, session),
        *compare.fates(truth, session),
        *compare.resumed(truth, session),
        *compare.summary_of(session, summary),
    ] == []


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_nothing_invented(agent: str, home: str) -> None:
    assert answers(agent, home).strangers == []


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_families_add_up(agent: str, home: str) -> None:
    listed = answers(agent, home).listed

    def total(key: str) -> int:
        own = listed[key].summary.usage.total or 0
        return own + sum(total(child) for child, summary in listed.items() if summary.summary.parent == key)

    sums = {key: entry.family_usage.total or 0 for key, entry in listed.items() if entry.family_usage is not None}
    assert sums == {key: total(key) for key in listed}
