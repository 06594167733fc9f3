"""Paths as people write them."""

from __future__ import annotations

import os
from pathlib import Path


def named_path(text: str) -> Path:
    """The path that somebody wrote: `~` is a home. Where there is no such user, it stays as it was written."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 (`Path.expanduser` raises an error)
