"""One module a format. A writer knows the model and nothing else."""

from pollux.writers.base import (
    Dataset,
    Dropped,
    Entry,
    Fabricated,
    Joinable,
    Options,
    Out,
    Page,
    Report,
    Site,
    Table,
    Writer,
)

__all__ = [
    "Dataset",
    "Dropped",
    "Entry",
    "Fabricated",
    "Joinable",
    "Options",
    "Out",
    "Page",
    "Report",
    "Site",
    "Table",
    "Writer",
]
