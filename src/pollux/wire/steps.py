"""Walks through nested values, however deep: a function of Python can call itself a thousand times only."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

Walk = Generator[Any, Any, Any]
"""A walk through one value. It yields the walks through the values inside, is sent what they give, and returns."""


def finish(walk: Walk) -> Any:
    """What a walk gives in the end."""
    open_walks = [walk]
    answer: Any = None
    while open_walks:
        try:
            inner = open_walks[-1].send(answer)
        except StopIteration as end:
            open_walks.pop()
            answer = end.value
        else:
            open_walks.append(inner)
            answer = None
    return answer
