"""How much the tests try: everything in `make test-exhaustive`, otherwise a sample, which is always the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

EXHAUSTIVE = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")


def sample(items: Sequence[T], most: int, *of: object) -> list[T]:
    """All items, or some of them in their order. What they are a sample `of` decides which."""
    if EXHAUSTIVE or len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(Random(repr(of)).sample(range(len(items)), most))]
