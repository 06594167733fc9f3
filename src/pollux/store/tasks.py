"""What a sync has to do, and how far it is."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pollux.sources.base import Bundle, Source


class Task(msgspec.Struct):
    """A bundle to be read, and what it was known as before."""

    root: int
    bundle: Bundle
    source: Source
    seal: str
    old: int | None

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.size for file in self.bundle.files)


class Progress(msgspec.Struct):
    """How far a sync is."""

    files: int = 0
    bytes: int = 0
    done_files: int = 0
    done_bytes: int = 0
    sessions: int = 0


Report = Callable[[Progress], None]
"""Hears of progress after every bundle; may raise `Enough`."""


class Enough(Exception):
    """Stop here: what was read so far is kept."""
