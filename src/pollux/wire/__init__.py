"""Reading other people's files, losing nothing."""

from pollux.wire.files import note_bad_line, read_bytes, read_head, read_lines, shown, unreadable
from pollux.wire.notes import Notes
from pollux.wire.shapes import Malformed, Shape, Utc, decode, fit, plain

__all__ = [
    "Malformed",
    "Notes",
    "Shape",
    "Utc",
    "decode",
    "fit",
    "note_bad_line",
    "plain",
    "read_bytes",
    "read_head",
    "read_lines",
    "shown",
    "unreadable",
]
