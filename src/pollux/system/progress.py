"""The progress of long work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec


class Progress(msgspec.Struct):
    """The progress of work that reads files.

    `by` is the number of another process that does the work while this one waits; 0 where that process does not say.
    """

    files: int = 0
    bytes: int = 0
    done_files: int = 0
    done_bytes: int = 0
    sessions: int = 0
    by: int | None = None


Report = Callable[[Progress], None]
"""Gets the progress after every bundle, and repeatedly while another process works; may raise `Enough`."""


class Advance:
    """Reports the progress of work whose pieces have these sizes in bytes: before the first piece, and after each."""

    def __init__(self, sizes: Sequence[int], report: Report) -> None:
        self._sizes = sizes
        self._report = report
        self._progress = Progress(files=len(sizes), bytes=sum(sizes))
        report(self._progress)

    def done(self, number: int) -> None:
        """Count a piece as done."""
        self._progress.done_files += 1
        self._progress.done_bytes += self._sizes[number]
        self._report(self._progress)


class Enough(Exception):
    """Stop here: what was read so far is kept."""
