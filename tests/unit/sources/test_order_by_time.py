"""What several files of one session hold, in the order in which it happened."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pollux.sources.order_by_time import order_by_time


def at(text: str) -> list[tuple[str, datetime | None]]:
    """Items such as `a1`, said at minute 1, or `b`, of which nobody knows the time."""
    return [
        (word[0], datetime(2026, 11, 15, 12, int(word[1:]), tzinfo=UTC) if word[1:] else None) for word in text.split()
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([], ""),
        (["b2 a1"], "ba"),
        (["a1 b2", "c3 d4"], "abcd"),
        (["c3 d4", "a1 b2"], "abcd"),
        (["a1 b2 e5 f6", "a1 b2 c3 d7"], "abcefd"),
        (["a1 b2 c5", "a1 b2 d4", "a1 b2 e3"], "abedc"),
        (["b1", "a1 b1"], "ab"),
        (["a1 b9 c2", "a1 d3"], "adbc"),
        (["a1 b c5", "a1 d3"], "abdc"),
        (["a1 b2", "b2 a1"], "ab"),
    ],
)
def test_the_order(files: list[str], expected: str) -> None:
    assert "".join(order_by_time(map(at, files))) == expected
