"""The totals of all sessions of a site, and charts over time.

The columns are drawn to any width, so that a phone shows them too; words stand outside the drawing, where they keep
their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, timedelta
from typing import NamedTuple

from pollux.model import Kind, Summary
from pollux.text.escape import one_line
from pollux.writers.html.markup import Html, tag
from pollux.writers.html.messages import is_too_low, money

COLOURS = 7
"""The number of agents with a colour of their own; the others share the last."""

_STEPS = (("day", 31), ("week", 7 * 40), ("month", 31 * 48))
_HIGH, _WIDE = 100, 10

Amount = Callable[[Summary], float | None]
IsLow = Callable[[Summary], bool]
"""Is an amount less than what was used or paid?"""
Label = Callable[[float], str]


class Value(NamedTuple):
    """A sum, which may be less than what was used or paid."""

    amount: float = 0
    is_low: bool = False


Stacks = Sequence[tuple[date, Mapping[str, Value]]]
"""Spans of time in their order, each with its value by agent."""


def totals(summaries: Sequence[Summary], projects: int) -> Html:
    """The sums of all sessions."""
    minor = sum(one.kind is not Kind.MAIN for one in summaries)
    days = sorted(at.astimezone(UTC).date() for one in summaries for at in (one.started, one.ended) if at is not None)
    facts = [("Sessions", f"{len(summaries) - minor:,}" + (f" and {minor:,} of other kinds" if minor else ""))]
    facts += [("Projects", f"{projects:,}")]
    if days:
        facts += [("When (UTC)", " – ".join(dict.fromkeys(day.isoformat() for day in (days[0], days[-1]))))]
    tokens = [one.usage.known for one in summaries if one.usage.known is not None]
    if tokens:
        least = "at least " if any(one.usage.exact is False for one in summaries) else ""
        facts += [("Tokens", f"{least}{sum(tokens):,}")]
    costs = [one.cost_usd for one in summaries if one.cost_usd is not None]
    if costs:
        facts += [("Cost", money(sum(costs), at_least=any(map(_is_underpriced, summaries))))]
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in facts), class_="totals")


def charts(summaries: Sequence[Summary]) -> Html | None:
    """Columns over time, a stack of agents each; None where there is no time to spread over."""
    dated = [(day, one) for one in summaries if (day := _day(one)) is not None]
    if len({day for day, _ in dated}) < 2:
        return None
    step, spans = _spans(min(day for day, _ in dated), max(day for day, _ in dated))
    counts: dict[str, int] = {}
    for one in summaries:
        counts[one.agent] = counts.get(one.agent, 0) + 1
    agents = sorted(counts, key=lambda agent: (-counts[agent], agent))
    measures: list[tuple[str, Amount, IsLow, Label]] = [
        ("Tokens", lambda one: one.usage.known, lambda one: one.usage.exact is False, compact),
        ("Cost", lambda one: one.cost_usd, _is_underpriced, money),
        ("Sessions", lambda one: one.kind is Kind.MAIN, lambda _: False, lambda value: f"{value:,.0f}"),
    ]
    figures = [
        _figure(f"{name} a {step}", _stacks(dated, step, spans, amount, is_low), agents, label)
        for name, amount, is_low, label in measures
        if any(amount(one) for _, one in dated)
    ]
    legend = tag("p", *map(_legend, range(len(agents)), agents), class_="legend") if len(agents) > 1 else None
    stacked = "Columns are stacked by agent. " if len(agents) > 1 else ""
    note = tag("p", f"{stacked}A session counts as a whole in the {step} in which it began, in UTC.", class_="note")
    return tag("div", legend, tag("div", *figures), note, class_="charts")


def compact(value: float) -> str:
    """A figure in three digits or so."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{letter}"
    return f"{value:,.0f}"


def _is_underpriced(one: Summary) -> bool:
    unpriced = bool(one.usage.known) and one.cost_usd is None
    return unpriced or is_too_low(one.usage, one.unpriced_requests)


def _day(one: Summary) -> date | None:
    at = one.started or one.ended
    return at.astimezone(UTC).date() if at is not None else None


def _spans(first: date, last: date) -> tuple[str, list[date]]:
    """The days on which each span begins, and what a span is called. Spans are as long as their number requires."""
    step = next((step for step, most in _STEPS if (last - first).days <= most), "year")
    spans = [_begin(first, step)]
    while (
        after := _begin(spans[-1] + timedelta(days={"day": 1, "week": 7, "month": 32, "year": 366}[step]), step)
    ) <= last:
        spans.append(after)
    return step, spans


def _begin(day: date, step: str) -> date:
    """The first day of the span in which a day lies."""
    if step == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if step == "month" else day.replace(month=1, day=1) if step == "year" else day


def _stacks(
    dated: Sequence[tuple[date, Summary]], step: str, spans: Iterable[date], amount: Amount, is_low: IsLow
) -> Stacks:
    """The sum of each agent in each span."""
    sums: dict[date, dict[str, Value]] = {span: {} for span in spans}
    for day, one in dated:
        agents = sums[_begin(day, step)]
        before = agents.get(one.agent, Value())
        agents[one.agent] = Value(before.amount + (amount(one) or 0), before.is_low or is_low(one))
    return list(sums.items())


def _words(value: Value, label: Label) -> str:
    return f"at least {label(value.amount)}" if value.is_low else label(value.amount)


def _figure(name: str, stacks: Stacks, agents: Sequence[str], label: Label) -> Html:
    most = Value(
        max(sum(value.amount for value in values.values()) for _, values in stacks),
        any(value.is_low for _, values in stacks for value in values.values()),
    )
    columns = [
        tag(
            "rect",
            tag("title", f"{span.isoformat()} · {one_line(agent)}: {_words(value, label)}"),
            class_=colour,
            **place,
        )
        for number, (span, values) in enumerate(stacks)
        for agent, value, colour, place in _column(number, values, agents, most.amount)
    ]
    drawing = tag(
        "svg",
        *columns,
        viewBox=f"0 0 {_WIDE * len(stacks)} {_HIGH}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{name}, highest: {_words(most, label)}",
    )
    ends = tag("div", *(tag("span", stacks[end][0].isoformat()) for end in (0, -1)), class_="ends")
    return tag(
        "figure", tag("figcaption", tag("b", name), " ", tag("span", f"highest: {_words(most, label)}")), drawing, ends
    )


def _column(
    number: int, values: Mapping[str, Value], agents: Sequence[str], most: float
) -> Iterator[tuple[str, Value, str, dict[str, str]]]:
    """One on top of the other: whose, how much, in which colour, and where."""
    floor = float(_HIGH)
    for rank, agent in enumerate(agents):
        if (value := values.get(agent, Value())).amount:
            high = _HIGH * value.amount / most
            floor -= high
            place = {
                "x": f"{number * _WIDE + 1}",
                "y": f"{floor:.2f}",
                "width": f"{_WIDE - 2}",
                "height": f"{high:.2f}",
            }
            yield agent, value, _colour(rank), place


def _legend(rank: int, agent: str) -> Html:
    square = tag("rect", width="10", height="10", class_=_colour(rank))
    return tag("span", tag("svg", square, viewBox="0 0 10 10", aria_hidden="true"), " ", one_line(agent))


def _colour(rank: int) -> str:
    return f"c{min(rank, COLOURS - 1)}"
