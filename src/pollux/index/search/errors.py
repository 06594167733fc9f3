"""The errors of the index of words."""

from __future__ import annotations

from pollux.errors import StoreError


class Damaged(StoreError):
    """The index cannot be read: it is damaged, incomplete, or made by another release. It must be made again."""


class NotWritten(StoreError):
    """The index could not be written, as on a full disk. What was committed before is still there."""


class Busy(StoreError):
    """Another process is writing to the index."""


class Gone(StoreError):
    """The cache was thrown away while this process wrote to it."""
