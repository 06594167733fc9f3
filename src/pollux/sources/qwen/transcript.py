"""The records of one file, in the order in which they were written."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pollux.model import Severity
from pollux.sources.qwen.format.schema import Record
from pollux.wire import REFUSED, Malformed, Notes, RecordList, decoder, display_path, fit, note_bad_line, opened, plain

TYPES = ("user", "assistant", "tool_result", "system")
# Where several records stand on one line, as the client itself expects after a crash. The first may be cut off.
_GLUED = re.compile(rb'(?!\A)(?=\{"uuid":"[^"]*","parentUuid":)|(?<=\})(?=\{"uuid":)')


class Row(msgspec.Struct, gc=False):
    """A record, and where it stands."""

    file: str
    line: int
    record: Record


class Transcript:
    """One file: `rows` are its records, `unknown` those that are of no known type."""

    def __init__(self, path: str, notes: Notes) -> None:
        self.path = path
        self.file = display_path(path)
        self.rows: list[Row] = []
        self.unknown = RecordList(notes)
        self.damaged = False
        self._notes = notes

    def read(self) -> Transcript:
        """Read every line. Raises `Unreadable` only where the file cannot be opened."""
        decode, file, add = decoder(Record), self.file, self.rows.append
        with opened(self.path, notes=self._notes) as lines:
            for number, raw in enumerate(lines, start=1):
                try:
                    record = decode(raw)
                except REFUSED:
                    if not raw.isspace():
                        self._parse_odd(number, raw)
                    continue
                if record.type in TYPES:
                    add(Row(file, number, record))
                else:
                    self._parse_odd(number, raw)
        self._notes.line = None
        return self

    def _parse_odd(self, number: int, raw: bytes) -> None:
        """A line of another shape, or with several records."""
        self._notes.line = number
        try:
            self._add(number, plain(raw, self._notes))
        except Malformed as error:
            pieces = _GLUED.split(raw)
            if len(pieces) == 1:
                self.damaged = True
                note_bad_line(error, raw, self._notes)
                return
            self._notes.add("line.glued", "A line holds several records; each was read.")
            for piece in pieces:
                self._parse_odd(number, piece)

    def _add(self, number: int, value: Any) -> None:
        if type(value) is not dict:
            self.damaged = True
            self._notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
            return
        kind = value.get("type")
        if kind is None and (speaker := _speaker(value)) is not None:
            self._notes.add("record.untyped", "A record has no type; the role of its message was used.")
            kind = value["type"] = speaker
        record = fit(Record, value, self._notes, kind) if type(kind) is str and kind in TYPES else None
        if record is not None:
            self.rows.append(Row(self.file, number, record))
            return
        words = f"type {kind!r}" if kind is not None else f"keys {', '.join(sorted(value)) or 'none'}"
        self._notes.add("record.unknown", f"A record of an unknown kind ({words}); kept.", subject=f"record {words}")
        self.unknown.add({"line": number, "record": value})


def _speaker(value: dict[str, Any]) -> str | None:
    """The type of a record without one: the role of its message, or that it has none."""
    match value:
        case {"message": {"role": "model"}}:
            return "assistant"
        case {"message": {"role": "user"}, "toolCallResult": dict()}:
            return "tool_result"
        case {"message": {"role": "user"}}:
            return "user"
        case {"systemPayload": dict()}:
            return "system"
        case _:
            return None
