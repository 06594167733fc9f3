"""Reading other people's files, losing nothing."""

from pollux.system.files import LARGE, SMALL
from pollux.wire.escapes import respelled, spelled
from pollux.wire.figures import coherent
from pollux.wire.files import (
    Lines,
    decoded_lines,
    filled,
    folder_at,
    note_bad_line,
    opened,
    read_bytes,
    read_head,
    read_lines,
    shown,
    unreadable,
)
from pollux.wire.leftovers import prune, tidy
from pollux.wire.notes import Notes
from pollux.wire.pile import Pile
from pollux.wire.shapes import MOST, REFUSED, Count, Dated, Malformed, Shape, Utc, decode, decoder, fit, plain, usable
from pollux.wire.spans import seconds
from pollux.wire.tags import tagged, untagged

__all__ = [
    "LARGE",
    "MOST",
    "REFUSED",
    "SMALL",
    "Count",
    "Dated",
    "Lines",
    "Malformed",
    "Notes",
    "Pile",
    "Shape",
    "Utc",
    "coherent",
    "decode",
    "decoded_lines",
    "decoder",
    "filled",
    "fit",
    "folder_at",
    "note_bad_line",
    "opened",
    "plain",
    "prune",
    "read_bytes",
    "read_head",
    "read_lines",
    "respelled",
    "seconds",
    "shown",
    "spelled",
    "tagged",
    "tidy",
    "unreadable",
    "untagged",
    "usable",
]
