"""Which prices apply: the user's own, else those of genai-prices.

Loading that package takes longer than any answer. What it says of a model is kept in a small file beside the cache, and
the package is loaded only for a model it was never asked about, or when it was replaced by another release. Then it is
loaded beside, while sessions are read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.system.beside import Answer, Beside
from pollux.system.config import Price
from pollux.system.decoders import json_decoder
from pollux.system.files import read, write_file
from pollux.usage.rates import Card, Period, Rates, Tier

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

PACKAGE = "genai-prices"
_UNITS = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cached",
    "cache_write_mtok": "cache_write",
    "cache_write_1h_mtok": "cache_write_long",
    "output_reasoning_mtok": "reasoning",
}


class StoredPrices(msgspec.Struct):
    """What a release of the package said of models; one it does not know has no card."""

    edition: str
    cards: dict[str, Card | None] = {}


class PriceList:
    """Cards by model. `own` are the user's, `file` keeps what the package said."""

    def __init__(self, own: Mapping[str, Card], file: Path) -> None:
        self.own = own
        self._file = file
        self._beside: Beside | None = None

    @cached_property
    def edition(self) -> str | None:
        """The release of the package that the prices come from; None where it is not installed."""
        try:
            return f"{PACKAGE} {version(PACKAGE)}"
        except PackageNotFoundError:
            return None

    def load_beside(self) -> None:
        """Begin to load the package if it will be asked: nothing is kept of what this release says."""
        if self._beside is None and self.edition is not None and self._read().edition != self.edition:
            self._beside = Beside.begin(_load)

    def cards(self, models: Iterable[str]) -> dict[str, Card | None]:
        """The card of each model; None where its price is not known."""
        wanted = {model for model in models if model}
        others = wanted - self.own.keys()
        listed = self._listed(others) if others and self.edition is not None else {}
        return {model: self.own.get(model) or listed.get(model) for model in wanted}

    def _listed(self, models: set[str]) -> dict[str, Card | None]:
        assert self.edition is not None  # noqa: S101 (the caller looked)
        copy = self._read()
        if copy.edition != self.edition:
            copy = StoredPrices(self.edition)
        if missing := models - copy.cards.keys():
            copy.cards |= self._asked_beside(missing) or listed_cards(missing)
            self._write(copy)
        return copy.cards

    def _asked_beside(self, models: Iterable[str]) -> dict[str, Card | None] | None:
        """What the process beside says; None where there is none."""
        beside, self._beside = self._beside, None
        answer = beside.ask(msgspec.json.encode([*models])) if beside is not None else None
        return json_decoder(dict[str, Card | None]).decode(answer) if answer is not None else None

    def _read(self) -> StoredPrices:
        try:
            return json_decoder(StoredPrices).decode(read(self._file))
        except (OSError, msgspec.DecodeError, RecursionError):
            return StoredPrices("")

    def _write(self, copy: StoredPrices) -> None:
        """A full disk is no error: the package can be asked again."""
        with contextlib.suppress(OSError, UnicodeEncodeError):
            write_file(self._file, msgspec.json.encode(copy))


def own_card(price: Price) -> Card:
    """The card of the user's own prices; a tier changes only what it names."""
    usual = {name: _decimal(value) for name in _UNITS.values() if (value := getattr(price, name)) is not None}
    tiers = []
    rates = dict(usual)
    for tier in sorted(price.tiers, key=lambda tier: tier.above):
        rates |= {name: _decimal(value) for name in _UNITS.values() if (value := getattr(tier, name)) is not None}
        tiers.append(Tier(tier.above, Rates(**rates)))
    return Card((Period(Rates(**usual), tuple(tiers)),))


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))


def _load() -> Answer:
    from genai_prices.data_snapshot import get_snapshot

    get_snapshot()
    return lambda question: msgspec.json.encode(listed_cards(json_decoder(list[str]).decode(question)))


def listed_cards(models: Iterable[str]) -> dict[str, Card | None]:
    """What the package says of some models."""
    return {model: listed_card(model) for model in models}


def listed_card(model: str) -> Card | None:
    """What the package says of a model."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, entry = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return None
    periods = [period for period in _periods(entry) if period is not None]
    return Card(tuple(periods)) if periods else None


def _periods(model: ModelInfo) -> Iterable[Period | None]:
    if not isinstance(model.prices, list):
        yield _period(model.prices)
        return
    for period in model.prices:
        limits: dict[str, Any] = {}
        day = getattr(period.constraint, "start_date", None)
        begin, end = getattr(period.constraint, "start_time", None), getattr(period.constraint, "end_time", None)
        if isinstance(day, date):
            limits["since"] = day.isoformat()
        if begin is not None and end is not None:
            limits["hours"] = (begin.replace(tzinfo=None), end.replace(tzinfo=None))
        yield _period(period.prices, **limits)


def _period(prices: ModelPrice, **limits: Any) -> Period | None:
    """None for a model that is not paid by the token."""
    units = {name: price for unit, name in _UNITS.items() if (price := getattr(prices, unit, None)) is not None}
    if "input" not in units or "output" not in units:
        return None
    starts = sorted({tier.start for price in units.values() for tier in getattr(price, "tiers", ())})
    tiers = tuple(Tier(start, _rates(units, start)) for start in starts)
    return Period(_rates(units, -1), tiers, **limits)


def _rates(units: dict[str, Any], start: int) -> Rates:
    """The rates of prompts beyond a size; each kind of token has tiers of its own."""
    return Rates(**{name: _rate(price, start) for name, price in units.items()})


def _rate(price: Any, start: int) -> Decimal:
    tiers = [tier.price for tier in getattr(price, "tiers", ()) if tier.start <= start]
    rate: Decimal = tiers[-1] if tiers else getattr(price, "base", price)
    return rate
