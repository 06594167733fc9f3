"""What a vendor charges for a token, and what a request costs.

Money is counted in whole trillionths of a dollar, so that sums agree to the last digit however they are formed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time
from decimal import Decimal
from functools import cached_property

import msgspec

from pollux.index.catalogue.rollups import INCOMPLETE, QUARTER, STEPS, UNTIMED
from pollux.model import Figures

DOLLAR = 10**12
_PER_TOKEN = DOLLAR // 10**6
_DAY = 24 * 3600 // QUARTER


class Rates(msgspec.Struct, frozen=True):
    """Dollars for a million tokens. A part without a rate of its own costs what its whole does."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_long: Decimal | None = None
    reasoning: Decimal | None = None


class Tier(msgspec.Struct, frozen=True):
    """The rates of a request whose prompt is larger than this."""

    above: int
    rates: Rates


class Period(msgspec.Struct, frozen=True):
    """Rates that apply from a day on, at some hours only, or always. Days and hours are UTC."""

    rates: Rates
    tiers: tuple[Tier, ...] = ()
    since: str | None = None
    hours: tuple[time, time] | None = None

    def holds(self, moment: datetime) -> bool:
        """Did these rates apply then?"""
        if self.since is not None and moment.date().isoformat() < self.since:
            return False
        if self.hours is None:
            return True
        begin, end = self.hours
        now = moment.time()
        return begin <= now < end if begin <= end else now >= begin or now < end


class Card(msgspec.Struct, frozen=True, dict=True):
    """All prices of a model; of several periods that apply, the last counts."""

    periods: tuple[Period, ...]

    @cached_property
    def steps(self) -> set[int]:
        """The sizes of a prompt at which the price changes."""
        return {tier.above for period in self.periods for tier in period.tiers}

    def period(self, quarter: int) -> int:
        """The number of the period that applied in a quarter of an hour; the first where none did."""
        moment = datetime.fromtimestamp(quarter * QUARTER, UTC) if quarter != UNTIMED else datetime.now(UTC)
        return next((n for n in range(len(self.periods) - 1, -1, -1) if self.periods[n].holds(moment)), 0)

    def rates(self, period: int, beyond: int) -> Rates:
        """The rates in a period for requests beyond a step."""
        prices = self.periods[period]
        return next((tier.rates for tier in reversed(prices.tiers) if beyond >= tier.above), prices.rates)


_Prices = tuple[int, int, int, int, int, int]


class Pricer:
    """Says what requests cost, by the cards of their models."""

    def __init__(self, cards: Mapping[str, Card | None]) -> None:
        self.cards = cards
        self._dated = {model: card for model, card in cards.items() if card is not None and len(card.periods) > 1}
        self._hourly = {model for model, card in self._dated.items() if any(period.hours for period in card.periods)}
        self._periods: dict[tuple[str, int], int] = {}
        self._prices: dict[tuple[str, int, int], _Prices] = {}

    @property
    def fits_roll_ups(self) -> bool:
        """Can requests be priced from roll-ups, or does a price change at a size they were not made for?"""
        return all(card is None or card.steps <= set(STEPS) for card in self.cards.values())

    def is_dated(self, model: str) -> bool:
        """Do a model's prices change with time?"""
        return model in self._dated

    def period(self, model: str, quarter: int) -> int:
        """The number of the period of a model's prices in a quarter of an hour."""
        if model not in self._dated:
            return 0
        place = (model, quarter if model in self._hourly else quarter // _DAY)
        if place not in self._periods:
            self._periods[place] = self._dated[model].period(quarter)
        return self._periods[place]

    def cost(self, model: str, request: Figures, period: int, beyond: int) -> int | None:
        """The cost of requests of one period, with prompts beyond a step; None if unknown."""
        card = self.cards.get(model)
        if card is None or beyond == INCOMPLETE or request.input is None or request.output is None:
            return None
        place = (model, period, beyond if card.steps else 0)
        prices = self._prices.get(place)
        if prices is None:
            prices = self._prices[place] = _prices(card.rates(period, beyond))
        return _cost(prices, request, request.input, request.output)


def _prices(rates: Rates) -> _Prices:
    """Trillionths of a dollar for a token of each kind."""
    cache_writes = rates.cache_write if rates.cache_write is not None else rates.input
    return (
        _per_token(rates.input),
        _per_token(rates.cached if rates.cached is not None else rates.input),
        _per_token(cache_writes),
        _per_token(rates.cache_write_long if rates.cache_write_long is not None else cache_writes),
        _per_token(rates.output),
        _per_token(rates.reasoning if rates.reasoning is not None else rates.output),
    )


def _per_token(rate: Decimal) -> int:
    return int((rate * _PER_TOKEN).to_integral_value())


def _cost(prices: _Prices, request: Figures, input: int, output: int) -> int:  # noqa: A002 (as in `Usage`)
    cached, cache_writes = request.cached or 0, request.cache_write or 0
    long, thought = request.cache_write_long or 0, request.reasoning or 0
    return (
        max(input - cached - cache_writes, 0) * prices[0]
        + cached * prices[1]
        + max(cache_writes - long, 0) * prices[2]
        + long * prices[3]
        + max(output - thought, 0) * prices[4]
        + thought * prices[5]
    )


def dollars(cost: int | None) -> float | None:
    """An amount as programs get it."""
    return None if cost is None else cost / DOLLAR
