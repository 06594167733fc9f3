"""Text between two marks. One pass finds it, even where the first mark stands many times without the second."""

from __future__ import annotations

from collections.abc import Iterator


def enclosed(text: str, begin: str, end: str, position: int = 0) -> tuple[int, int] | None:
    """Where the next text between two marks begins and ends."""
    start = text.find(begin, position)
    stop = text.find(end, start + len(begin)) if start >= 0 else -1
    return (start + len(begin), stop) if stop >= 0 else None


def between(text: str, begin: str, end: str) -> str | None:
    """The first text between two marks."""
    span = enclosed(text, begin, end)
    return text[slice(*span)] if span is not None else None


def all_enclosed(text: str, begin: str, end: str) -> Iterator[tuple[int, int]]:
    """Where each text between two marks begins and ends."""
    position = 0
    while (span := enclosed(text, begin, end, position)) is not None:
        yield span
        position = span[1] + len(end)
