"""Divides tokens among sessions: by their weights, and what one does not need goes to the others."""

from __future__ import annotations

from collections.abc import Sequence


def divided(total: int, needs: Sequence[int], weights: Sequence[float]) -> list[int]:
    """How many tokens each gets: never more than it needs, and all together never more than `total`."""
    shares = [0] * len(needs)
    left = [number for number, need in enumerate(needs) if need > 0]
    while left and total > 0:
        whole = sum(weights[number] for number in left)
        offered = {number: int(total * weights[number] / whole) for number in left}
        enough = [number for number in left if needs[number] <= offered[number]]
        if not enough:
            for number in left:
                shares[number] = offered[number]
            break
        for number in enough:
            shares[number] = needs[number]
            total -= needs[number]
        left = [number for number in left if number not in enough]
    return shares
