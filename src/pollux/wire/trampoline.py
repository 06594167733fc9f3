"""Walks through nested values of any depth: a Python function can call itself only a thousand times."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

Walk = Generator[Any, Any, Any]
"""A walk through one value. It yields the walks through inner values, receives their results, and returns its own."""


def run_walk(walk: Walk) -> Any:
    """The result of a walk."""
    open_walks = [walk]
    result: Any = None
    while open_walks:
        try:
            inner = open_walks[-1].send(result)
        except StopIteration as end:
            open_walks.pop()
            result = end.value
        else:
            open_walks.append(inner)
            result = None
    return result
