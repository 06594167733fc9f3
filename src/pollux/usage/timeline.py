"""How much was done on each day, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, tzinfo

from pollux.index.catalog.usage_queries import CountedSession, RollUp
from pollux.usage.days import day_of
from pollux.usage.rates import Pricer, dollars
from pollux.usage.stats import By, Of, name_by
from pollux.usage.sums import Sum, gather, heads


def days_of_rows(
    of: Of, sessions: Mapping[int, CountedSession], rows: Iterable[RollUp], pricer: Pricer, where: tzinfo | None
) -> dict[date | None, float]:
    """Tokens, dollars or sessions of each day; None stands for no time, and has sessions that are on no day."""
    day = day_of(where)
    sums = gather(rows, lambda row: day(row.quarter), pricer)
    if of is Of.SESSIONS:
        found = {when: heads(sessions[number] for number in held.sessions) for when, held in sums.items()}
        untimed = found.pop(None, set()).difference(*found.values())
        counted = {when: len(those) for when, those in found.items() if those}
        return {**counted, **({None: len(untimed)} if untimed else {})}
    return {when: _amount(of, held) for when, held in sums.items()}


def days_of_prompts(rows: Iterable[tuple[int, int, int]], where: tzinfo | None) -> dict[date | None, float]:
    """How many prompts each day saw; None stands for no time."""
    day, found = day_of(where), dict[date | None, float]()
    for _, quarter, prompts in rows:
        when = day(quarter)
        found[when] = found.get(when, 0) + prompts
    return found


def stacks(  # noqa: PLR0913, PLR0917
    by: By,
    of: Of,
    stack: By,
    sessions: Mapping[int, CountedSession],
    rows: Iterable[RollUp],
    pricer: Pricer,
    where: tzinfo | None,
) -> dict[str | None, dict[str, float]]:
    """Tokens or dollars of each name, by agent or model."""
    name, layer = name_by(by, sessions, where), name_by(stack, sessions, where)
    found: dict[str | None, dict[str, float]] = {}
    for (outer, inner), held in gather(rows, lambda row: (name(row), layer(row)), pricer).items():
        found.setdefault(outer, {})[inner or "unknown"] = _amount(of, held)
    return found


def _amount(of: Of, held: Sum) -> float:
    return (dollars(held.cost) or 0) if of is Of.COST else held.total
