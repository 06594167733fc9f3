"""Documents: a session's rows as the archive keeps them."""

from __future__ import annotations

from pollux.model import Origin
from pollux.sources.base import File
from pollux.sources.database import rows_of
from pollux.sources.opencode.witnesses.rows import PlacedRow, Rows
from pollux.wire import Notes, Shape, decoded_lines, display_path


class Line(Shape):
    """A row, with its table."""

    table: str | None = None
    row: dict[str, object] | None = None
    removed: bool | None = None


def document_rows(file: File, notes: Notes) -> Rows:
    """The rows in a document, each with its line."""
    name = display_path(file.path)
    notes.file = name
    lines = (
        (number, {"table": line.table, "row": line.row, "removed": line.removed})
        for number, line in decoded_lines(file.path, Line, notes)
    )
    rows: Rows = {}
    for number, table, row, removed in rows_of(lines):
        rows.setdefault(table, []).append(PlacedRow(row, Origin(file=name, line=number), removed))
    return rows
