"""What a sync has to do."""

from __future__ import annotations

import msgspec

from pollux.sources.base import Bundle, Source


class Task(msgspec.Struct):
    """A bundle to be read, and what it was known as before."""

    root: int
    bundle: Bundle
    source: Source
    fingerprint: str
    old: int | None
