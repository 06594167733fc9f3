"""One module a format. A writer knows the model and nothing else."""

from pollux.writers.base import (
    Binary,
    Dropped,
    Entry,
    Fabricated,
    Joinable,
    Knowledge,
    Options,
    Out,
    Page,
    Report,
    Site,
    Writer,
)

__all__ = [
    "Binary",
    "Dropped",
    "Entry",
    "Fabricated",
    "Joinable",
    "Knowledge",
    "Options",
    "Out",
    "Page",
    "Report",
    "Site",
    "Writer",
]
