"""Documents: a session's rows as the archive keeps them."""

from __future__ import annotations

from typing import NamedTuple

from pollux.model import Origin, Severity
from pollux.sources.base import File
from pollux.sources.database import rows_of
from pollux.sources.opencode.witnesses.rows import PlacedRow, Rows
from pollux.wire import Notes, Shape, decoded_lines, display_path


class Line(Shape):
    """A row, with its table; or that the database was damaged."""

    table: str | None = None
    row: dict[str, object] | None = None
    removed: bool | None = None
    damaged: bool | None = None


class KeptRows(NamedTuple):
    """The rows in a document, each with its line. `damaged`: the database had lost others, or may have."""

    rows: Rows
    damaged: bool


def document_rows(file: File, notes: Notes) -> KeptRows:
    """What is in a document."""
    name = display_path(file.path)
    notes.file = name
    lines = list(decoded_lines(file.path, Line, notes))
    found = rows_of((number, {"table": line.table, "row": line.row, "removed": line.removed}) for number, line in lines)
    rows: Rows = {}
    for number, table, row, removed in found:
        rows.setdefault(table, []).append(PlacedRow(row, Origin(file=name, line=number), removed))
    damaged = any(line.damaged is True for _, line in lines)
    if damaged:
        notes.line = None
        notes.add("file.damaged", "The database was damaged when this was kept: rows may be missing.", Severity.ERROR)
    return KeptRows(rows, damaged)
