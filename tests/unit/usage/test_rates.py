from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices import Usage as Reported, calc_price
from hypothesis import given, strategies as st

from pollux.index.catalogue.rollups import QUARTER, STEPS, prompt_size, step
from pollux.model import Usage
from pollux.system.config import Price, Tier
from pollux.usage.prices import listed_card, own_card
from pollux.usage.rates import DOLLAR, Pricer

MODELS = (
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-3-pro-preview",
    "claude-sonnet-4-5",
    "claude-opus-4-6",
    "claude-opus-5-5",
    "claude-haiku-4-5-20251001",
    "gpt-5-codex",
    "gpt-5.4",
    "gpt-5.5",
    "deepseek-chat",
)
SIZES = st.one_of(st.integers(0, 600_000), st.sampled_from(STEPS), st.sampled_from([size + 1 for size in STEPS]))


@pytest.mark.parametrize("model", MODELS)
@given(
    prompt=SIZES,
    parts=st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 100)),
    output=st.integers(0, 70_000),
    hour=st.integers(0, 24 * 365 * 2),
)
def test_a_request_costs_what_the_price_list_says(
    model: str, prompt: int, parts: tuple[int, int, int], output: int, hour: int
) -> None:
    cached = prompt * parts[0] // 200
    written = prompt * parts[1] // 200
    long = written * parts[2] // 100
    moment = datetime.fromtimestamp(1_750_000_000 // 3600 * 3600 + hour * 3600, UTC)
    reported = Reported(
        input_tokens=prompt,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        cache_write_1h_tokens=long,
        output_tokens=output,
    )
    wanted = calc_price(reported, model, genai_request_timestamp=moment).total_price
    pricer = Pricer({model: listed_card(model)})
    usage = Usage(input=prompt, cached=cached, cache_write=written, cache_write_long=long, output=output)
    period = pricer.period(model, int(moment.timestamp()) // QUARTER)
    for size in (step(usage), prompt_size(usage)):
        assert pricer.cost(model, usage, period, size) == wanted * DOLLAR


def test_the_roll_ups_fit_every_price_that_is_listed() -> None:
    from genai_prices.data_snapshot import get_snapshot

    cards = {model.id: listed_card(model.id) for one in get_snapshot().providers for model in one.models}
    assert Pricer(cards).fits_roll_ups


def test_no_price_is_none_not_nothing() -> None:
    pricer = Pricer({"known": own_card(Price(input=1, output=2)), "strange": None})
    assert pricer.cost("strange", Usage(input=5, output=5), 0, 0) is None
    assert pricer.cost("unheard of", Usage(input=5, output=5), 0, 0) is None
    assert pricer.cost("known", Usage(input=5), 0, 0) is None
    assert pricer.cost("known", Usage(input=5, output=5), 0, 0) == 15 * DOLLAR // 10**6


def test_a_tier_changes_what_it_names_for_the_whole_request() -> None:
    card = own_card(Price(input=1, output=10, cached=0.5, tiers=(Tier(above=50_000, input=2, output=20),)))
    pricer = Pricer({"own": card})
    assert not pricer.fits_roll_ups
    small = Usage(input=50_000, cached=10_000, output=100)
    large = Usage(input=50_001, cached=10_000, output=100)
    rate = Decimal(DOLLAR) / 10**6
    assert pricer.cost("own", small, 0, prompt_size(small)) == (40_000 + 5_000 + 1_000) * rate
    assert pricer.cost("own", large, 0, prompt_size(large)) == (80_002 + 5_000 + 2_000) * rate
