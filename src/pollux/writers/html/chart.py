"""What the sessions of a site come to: totals, and how they spread over time.

The columns are drawn to any width, so that a phone shows them too; words stand outside the drawing, where they keep
their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, timedelta

from pollux.model import Kind, Summary
from pollux.writers.html.markup import Html, tag
from pollux.writers.html.messages import money
from pollux.writers.visible import one_line

COLOURS = 7
"""So many agents have a colour of their own; the others share the last."""

_STEPS = (("day", 31), ("week", 7 * 40), ("month", 31 * 48))
_HIGH, _WIDE = 100, 10

Amount = Callable[[Summary], float | None]
Label = Callable[[float], str]
Stacks = Sequence[tuple[date, Mapping[str, float]]]
"""Spans of time in their order, each with its value by agent."""


def totals(summaries: Sequence[Summary], projects: int) -> Html:
    """The sums of all sessions."""
    minor = sum(one.kind is not Kind.MAIN for one in summaries)
    days = sorted(day for one in summaries if (day := _day(one)) is not None)
    facts = [("Sessions", f"{len(summaries) - minor:,}" + (f" and {minor:,} of other kinds" if minor else ""))]
    facts += [("Projects", f"{projects:,}")]
    if days:
        facts += [("When", " – ".join(dict.fromkeys(day.isoformat() for day in (days[0], days[-1]))))]
    tokens = [one.usage.total for one in summaries if one.usage.total is not None]
    if tokens:
        least = "at least " if any(_is_short(one) for one in summaries) else ""
        facts += [("Tokens", f"{least}{sum(tokens):,}")]
    costs = [one.cost_usd for one in summaries if one.cost_usd is not None]
    if costs:
        short = any(_is_short(one) or (one.usage.total and one.cost_usd is None) for one in summaries)
        facts += [("Cost", money(sum(costs), exact=False if short else None))]
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
    measures: list[tuple[str, Amount, Label]] = [
        ("Tokens", lambda one: one.usage.total, compact),
        ("Cost", lambda one: one.cost_usd, money),
        ("Sessions", lambda one: one.kind is Kind.MAIN, lambda value: f"{value:,.0f}"),
    ]
    drawn = [
        _figure(f"{name} a {step}", _stacks(dated, step, spans, amount), agents, label)
        for name, amount, label in measures
        if any(amount(one) for _, one in dated)
    ]
    legend = tag(
        "p", *(piece for entry in map(_legend, range(len(agents)), agents) for piece in entry), class_="legend"
    )
    return tag("div", legend if len(agents) > 1 else None, tag("div", *drawn), class_="charts")


def compact(value: float) -> str:
    """A figure in three digits or so."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{letter}"
    return f"{value:,.0f}"


def _is_short(one: Summary) -> bool:
    return one.usage.exact is False


def _day(one: Summary) -> date | None:
    at = one.started or one.ended
    return at.astimezone(UTC).date() if at is not None else None


def _spans(first: date, last: date) -> tuple[str, list[date]]:
    """The days on which each span begins, and what a span is called: so that there are not too many."""
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


def _stacks(dated: Sequence[tuple[date, Summary]], step: str, spans: Iterable[date], amount: Amount) -> Stacks:
    """What each agent comes to in each span."""
    sums: dict[date, dict[str, float]] = {span: {} for span in spans}
    for day, one in dated:
        held = sums[_begin(day, step)]
        held[one.agent] = held.get(one.agent, 0) + (amount(one) or 0)
    return list(sums.items())


def _figure(name: str, stacks: Stacks, agents: Sequence[str], label: Label) -> Html:
    most = max(sum(values.values()) for _, values in stacks)
    columns = [
        tag("rect", tag("title", f"{span.isoformat()} · {one_line(agent)}: {label(value)}"), class_=colour, **place)
        for number, (span, values) in enumerate(stacks)
        for agent, value, colour, place in _column(number, values, agents, most)
    ]
    drawing = tag(
        "svg",
        *columns,
        viewBox=f"0 0 {_WIDE * len(stacks)} {_HIGH}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{name}, at most {label(most)}",
    )
    ends = tag("div", *(tag("span", stacks[end][0].isoformat()) for end in (0, -1)), class_="ends")
    return tag("figure", tag("figcaption", tag("b", name), " ", tag("span", f"up to {label(most)}")), drawing, ends)


def _column(
    number: int, values: Mapping[str, float], agents: Sequence[str], most: float
) -> Iterator[tuple[str, float, str, dict[str, str]]]:
    """One on top of the other: whose, how much, in which colour, and where."""
    floor = float(_HIGH)
    for rank, agent in enumerate(agents):
        if value := values.get(agent, 0):
            high = _HIGH * value / most
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
