"""How far a long work is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec


class Progress(msgspec.Struct):
    """How far a work is that reads files.

    `by` is the process that is at it, where that is another one, which this one waits for; 0 where it does not say.
    """

    files: int = 0
    bytes: int = 0
    done_files: int = 0
    done_bytes: int = 0
    sessions: int = 0
    by: int | None = None


Report = Callable[[Progress], None]
"""Hears of progress after every bundle, and all the time while another process is awaited; may raise `Enough`."""


class Advance:
    """Tells how far a work is whose pieces have these sizes in bytes: once before the first, and after each."""

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
