"""Roll-ups added up, honestly: what nobody recorded stays None, what is too low says so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from pollux.analysis.rates import Till, dollars
from pollux.model import Usage, Value, joint
from pollux.store.tallying import Counted, Rolled

L = TypeVar("L", bound=Hashable)


class Row(Value, frozen=True, kw_only=True):
    """What was used under one name.

    `sessions` counts conversations: a sub-agent's belongs to the one that started it. `cost_usd` is the sum of what has
    a price; `unpriced` counts the requests that have none. `trend` is the tokens day by day.
    """

    name: str | None
    sessions: int
    usage: Usage
    cost_usd: float | None
    unpriced: int
    trend: dict[str, int] = {}

    @property
    def at_least(self) -> bool:
        """Was more paid than `cost_usd` says?"""
        return self.unpriced > 0 or self.usage.exact is False


class Figures(NamedTuple):
    """A sum of requests that have one price."""

    input: int | None
    cached: int | None
    cache_write: int | None
    cache_write_long: int | None
    output: int | None
    reasoning: int | None
    requests: int | None


class Sum:
    """Everything under one label: its figures, what they cost, whose they are, and what has no price."""

    def __init__(self) -> None:
        self.figures: list[int | None] = [None] * 7
        self.sessions: set[int] = set()
        self.cost: int | None = None
        self.unpriced = 0
        self.unpriced_models: set[str] = set()

    @property
    def total(self) -> int:
        """Tokens read and written, as far as they are known."""
        return (self.figures[0] or 0) + (self.figures[4] or 0)

    def add(self, other: Sum) -> None:
        """Take another sum in."""
        _add(self.figures, other.figures)
        self.sessions |= other.sessions
        self.pay(other.cost)
        self.unpriced += other.unpriced
        self.unpriced_models |= other.unpriced_models

    def pay(self, cost: int | None) -> None:
        """Take a cost in; an unknown one changes nothing."""
        if cost is not None:
            self.cost = cost if self.cost is None else self.cost + cost

    def row(self, name: str | None, sessions: Mapping[int, Counted], trend: dict[str, int]) -> Row:
        """The sum under a name."""
        whose = [sessions[number] for number in self.sessions]
        figures = Figures(*self.figures)
        return Row(
            name=name,
            sessions=len({session.head for session in whose}),
            usage=Usage(**figures._asdict(), exact=joint(session.exact for session in whose) if whose else None),
            cost_usd=dollars(self.cost),
            unpriced=self.unpriced,
            trend=trend,
        )


class Group(Generic[L]):
    """Rows of one label and one price, on their way into a sum."""

    __slots__ = ("figures", "label", "requests", "sessions")

    def __init__(self, label: L) -> None:
        self.label = label
        self.figures: list[int | None] = [None] * 7
        self.sessions: set[int] = set()
        self.requests = 0  # that have figures


def gather(rows: Iterable[Rolled], label: Callable[[Rolled], L], till: Till) -> dict[L, Sum]:
    """The rows by label. Rows that have one price are added up before they are priced."""
    groups: dict[tuple[L, str, int, int], Group[L]] = {}
    period = till.period
    for row in rows:
        session, quarter, model, step = row[:4]
        name = label(row)
        place = (name, model, period(model, quarter), step)
        group = groups.get(place)
        if group is None:
            group = groups[place] = Group(name)
        _add(group.figures, row[4:])
        group.sessions.add(session)
        if row[4] is not None or row[8] is not None:
            group.requests += row[10] or 1
    sums: dict[L, Sum] = {}
    for (_, model, when, step), group in groups.items():
        held = sums.setdefault(group.label, Sum())
        _add(held.figures, group.figures)
        held.sessions |= group.sessions
        cost = till.cost(model, Figures(*group.figures), when, step)
        held.pay(cost)
        if cost is None and group.requests:
            held.unpriced += group.requests
            held.unpriced_models.add(model)
    return sums


def _add(held: list[int | None], more: Iterable[int | None]) -> None:
    for index, figure in enumerate(more):
        if figure is not None:
            before = held[index]
            held[index] = figure if before is None else before + figure
