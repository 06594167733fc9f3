"""Records outside the conversation, in bounded memory."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Severity
from pollux.wire.notes import Notes

MOST_RECORDS = 20_000
"""How many records are kept as objects. As an object a small record takes far more memory than in the file."""

_encode = msgspec.json.encode


class RecordList:
    """Keeps records in their order: the first ones as objects, and the others as lines of JSON in one text.

    A line of that text holds the records of consecutive lines, with the number of the first one only. So even empty
    records take no more memory than in the file.
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
        """Keep one more: its `record` key has the content, its `line` key the line number; other keys describe it."""
        if len(self._first) < MOST_RECORDS:
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
            f"More than {MOST_RECORDS:,} records are not part of the conversation; the others are kept as one text.",
            Severity.INFO,
        )

    def all(self) -> list[dict[str, Any]]:
        """Every record; the text with the others comes last. No record can be added afterwards."""
        self._end()
        if self._rest:
            self._first.append({"lines": self._rest.decode()})
            self._rest = bytearray()
        return self._first

    def _end(self) -> None:
        """End the line of text that is being written."""
        if self._rest and not self._rest.endswith(b"\n"):
            self._rest += b"]}\n"
