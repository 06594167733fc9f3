"""How much was done on each day, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, tzinfo
from enum import StrEnum

from pollux.analysis.days import day_of
from pollux.analysis.rates import DOLLAR, Till
from pollux.analysis.stats import By, name_by
from pollux.store.tallying import Counted, Rolled


class Of(StrEnum):
    """What a day is measured by."""

    SESSIONS = "sessions"
    PROMPTS = "prompts"
    TOKENS = "tokens"
    COST = "cost"


def days_of_rows(
    of: Of, sessions: Mapping[int, Counted], rows: Iterable[Rolled], till: Till, where: tzinfo | None
) -> dict[date, float]:
    """Tokens, dollars or sessions of each day."""
    day, heads, amounts = day_of(where), dict[date, set[str]](), dict[date, float]()
    for row in rows:
        found = day(row.quarter)
        if found is None:
            continue
        heads.setdefault(found, set()).add(sessions[row.session].head)
        amounts[found] = amounts.get(found, 0) + _amount(of, row, till)
    if of is Of.SESSIONS:
        return {found: len(held) for found, held in heads.items()}
    return {found: amount / DOLLAR if of is Of.COST else amount for found, amount in amounts.items()}


def days_of_prompts(rows: Iterable[tuple[int, int, int]], where: tzinfo | None) -> dict[date, float]:
    """How many prompts each day saw."""
    day, found = day_of(where), dict[date, float]()
    for _, quarter, prompts in rows:
        when = day(quarter)
        if when is not None:
            found[when] = found.get(when, 0) + prompts
    return found


def stacks(  # noqa: PLR0913, PLR0917
    by: By,
    of: Of,
    stack: By,
    sessions: Mapping[int, Counted],
    rows: Iterable[Rolled],
    till: Till,
    where: tzinfo | None,
) -> dict[str | None, dict[str, float]]:
    """Tokens or dollars of each name, by agent or model."""
    name, layer = name_by(by, where), name_by(stack, where)
    found: dict[str | None, dict[str, float]] = {}
    for row in rows:
        session = sessions[row.session]
        held = found.setdefault(name(session, row), {})
        series = layer(session, row) or "unknown"
        held[series] = held.get(series, 0) + _amount(of, row, till) / (DOLLAR if of is Of.COST else 1)
    return found


def _amount(of: Of, row: Rolled, till: Till) -> int:
    if of is Of.COST:
        return till.cost(row.model, row, row.quarter, row.step) or 0
    return (row.input or 0) + (row.output or 0)
