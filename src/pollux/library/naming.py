"""Whether a person who names a session means a file."""

from __future__ import annotations

import os
from pathlib import Path


def path_meant(name: str) -> Path | None:
    """The path that a name is: it looks like one, or there is such a file. None where it is an id."""
    try:
        path = Path(name).expanduser()
        there = path.exists()
    except (ValueError, OSError, RuntimeError):
        return None
    return path if name and (there or _looks_like_path(name)) else None


def _looks_like_path(name: str) -> bool:
    return os.sep in name or name.endswith((".json", ".jsonl")) or name.startswith(("~", "."))
