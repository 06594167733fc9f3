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
    """Keeps records in their order: the first each by itself, and all that follow as lines of JSON in one text.

    A line of that text holds the records of lines that follow one another: the number of the first stands for all, so
    that even empty records take no more room than in the file.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._first: list[dict[str, Any]] = []
        self._rest = bytearray()
        self._run: dict[str, Any] = {}
        self._next: int | None = None

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, record: dict[str, Any]) -> None:
        """Keep one more: what a `record` holds, with the `line` it stands in and whatever is to be said of it."""
        if len(self._first) < MOST:
            self._first.append(record)
            return
        line, content = record.pop("line", None), _encode(record.pop("record", None))
        if line is not None and line == self._next and record == self._run:
            self._rest += b","
        else:
            self._end()
            self._run = record
            self._rest += _encode({"line": line, **record})[:-1] + b',"records":['
        self._rest += content
        self._next = line + 1 if line is not None else None
        self._notes.add(
            "record.many",
            f"More than {MOST:,} records stand beside the conversation; those that follow are kept as one text.",
            Severity.INFO,
        )

    def all(self) -> list[dict[str, Any]]:
        """Every record; those that are one text are the last. None is added any more."""
        self._end()
        if self._rest:
            self._first.append({"lines": self._rest.decode()})
            self._rest = bytearray()
        return self._first

    def _end(self) -> None:
        """End the line of text that is being written."""
        if self._rest and not self._rest.endswith(b"\n"):
            self._rest += b"]}\n"
