"""Which pollux wrote an index, down to the last edit: what another build worked out is worked out again."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from pollux.registry import added_sources
from pollux.version import VERSION

_FORMAT = 1
_DECISIVE = ("text", "model", "system", "wire", "writers", "sources", "index")
"""The packages on which depends what an index holds."""


def build_id() -> str:
    """Changes with the version, with the files it is run from, and with the agents that others added."""
    return f"{_FORMAT} {VERSION} {_last_edit()} {' '.join(added_sources())}"


@cache
def _last_edit() -> int:
    """When the newest of the files was edited. An edit that comes later is not in the code that this process runs."""
    newest = 0
    folders = [str(Path(__file__).parent.parent / name) for name in _DECISIVE]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.name.endswith(".py"):
                newest = max(newest, entry.stat().st_mtime_ns)
            elif entry.is_dir() and entry.name != "__pycache__":
                folders.append(entry.path)
    return newest
