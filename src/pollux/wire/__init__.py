"""Reading other people's files, losing nothing."""

from pollux.wire.files import note_bad_line, opened, private, read_bytes, read_head, read_lines, shown, unreadable
from pollux.wire.leftovers import tidy
from pollux.wire.notes import Notes
from pollux.wire.shapes import REFUSED, Count, Malformed, Shape, Utc, decode, decoder, fit, plain
from pollux.wire.spans import seconds

__all__ = [
    "REFUSED",
    "Count",
    "Malformed",
    "Notes",
    "Shape",
    "Utc",
    "decode",
    "decoder",
    "fit",
    "note_bad_line",
    "opened",
    "plain",
    "private",
    "read_bytes",
    "read_head",
    "read_lines",
    "seconds",
    "shown",
    "tidy",
    "unreadable",
]
