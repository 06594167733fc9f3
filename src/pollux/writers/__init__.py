"""One module a format. A writer knows the model and nothing else."""

from pollux.writers.base import (
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
)

__all__ = [
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
]
