"""Tokens are divided by weight, and nobody gets more than it needs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pollux.library.brief.dividing import divided


@pytest.mark.parametrize(
    ("total", "needs", "weights", "shares"),
    [
        (100, [], [], []),
        (100, [500], [1.0], [100]),
        (100, [50], [1.0], [50]),
        (100, [500, 500], [1.0, 1.0], [50, 50]),
        (100, [500, 10], [1.0, 1.0], [90, 10]),
        (90, [500, 500], [1.0, 0.5], [60, 30]),
        (100, [0, 500], [1.0, 1.0], [0, 100]),
        (0, [5, 5], [1.0, 1.0], [0, 0]),
    ],
)
def test_shares(total: int, needs: list[int], weights: list[float], shares: list[int]) -> None:
    assert divided(total, needs, weights) == shares


@given(st.integers(0, 10_000), st.lists(st.integers(0, 5_000), max_size=8))
def test_never_more_than_there_is_nor_than_is_needed(total: int, needs: list[int]) -> None:
    shares = divided(total, needs, [1 / (number + 1) for number in range(len(needs))])
    assert sum(shares) <= total
    assert all(0 <= share <= need for share, need in zip(shares, needs, strict=True))
    assert shares == needs or sum(needs) > total
