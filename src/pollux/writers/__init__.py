"""One module a format. A writer knows the model and nothing else."""

from pollux.writers.base import Dropped, Entry, Fabricated, Joinable, Options, Out, Page, Report, Site, Writer

__all__ = ["Dropped", "Entry", "Fabricated", "Joinable", "Options", "Out", "Page", "Report", "Site", "Writer"]
