"""Figures added up, honestly: what nobody recorded stays None, what is too low says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.analysis.rates import dollars
from pollux.model import Usage, Value, joint

if TYPE_CHECKING:
    from pollux.store.tallying import Counted, Rolled


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


class Sum:
    """Rows on their way into one."""

    __slots__ = ("_exact", "_figures", "_heads", "cost", "trend", "unpriced")

    def __init__(self) -> None:
        self._figures: list[int | None] = [None] * 7
        self._heads: set[str] = set()
        self._exact: set[bool | None] = set()
        self.cost: int | None = None
        self.unpriced = 0
        self.trend: dict[str, int] = {}

    def add(self, row: Rolled, session: Counted, cost: int | None) -> None:
        """Take a row in, with what it cost."""
        figures = self._figures
        for index, figure in enumerate(row[4:]):
            if figure is not None:
                figures[index] = (figures[index] or 0) + figure
        self._heads.add(session.head)
        self._exact.add(session.exact)
        if cost is not None:
            self.cost = cost if self.cost is None else self.cost + cost
        elif row.input is not None or row.output is not None:
            self.unpriced += row.requests or 1

    def spread(self, day: str | None, row: Rolled) -> None:
        """Remember on which day the tokens were used."""
        if day is not None:
            self.trend[day] = self.trend.get(day, 0) + (row.input or 0) + (row.output or 0)

    def row(self, name: str | None) -> Row:
        """The sum under a name."""
        given, cached, written, long, output, thought, requests = self._figures
        return Row(
            name=name,
            sessions=len(self._heads),
            usage=Usage(
                input=given,
                cached=cached,
                cache_write=written,
                cache_write_long=long,
                output=output,
                reasoning=thought,
                requests=requests,
                exact=joint(self._exact) if self._exact else None,
            ),
            cost_usd=dollars(self.cost),
            unpriced=self.unpriced,
            trend=self.trend,
        )
