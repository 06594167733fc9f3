"""The account of what a page holds and what it does not."""

from __future__ import annotations

from dataclasses import dataclass

from pollux.writers.base import Dropped, Report


@dataclass
class Tally:
    """Counts; a page holds everything that was said and done."""

    kept: int = 0
    lost_fates: int = 0
    silent: int = 0
    files: int = 0
    details: int = 0

    def report(self) -> Report:
        """The report."""
        counted = [
            Dropped("messages no longer live", self.lost_fates, "only what is still live was asked for"),
            Dropped("messages with nothing to show", self.silent, "empty, or told by the tool call they belong to"),
            Dropped("attachment data", self.files, "a page shows pictures made of pixels, and names all else"),
            Dropped("other recorded details", self.details, "a page holds what was said and done"),
        ]
        return Report(kept=self.kept, dropped=[dropped for dropped in counted if dropped.count])
