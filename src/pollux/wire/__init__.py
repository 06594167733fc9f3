"""Reads other people's files without losing anything.

It may import `system`, and what lies below.
"""

from pollux.system.files import LARGE, SMALL
from pollux.wire.escapes import json_spelling, normalize_spelling
from pollux.wire.figures import coherent, seconds
from pollux.wire.files import (
    MeasuredLines,
    buffered,
    decoded_lines,
    display_path,
    folder_at,
    note_bad_line,
    numbered_lines,
    opened,
    read_bytes,
    read_head,
    read_lines,
    unreadable,
)
from pollux.wire.leftovers import tidy, tidy_without
from pollux.wire.notes import Notes
from pollux.wire.record_list import RecordList
from pollux.wire.shapes import (
    MOST_COUNT,
    REFUSED,
    Count,
    Dated,
    Malformed,
    Shape,
    Utc,
    check_times,
    decode,
    decoder,
    fit,
    plain,
)
from pollux.wire.tags import tagged, untagged

__all__ = [
    "LARGE",
    "MOST_COUNT",
    "REFUSED",
    "SMALL",
    "Count",
    "Dated",
    "Malformed",
    "MeasuredLines",
    "Notes",
    "RecordList",
    "Shape",
    "Utc",
    "buffered",
    "check_times",
    "coherent",
    "decode",
    "decoded_lines",
    "decoder",
    "display_path",
    "fit",
    "folder_at",
    "json_spelling",
    "normalize_spelling",
    "note_bad_line",
    "numbered_lines",
    "opened",
    "plain",
    "read_bytes",
    "read_head",
    "read_lines",
    "seconds",
    "tagged",
    "tidy",
    "tidy_without",
    "unreadable",
    "untagged",
]
