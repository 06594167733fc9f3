"""Records that stand beside a conversation, however many a file holds."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Severity
from pollux.wire.notes import Notes

MOST = 20_000
"""So many records are kept as objects of their own. A small one takes far more room than in the file."""

_encode = msgspec.json.encode


class Pile:
    """Keeps records in their order: the first each by itself, and all that follow as lines of JSON in one text."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._first: list[dict[str, Any]] = []
        self._rest = bytearray()

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, record: dict[str, Any]) -> None:
        """Keep one more."""
        if len(self._first) < MOST:
            self._first.append(record)
            return
        self._rest += _encode(record)
        self._rest += b"\n"
        self._notes.add(
            "record.many",
            f"More than {MOST:,} records stand beside the conversation; those that follow are kept as one text.",
            Severity.INFO,
        )

    def all(self) -> list[dict[str, Any]]:
        """Every record; those that are one text are the last."""
        return [*self._first, {"lines": self._rest.decode()}] if self._rest else self._first
