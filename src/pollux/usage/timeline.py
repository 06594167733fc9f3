"""How much was done on each day, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, tzinfo

from pollux.index.catalogue.usage_queries import CountedSession, RollUp
from pollux.usage.days import day_of
from pollux.usage.rates import Pricer, dollars
from pollux.usage.stats import Grouping, Measure, name_by
from pollux.usage.sums import Sum, conversations, sum_by_label


def days_of_rows(
    of: Measure, sessions: Mapping[int, CountedSession], rows: Iterable[RollUp], pricer: Pricer, where: tzinfo | None
) -> dict[date | None, float]:
    """Tokens, dollars or sessions of each day. None is the key for sessions that are on no day."""
    day = day_of(where)
    sums = sum_by_label(rows, lambda row: day(row.quarter), pricer)
    if of is Measure.SESSIONS:
        families = {when: conversations(sessions[number] for number in total.sessions) for when, total in sums.items()}
        untimed = families.pop(None, set()).difference(*families.values())
        counted = {when: len(those) for when, those in families.items() if those}
        return {**counted, **({None: len(untimed)} if untimed else {})}
    return {when: _amount(of, total) for when, total in sums.items()}


def days_of_prompts(rows: Iterable[tuple[int, int, int]], where: tzinfo | None) -> dict[date | None, float]:
    """The prompts of each day; None is the key for those without a time."""
    day, days = day_of(where), dict[date | None, float]()
    for _, quarter, prompts in rows:
        when = day(quarter)
        days[when] = days.get(when, 0) + prompts
    return days


def stacks(  # noqa: PLR0913, PLR0917
    by: Grouping,
    of: Measure,
    stack: Grouping,
    sessions: Mapping[int, CountedSession],
    rows: Iterable[RollUp],
    pricer: Pricer,
    where: tzinfo | None,
) -> dict[str | None, dict[str, float]]:
    """Tokens or dollars of each name, by agent or model."""
    name, layer = name_by(by, sessions, where), name_by(stack, sessions, where)
    layers: dict[str | None, dict[str, float]] = {}
    for (outer, inner), total in sum_by_label(rows, lambda row: (name(row), layer(row)), pricer).items():
        layers.setdefault(outer, {})[inner or "unknown"] = _amount(of, total)
    return layers


def _amount(of: Measure, total: Sum) -> float:
    return (dollars(total.cost) or 0) if of is Measure.COST else total.total
