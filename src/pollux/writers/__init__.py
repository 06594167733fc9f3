"""One module for each format. A writer knows the model and no agent.

It may import `wire`, and what lies below.
"""

from pollux.writers.base import (
    ALONE,
    Binary,
    Dataset,
    Dropped,
    Entry,
    Fabricated,
    Joinable,
    Knowledge,
    Options,
    Out,
    Page,
    Parted,
    Report,
    Site,
    Table,
    Writer,
    WriterContext,
)

__all__ = [
    "ALONE",
    "Binary",
    "Dataset",
    "Dropped",
    "Entry",
    "Fabricated",
    "Joinable",
    "Knowledge",
    "Options",
    "Out",
    "Page",
    "Parted",
    "Report",
    "Site",
    "Table",
    "Writer",
    "WriterContext",
]
