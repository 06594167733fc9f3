"""One module for each format. A writer knows the model and no agent.

It may import `wire`, and what lies below.
"""

from pollux.writers.base import (
    NO_CONTEXT,
    Binary,
    Dataset,
    Entry,
    Fabrication,
    Joinable,
    Knowledge,
    Loss,
    MultiFile,
    Options,
    Out,
    Page,
    Report,
    Site,
    Table,
    Writer,
    WriterContext,
)

__all__ = [
    "NO_CONTEXT",
    "Binary",
    "Dataset",
    "Entry",
    "Fabrication",
    "Joinable",
    "Knowledge",
    "Loss",
    "MultiFile",
    "Options",
    "Out",
    "Page",
    "Report",
    "Site",
    "Table",
    "Writer",
    "WriterContext",
]
