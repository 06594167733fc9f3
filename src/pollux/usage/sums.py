"""Roll-ups added up: what nobody recorded stays None, and a sum that is too low says so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from pollux.index.catalogue.rollups import INCOMPLETE
from pollux.index.catalogue.usage_queries import CountedSession, RollUp
from pollux.model import NOTHING_USED, UNKNOWN, Total, Usage, Value, combine_exact, values
from pollux.usage.rates import Pricer, dollars

L = TypeVar("L", bound=Hashable)


class Unpriced(Value, frozen=True, kw_only=True):
    """Requests whose cost is not known, by the cause: the model has no price, none is named, a figure is missing."""

    price: int = 0
    model: int = 0
    figures: int = 0

    @property
    def requests(self) -> int:
        """All of them."""
        return self.price + self.model + self.figures

    def __add__(self, other: Unpriced) -> Unpriced:
        return Unpriced(
            price=self.price + other.price, model=self.model + other.model, figures=self.figures + other.figures
        )


def unpriced_reason(model: str, step: int, requests: int) -> Unpriced:
    """Why requests have no cost."""
    if step == INCOMPLETE:
        return Unpriced(figures=requests)
    return Unpriced(price=requests) if model else Unpriced(model=requests)


class Bill(Value, frozen=True):
    """The cost of requests in dollars, and how many have no price."""

    usd: float | None = None
    unpriced: int = 0

    def __add__(self, other: Bill) -> Bill:
        known = [one for one in (self.usd, other.usd) if one is not None]
        return Bill(sum(known) if known else None, self.unpriced + other.unpriced)


class Row(Value, frozen=True, kw_only=True):
    """What was used under one name.

    `sessions` counts conversations: a sub-agent belongs to the one that started it. `lone_subagents` counts those whose
    conversation is not here: it is gone, was not asked for, or has a row of its own. `cost_usd` is the sum of what is
    known to have cost something, `unpriced_causes` counts the requests that are not in it. `too_low` and `unsure` count
    the sessions and lone sub-agents that used more than this, or perhaps more; `silent` those that have no figures.
    `trend` is the tokens day by day, `rows` divide the row further. `open` says that there may be more sessions, in
    files that could not be read.
    """

    name: str | None
    sessions: int
    lone_subagents: int
    usage: Usage
    cost_usd: float | None
    unpriced_causes: Unpriced
    too_low: int = 0
    unsure: int = 0
    silent: int = 0
    trend: dict[str, int] = {}
    rows: tuple[Row, ...] = ()
    open: bool = False

    @property
    def unpriced(self) -> int:
        """How many requests are not in `cost_usd`."""
        return self.unpriced_causes.requests

    @property
    def at_least(self) -> bool:
        """Is the true cost more than `cost_usd`, or may it be?"""
        return self.unpriced > 0 or self.usage.exact is False or self.open


class Sum:
    """Everything under one label: its figures, what they cost, whose they are, and what has no price."""

    def __init__(self) -> None:
        self.used = Total()
        self.sessions: set[int] = set()
        self.cost: int | None = None
        self.silent: set[int] = set()
        self.unpriced_causes = Unpriced()
        self.unpriced_models: set[str] = set()

    @property
    def total(self) -> int:
        """Tokens read and written, as far as they are known."""
        return self.used.figures.known or 0

    def add(self, other: Sum) -> None:
        """Add another sum."""
        self.used.add(other.used.values)
        self.sessions |= other.sessions
        self.silent |= other.silent
        self.add_cost(other.cost)
        self.unpriced_causes += other.unpriced_causes
        self.unpriced_models |= other.unpriced_models

    def add_cost(self, cost: int | None) -> None:
        """Add a cost; an unknown one changes nothing."""
        if cost is not None:
            self.cost = cost if self.cost is None else self.cost + cost

    def row(
        self,
        name: str | None,
        sessions: Mapping[int, CountedSession],
        trend: dict[str, int],
        rows: tuple[Row, ...] = (),
    ) -> Row:
        """The sum under a name."""
        whose = [sessions[number] for number in self.sessions]
        # A session that is exact and has no figures used nothing, for sure.
        sure = (sessions[number] for number in self.sessions if number not in self.silent or sessions[number].exact)
        silent = _families(whose) - _families(sure)
        unsure = _families(session for session in whose if session.exact is None) - silent
        total = Total(self.used.values)
        if any(sessions[number].exact for number in self.silent):
            total.add(values(NOTHING_USED))
        return Row(
            name=name,
            sessions=len(conversations(whose)),
            lone_subagents=len(_families(whose) - conversations(whose)),
            usage=total.usage(exact=combine_exact(one.exact for one in whose) if whose else None),
            cost_usd=dollars(self.cost),
            unpriced_causes=self.unpriced_causes,
            too_low=len(_families(session for session in whose if session.exact is False)),
            unsure=len(unsure),
            silent=len(silent),
            trend=trend,
            rows=rows,
        )


def conversations(sessions: Iterable[CountedSession]) -> set[str]:
    """The conversations that these belong to."""
    return {session.head for session in sessions if session.head is not None}


def _families(sessions: Iterable[CountedSession]) -> set[str]:
    """The conversations that these belong to, and the sub-agents that belong to none."""
    return {session.head or session.key for session in sessions}


class PricedGroup(Generic[L]):
    """Rows of one label and one price."""

    __slots__ = ("label", "requests", "sessions", "silent", "used")

    def __init__(self, label: L) -> None:
        self.label = label
        self.used = Total()
        self.sessions: set[int] = set()
        self.silent: set[int] = set()
        self.requests = 0


def sum_by_label(rows: Iterable[RollUp], label: Callable[[RollUp], L], pricer: Pricer) -> dict[L, Sum]:
    """The rows by label. Rows that have one price are added up before they are priced."""
    groups: dict[tuple[L, str, int, int], PricedGroup[L]] = {}
    period = pricer.period
    for row in rows:
        name = label(row)
        place = (name, row.model, period(row.model, row.quarter), row.step)
        group = groups.get(place)
        if group is None:
            group = groups[place] = PricedGroup(name)
        figures = values(row)
        group.used.add(figures)
        group.sessions.add(row.session)
        if figures == UNKNOWN:
            group.silent.add(row.session)
        else:
            group.requests += row.requests or 1
    sums: dict[L, Sum] = {}
    for (_, model, when, step), group in groups.items():
        total = sums.setdefault(group.label, Sum())
        total.used.add(group.used.values)
        total.sessions |= group.sessions
        total.silent |= group.silent
        cost = pricer.cost(model, group.used.figures, when, step)
        total.add_cost(cost)
        if cost is None:
            why = unpriced_reason(model, step, group.requests)
            total.unpriced_causes += why
            total.unpriced_models |= {model} if why.price else set()
    return sums
