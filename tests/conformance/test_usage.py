"""What was used adds up, over every home of the corpus and whichever way it is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pollux import Filter
from pollux.answers.usage import stats_document
from pollux.model import FIGURES, NOTHING_USED, Kind, Usage, add
from pollux.usage.service import Grouping, Measure
from pollux.writers.json import usage_document
from tests.conformance.answers import answers
from tests.conformance.truth import AGENTS, Json, homes

HOMES = [(agent, home) for agent in AGENTS for home in homes(agent)]
DIMENSIONS = [by for by in Grouping if by is not Grouping.TOOL]


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_every_dimension_adds_up(agent: str, name: str) -> None:
    home = answers(agent, name)
    listed = [content.summary for content in home.listed.values() if content.summary.kind is not Kind.CHECKPOINT]
    wanted = add((summary.usage for summary in listed), exact=None)
    for by in DIMENSIONS:
        statistics = home.usage.stats(by, timezone="Asia/Kolkata")
        for figure in FIGURES:
            known = [value for row in statistics.rows if (value := getattr(row.usage, figure)) is not None]
            assert (sum(known) if known else None) == getattr(wanted, figure), (by, figure)
            assert getattr(statistics.total.usage, figure) == getattr(wanted, figure)


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_a_sessions_row_is_what_its_list_entry_says(agent: str, name: str) -> None:
    home = answers(agent, name)
    for row in home.usage.stats(Grouping.SESSION).rows:
        assert row.name is not None
        summary = home.listed[row.name].summary
        assert (row.usage.total, row.usage.requests, row.usage.exact) == (
            summary.usage.total,
            summary.usage.requests,
            summary.usage.exact,
        )
        assert row.cost_usd == home.bills[row.name].usd == home.usage.cost(home.sessions[row.name])
        assert row.unpriced == home.usage.bill(home.sessions[row.name]).unpriced


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_calls_add_up(agent: str, name: str) -> None:
    home = answers(agent, name)
    rows, total = home.usage.tools()
    counts = [summary.summary.counts for summary in home.listed.values() if summary.summary.kind is not Kind.CHECKPOINT]
    assert total.calls == sum(row.calls for row in rows) == sum(count.tool_calls for count in counts)
    assert total.failed == sum(row.failed for row in rows) == sum(count.failed_tool_calls for count in counts)


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_as_many_sessions_are_counted_as_are_listed(agent: str, name: str) -> None:
    """In all, and in the row of each agent, project and session; of a project alone as well."""
    home = answers(agent, name)
    listed = [content.summary for content in home.listed.values() if content.summary.kind is Kind.MAIN]
    projects = Counter(summary.project or summary.project_hash for summary in listed)
    wanted = {Grouping.AGENT: Counter(one.agent for one in listed), Grouping.PROJECT: projects}
    wanted[Grouping.SESSION] = Counter(one.key for one in listed)
    for by in DIMENSIONS:
        statistics = home.usage.stats(by)
        assert statistics.total.sessions == len(listed)
        if by in wanted:
            assert Counter({row.name: row.sessions for row in statistics.rows if row.sessions}) == wanted[by]
    for project in filter(None, projects):
        only = Filter(project=project)
        assert home.usage.stats(Grouping.MODEL, only).total.sessions == len(home.library.list(only))


def document(usage: Usage) -> Json:
    """Figures as programs get them."""
    result = usage_document(usage)
    assert result is not None
    return result


def summed(rows: Iterable[Json], name: str) -> int | None:
    """The sum of what is known."""
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known) if known else None


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_what_programs_get_adds_up(agent: str, name: str) -> None:
    """Rows and total of `stats`, the whole list, the audit of each session and of all, the calendar: one account."""
    home = answers(agent, name)
    books = home.usage
    listed = [summary.summary for summary in home.listed.values() if summary.summary.kind is not Kind.CHECKPOINT]
    sessions = [document(one.usage) | {"unpriced_requests": home.bills[one.key].unpriced} for one in listed]
    audits = [books.audit(one) for one in home.sessions.values() if one.kind is not Kind.CHECKPOINT]
    audited = [document(add((item.usage for item in one.items if item.counted), exact=None)) for one in audits]
    for by in DIMENSIONS:
        statistics = books.stats(by, timezone="UTC")
        answer = stats_document(statistics)
        for figure in ("input", "cached", "cache_write", "output", "reasoning", "requests"):
            assert answer["total"][figure] == summed(answer["rows"], figure) == summed(sessions, figure), (by, figure)
            assert answer["total"][figure] == summed(audited, figure), (by, figure)
        assert answer["total"]["unpriced_requests"] == summed(answer["rows"], "unpriced_requests") or not answer["rows"]
        assert (answer["total"]["unpriced_requests"] or None) == (summed(sessions, "unpriced_requests") or None)
        for row in (*answer["rows"], answer["total"]):
            halves = row["input"], row["output"]
            assert row["total"] == (None if None in halves else sum(halves))
            assert row["exact"] is not True or row["total"] is not None or not row["requests"]
        costs = [row["cost_usd"] for row in answer["rows"] if row["cost_usd"] is not None]
        assert answer["total"]["cost_usd"] == (pytest.approx(sum(costs)) if costs else None)
    used = books.stats(Grouping.AGENT).total.usage
    assert sum(books.timeline(Measure.TOKENS, timezone="UTC").values()) == (used.known or 0)
    assert sum(one.requests for one in books.audit_all().agents) == (used.requests or 0)


def numbers(value: Any) -> set[int]:
    """Every whole number inside a value."""
    if isinstance(value, dict):
        return set().union(*map(numbers, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(numbers, value)) if value else set()
    return {value} if type(value) is int else set()


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_every_figure_stands_where_the_audit_says(agent: str, name: str) -> None:
    home = answers(agent, name)
    for session in home.sessions.values():
        audit = home.usage.audit(session)
        counted = [item for item in audit.items if item.counted]
        answer = (
            add((item.usage for item in counted), exact=session.exact) if counted or not session.exact else NOTHING_USED
        )
        assert answer == session.usage
        for item in counted:
            assert item.file is not None
            assert [item.line, item.item, item.row].count(None) == 2
            if agent == "opencode":  # a row, or a file of one record
                if item.row is None:
                    record = json.loads(Path(item.file).read_bytes())
                    assert numbers(dict(item.native)) <= numbers(record), item.file
            elif item.line is not None and not item.file.endswith(".zst"):
                record = json.loads(Path(item.file).read_bytes().splitlines()[item.line - 1])
                assert numbers(dict(item.native)) <= numbers(record), (item.file, item.line)


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_an_exact_sum_is_what_the_agent_says_itself(agent: str, name: str) -> None:
    home = answers(agent, name)
    for verdict in home.usage.audit_all().verdicts:
        summary = home.listed[verdict.key].summary
        if summary.usage.exact and verdict.tally.scope == "session":
            assert verdict.difference == 0, verdict
