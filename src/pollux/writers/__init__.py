"""One module a format. A writer knows the model and nothing else."""

from pollux.writers.base import Dropped, Fabricated, Options, Out, Report, Writer

__all__ = ["Dropped", "Fabricated", "Options", "Out", "Report", "Writer"]
